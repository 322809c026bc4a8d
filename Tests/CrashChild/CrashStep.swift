extension CrashWorkload {
    /// One operation in the making.
    struct Step {
        let lane: Int
        let index: UInt64
        private var random: SplitMix64

        init(seed: UInt64, lane: Int, index: UInt64) {
            self.lane = lane
            self.index = index
            random = SplitMix64(seed: seed ^ UInt64(lane) &* 0x9e37_79b9_7f4a_7c15 ^ index &* 0xd1b5_4a32_d192_ed03)
        }

        /// A value that no other operation writes: lane and index, then noise.
        private mutating func value(upTo bytes: Int) -> [UInt8] {
            var value = Array("\(lane):\(index):".utf8)
            let count = Int(random.next() % UInt64(bytes + 1)) - value.count
            guard count > 0 else { return value }
            // In one piece, and not byte by byte: without optimisation this is where parent and child spend their time.
            let noise = unsafe [UInt64](unsafeUninitializedCapacity: (count + 7) / 8) { words, used in
                for index in words.indices { unsafe words.initializeElement(at: index, to: random.next()) }
                used = words.count
            }
            unsafe noise.withUnsafeBytes { unsafe value.append(contentsOf: $0) }
            return value
        }

        private mutating func number(below bound: Int) -> Int { Int(random.next() % UInt64(bound)) }

        private mutating func key(_ kind: String, below bound: Int) -> [UInt8] {
            CrashWorkload.key(lane, kind, number(below: bound))
        }

        mutating func put(_ kind: String, below bound: Int, upTo bytes: Int) -> CrashChange {
            .put(key(kind, below: bound), value(upTo: bytes))
        }

        /// Moves money between a few accounts, notes it, and forgets an old note. The first one fills the accounts.
        mutating func transfer(_ current: ([UInt8]) throws -> [UInt8]?) rethrows -> [CrashChange] {
            guard try current(CrashWorkload.accountKey(0)) != nil else {
                return (0..<CrashWorkload.accounts).map {
                    .put(CrashWorkload.accountKey($0), Array(String(CrashWorkload.openingBalance).utf8))
                }
            }
            var balances: [Int: Int] = [:]
            func balance(_ account: Int) throws -> Int {
                // A missing or unreadable account counts as empty: the sum then tells.
                try balances[account] ?? current(CrashWorkload.accountKey(account))
                    .flatMap { Int(String(decoding: $0, as: UTF8.self)) } ?? 0
            }
            for _ in 0..<(1 + number(below: 6)) {
                let (source, target) = (number(below: CrashWorkload.accounts), number(below: CrashWorkload.accounts))
                guard source != target else { continue }
                let amount = number(below: 100)
                let (left, right) = (try balance(source) - amount, try balance(target) + amount)
                (balances[source], balances[target]) = (left, right)
            }
            var changes = balances.sorted { $0.key < $1.key }.map { account, balance in
                CrashChange.put(CrashWorkload.accountKey(account), Array(String(balance).utf8))
            }
            changes.append(.put(CrashWorkload.key(lane, "note", Int(index)), value(upTo: 100)))
            if index >= 200 { changes.append(.delete(CrashWorkload.key(lane, "note", Int(index) - 200))) }
            return changes
        }

        mutating func hotKey(_ current: ([UInt8]) throws -> [UInt8]?) rethrows -> CrashOperation {
            let change: CrashChange
            let isConditional = number(below: 4) == 0
            let key = key("hot", below: 24)
            if number(below: 3) == 0 {
                change = .delete(key)
                // There must be something to remove for the condition to hold.
                if isConditional, try current(key) == nil { return .write([change]) }
            } else {
                change = .put(key, value(upTo: 150))
            }
            return isConditional ? .conditional(change) : .write([change])
        }

        mutating func rangeDelete() -> [CrashChange] {
            guard number(below: 60) == 0 else { return [put("key", below: 3_000, upTo: 150)] }
            let start = number(below: 3_000)
            let end = start + 1 + number(below: 400)
            let range = CrashChange.deleteRange(
                CrashWorkload.key(lane, "key", start), CrashWorkload.key(lane, "key", end))
            guard number(below: 2) == 0 else { return [range] }
            // Within one batch: what stands before the range goes with it, what stands behind it stays.
            let before = CrashWorkload.key(lane, "key", start)
            let behind = CrashWorkload.key(lane, "key", start + number(below: end - start))
            return [.put(before, value(upTo: 50)), range, .put(behind, value(upTo: 50))]
        }

        mutating func largeValue() -> CrashOperation {
            switch number(below: 40) {
            case 0: return .compact(CrashWorkload.key(lane, "", 0), CrashWorkload.key(lane, "~", 0))
            case 1...4: return .write([.delete(key("large", below: 80))])
            case 5...9: return .write([put("large", below: 80, upTo: 300), put("large", below: 80, upTo: 20_000)])
            default: return .write([put("large", below: 80, upTo: 40_000)])
            }
        }

        /// Keys that no other operation puts: one, now and then a large value or a batch. Now and then an older one goes.
        mutating func filling() -> CrashOperation {
            func fresh(_ part: Int) -> [UInt8] { CrashWorkload.key(lane, "part\(part)-", Int(index)) }
            switch number(below: 24) {
            case 0: return .write([.put(fresh(0), value(upTo: 24_000))])
            case 1, 2: return .write([.put(fresh(0), value(upTo: 500)), .put(fresh(1), value(upTo: 12_000))])
            case 3 where index >= 2:
                return .write([.delete(CrashWorkload.key(lane, "part0-", number(below: Int(index) - 1)))])
            default: return .write([.put(fresh(0), value(upTo: 1_500))])
            }
        }

        mutating func maintenance() -> CrashOperation {
            switch number(below: 8) {
            case 0...3: return .flush
            case 4...6:
                let lane = number(below: 4)
                return .compact(CrashWorkload.key(lane, "", 0), CrashWorkload.key(lane + number(below: 2), "~", 0))
            default: return .checkpoint(index)
            }
        }

        /// A few changes, and always the index of this batch under one key.
        mutating func countedBatch() -> [CrashChange] {
            var changes: [CrashChange] = []
            for _ in 0..<(1 + number(below: 4)) {
                switch number(below: 20) {
                case 0: changes.append(put("key", below: 400, upTo: 4_000))
                case 1...5: changes.append(.delete(key("key", below: 400)))
                case 6:
                    let start = number(below: 400)
                    let end = start + 1 + number(below: 20)
                    changes.append(
                        .deleteRange(CrashWorkload.key(lane, "key", start), CrashWorkload.key(lane, "key", end)))
                default: changes.append(put("key", below: 400, upTo: 100))
                }
            }
            changes.append(.put(CrashWorkload.counterKey(ofLane: lane), Array(String(index).utf8)))
            return changes
        }
    }
}

/// SplitMix64 (Steele, Lea and Flood, 2014).
struct SplitMix64: RandomNumberGenerator, Sendable {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var word = state
        word = (word ^ (word >> 30)) &* 0xbf58_476d_1ce4_e5b9
        word = (word ^ (word >> 27)) &* 0x94d0_49bb_1331_11eb
        return word ^ (word >> 31)
    }
}
