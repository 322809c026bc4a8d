import Testing

@testable import Siltstone

/// Reads of several ranges, of keys alone and by seeks, on the store, on a snapshot and in a transaction.
extension ModelRun {
    func readRanges() throws {
        guard let (snapshot, old) = held.randomElement(using: &random), random.chance(0.5) else {
            if random.chance(0.5) { return try readRanges(of: store, model) }
            return try readInTransaction { reader, model in try readRanges(of: reader, model) }
        }
        try readRanges(of: snapshot, old)
    }

    /// Reads among writes of its own, which are taken back.
    private func readInTransaction(_ body: (Transaction, StoreModel) throws -> Void) throws {
        let transaction = store.begin(isolation: random.chance(0.5) ? .serializable : .snapshot)
        var model = model
        for _ in 0..<random.index(12) {
            let key = randomKey()
            switch random.index(10) {
            case 0..<6:
                try transaction.put(key, [7])
                model[key] = [7]
            case 6..<9:
                try transaction.delete(key)
                model[key] = nil
            default:
                let end = randomKey()
                try transaction.deleteRange(from: key, to: end)
                model.deleteRange(key, end)
            }
        }
        try body(transaction, model)
        transaction.rollback()
    }

    /// Some keys, or several groups of them, each perhaps more than once.
    func multiGet() throws {
        let keys = (0..<(random.chance(0.8) ? 10 : 100)).map { _ in randomKey() }
        switch random.index(3) {
        case 0: #expect(try store.get(all: keys) == keys.map { model[$0] }, place)
        case 1: try readInTransaction { reader, model in try multiGet(keys, from: reader, model) }
        default:
            let (snapshot, old) = held.randomElement(using: &random) ?? (store.snapshot(), model)
            try multiGet(keys, from: snapshot, old)
        }
    }

    private func multiGet(_ keys: [[UInt8]], from reader: some KeyValueReader, _ model: StoreModel) throws {
        var found: [[UInt8]?] = []
        try reader.withValues(of: keys) { index, value in
            #expect(index == found.count, place)
            if let value { found.append(value.array) } else { found.append(nil) }
        }
        #expect(found == keys.map { model[$0] }, place)
    }

    private func readRanges(of reader: some KeyValueReader, _ model: StoreModel) throws {
        let ranges = (0..<random.index(6)).map { _ in randomRange() }
        let reverse = random.chance(0.5)
        let limit = random.chance(0.5) ? random.index(40) : nil
        var expected = model.scan(reverse: reverse).filter { entry in ranges.contains { $0.holds(entry.key) } }
        if let limit { expected = Array(expected.prefix(limit)) }
        switch random.index(5) {
        case 0:
            let found = try reader.scan(ranges: ranges, reverse: reverse, limit: limit).remaining()
            #expect(found == expected, place)
        case 1:
            var found: [Entry] = []
            try reader.forEach(ranges: ranges, reverse: reverse, limit: limit) { key, value in
                found.append(Entry(key: key.array, value: value.array))
                return true
            }
            #expect(found == expected, place)
        case 2:
            var found: [[UInt8]] = []
            try reader.forEachKey(ranges: ranges, reverse: reverse, limit: limit) { key in
                found.append(key.array)
                return true
            }
            #expect(found == expected.map(\.key), place)
        case 3:
            let count = model.scan().filter { entry in ranges.contains { $0.holds(entry.key) } }.count
            #expect(try reader.count(ranges: ranges) == count, place)
        default: try seek(in: reader, model, ranges, reverse)
        }
    }

    /// Goes to and fro with one cursor.
    private func seek(
        in reader: some KeyValueReader, _ model: StoreModel, _ ranges: [KeyRange], _ reverse: Bool
    ) throws {
        let isWhole = random.chance(0.5)
        let entries = model.scan(reverse: reverse).filter { entry in
            isWhole || ranges.contains { $0.holds(entry.key) }
        }
        let cursor = try isWhole ? reader.scan(reverse: reverse) : reader.scan(ranges: ranges, reverse: reverse)
        var rest = entries[...]
        for _ in 0..<10 {
            if random.chance(0.7) {
                // Often a short way from where the cursor is.
                let near = rest.dropFirst(random.index(20)).first?.key
                let key = random.chance(0.5) ? near ?? randomKey() : randomKey()
                try cursor.seek(to: key)
                rest = entries.drop { entry in
                    reverse ? key.lexicographicallyPrecedes(entry.key) : entry.key.lexicographicallyPrecedes(key)
                }
            }
            for _ in 0..<random.index(8) {
                if random.chance(0.5) {
                    #expect(try cursor.nextKey() == rest.popFirst()?.key, place)
                } else {
                    #expect(try cursor.next() == rest.popFirst(), place)
                }
            }
        }
    }

    private func randomRange() -> KeyRange {
        switch random.index(6) {
        case 0: KeyRange(key: randomKey())
        case 1: KeyRange(prefix: randomKey().prefix(random.index(9)))
        case 2: KeyRange(from: random.chance(0.8) ? randomKey() : nil, to: random.chance(0.8) ? randomKey() : nil)
        default:
            // Narrow ones, of which several lie in one batch of records.
            { number in KeyRange(from: key(number), to: key(number + 1 + random.index(9))) }(random.index(400))
        }
    }
}

extension KeyRange {
    /// Whether a key is in the range, told as plainly as can be.
    func holds(_ key: [UInt8]) -> Bool {
        if key.lexicographicallyPrecedes(from) { return false }
        if let to, !key.lexicographicallyPrecedes(to) { return false }
        return true
    }
}

extension RawSpan {
    var array: [UInt8] { withUnsafeBytes { Array($0) } }
}
