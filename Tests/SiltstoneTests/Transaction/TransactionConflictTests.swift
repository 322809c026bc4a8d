import Testing

@testable import Siltstone

/// Which changes by others stop a commit, and which do not.
struct TransactionConflictTests {
    /// What happens to memtables and segments between a transaction's reads and its commit.
    enum Upheaval: CaseIterable { case none, flush, flushAndCompact }

    private let store: KeyValueStore

    init() throws {
        store = try KeyValueStore.inMemory()
        for number in 0..<100 { try store.put(key(number), Array("old".utf8)) }
        try store.put("x".utf8, "1".utf8)
        try store.put("y".utf8, "1".utf8)
    }

    private func key(_ number: Int) -> [UInt8] { Array("key\(1000 + number)".utf8) }

    private func upheave(_ upheaval: Upheaval) throws {
        if upheaval == .none { return }
        try store.flush()
        if upheaval == .flushAndCompact { try store.compact() }
    }

    /// Expects that a transaction that reads by `read` conflicts, or does not, with what `change` does.
    private func check(
        _ upheaval: Upheaval, conflicts: Bool, isolation: Transaction.Isolation = .serializable,
        read: (Transaction) throws -> Void, change: (KeyValueStore) throws -> Void
    ) throws {
        let transaction = store.begin(isolation: isolation)
        try read(transaction)
        try transaction.put("result".utf8, "mine".utf8)
        try upheave(upheaval)
        try change(store)
        try upheave(upheaval)
        if conflicts {
            let error = #expect(throws: StoreError.self) { try transaction.commit() }
            #expect(error?.code == .conflict)
            // True of both isolations.
            #expect(error?.message.contains("has read or writes") == true)
            #expect(try store.get("result".utf8) == nil)
        } else {
            try transaction.commit()
            #expect(try store.get("result".utf8) == Array("mine".utf8))
        }
        #expect(!transaction.isActive)
    }

    @Test("a lost update is prevented", arguments: Upheaval.allCases)
    func lostUpdate(_ upheaval: Upheaval) throws {
        try check(upheaval, conflicts: true) { transaction in
            let value = try #require(try transaction.get("x".utf8))
            try transaction.put("x".utf8, value + [1])
        } change: {
            try $0.put("x".utf8, "2".utf8)
        }
    }

    @Test("write skew is prevented", arguments: Upheaval.allCases)
    func writeSkew(_ upheaval: Upheaval) throws {
        let other = store.begin()
        _ = try other.get("x".utf8)
        _ = try other.get("y".utf8)
        try other.put("y".utf8, "0".utf8)
        try check(upheaval, conflicts: true) { transaction in
            _ = try transaction.get("x".utf8)
            _ = try transaction.get("y".utf8)
            try transaction.put("x".utf8, "0".utf8)
        } change: { _ in
            try other.commit()
        }
    }

    @Test("write skew over a range is prevented: of two doctors on call one stays", arguments: Upheaval.allCases)
    func writeSkewOfRanges(_ upheaval: Upheaval) throws {
        func leave(_ transaction: Transaction, _ doctor: Int) throws {
            var onCall = 0
            try transaction.forEach(from: key(0), to: key(2)) { _, _ in
                onCall += 1
                return true
            }
            if onCall > 1 { try transaction.delete(key(doctor)) }
        }
        let other = store.begin()
        try leave(other, 1)
        try check(upheaval, conflicts: true) {
            try leave($0, 0)
        } change: { _ in
            try other.commit()
        }
        #expect(try store.scan(from: key(0), to: key(2)).remaining().count == 1)
    }

    /// The anomaly of Fekete, O'Neil and O'Neil (2004): the three transactions have a serial order only as long as
    /// nobody looks between the deposit and the withdrawal.
    private func readOnlyAnomaly(
        _ upheaval: Upheaval, conflicts: Bool, isolation: Transaction.Isolation
    ) throws {
        try check(upheaval, conflicts: conflicts, isolation: isolation) { withdrawal in
            // Finds too little money on both accounts, and charges a fee with the withdrawal.
            #expect(try withdrawal.get("x".utf8) == Array("1".utf8))
            #expect(try withdrawal.get("y".utf8) == Array("1".utf8))
            try withdrawal.put("x".utf8, "-11".utf8)
        } change: { store in
            try store.transaction(isolation: isolation) { deposit in
                _ = try deposit.get("y".utf8)
                try deposit.put("y".utf8, "20".utf8)
            }
            try upheave(upheaval)
            let seen = try store.transaction(isolation: isolation) { reader in
                [try reader.get("x".utf8), try reader.get("y".utf8)]
            }
            #expect(seen == [Array("1".utf8), Array("20".utf8)])
        }
    }

    @Test("the read-only anomaly is prevented", arguments: Upheaval.allCases)
    func readOnlyAnomaly(_ upheaval: Upheaval) throws {
        try readOnlyAnomaly(upheaval, conflicts: true, isolation: .serializable)
    }

    @Test("snapshot isolation lets write skew and the read-only anomaly pass", arguments: Upheaval.allCases)
    func snapshotIsolation(_ upheaval: Upheaval) throws {
        try check(upheaval, conflicts: false, isolation: .snapshot) { transaction in
            _ = try transaction.get("y".utf8)
            try transaction.put("x".utf8, "1".utf8)
        } change: {
            try $0.put("y".utf8, "1".utf8)
        }
        try store.delete("result".utf8)
        try readOnlyAnomaly(upheaval, conflicts: false, isolation: .snapshot)
    }

    @Test("snapshot isolation stops lost updates, of keys and of ranges", arguments: Upheaval.allCases)
    func lostUpdateOfSnapshots(_ upheaval: Upheaval) throws {
        try check(upheaval, conflicts: true, isolation: .snapshot) {
            try $0.put("x".utf8, "0".utf8)
        } change: {
            try $0.put("x".utf8, "2".utf8)
        }
        try check(upheaval, conflicts: true, isolation: .snapshot) {
            try $0.deleteRange(from: key(10), to: key(20))
        } change: {
            try $0.put(key(15), "2".utf8)
        }
        try check(upheaval, conflicts: true, isolation: .snapshot) {
            try $0.put(key(30), "0".utf8)
        } change: {
            try $0.deleteRange(from: key(25), to: key(35))
        }
    }

    @Test("a cursor that goes on after an upheaval still tells how far it has come", arguments: Upheaval.allCases)
    func cursorAcross(_ upheaval: Upheaval) throws {
        for conflicts in [true, false] {
            try check(upheaval, conflicts: conflicts) { transaction in
                let cursor = try transaction.scan(from: key(10), to: key(20))
                for _ in 0..<3 { _ = try cursor.next() }
                try upheave(upheaval)
                try store.put(key(conflicts ? 13 : 18), "new".utf8)
                try upheave(upheaval)
                for _ in 0..<3 { _ = try cursor.next() }
            } change: { _ in
            }
        }
    }

    @Test("a key that was read and found absent conflicts with its insertion", arguments: Upheaval.allCases)
    func absentKey(_ upheaval: Upheaval) throws {
        try check(upheaval, conflicts: true) { transaction in
            let found = try transaction.get("missing".utf8)
            #expect(found == nil)
        } change: {
            try $0.put("missing".utf8, "here".utf8)
        }
    }

    @Test("every way to read a key is checked", arguments: 0..<5)
    func everyRead(_ way: Int) throws {
        try check(.none, conflicts: true) { transaction in
            switch way {
            case 0: _ = try transaction.get("x".utf8)
            case 1: _ = try transaction.contains("x".utf8)
            case 2: _ = try transaction.withValue("x".utf8) { $0.byteCount }
            case 3: _ = try transaction.get(all: [Array("a".utf8), Array("x".utf8)])
            default: _ = try transaction.replace("x".utf8, "3".utf8)
            }
        } change: {
            try $0.put("x".utf8, "2".utf8)
        }
    }

    @Test("a deletion conflicts, of a key and of a range", arguments: Upheaval.allCases)
    func deletion(_ upheaval: Upheaval) throws {
        try check(upheaval, conflicts: true) {
            _ = try $0.get("x".utf8)
        } change: {
            try $0.delete("x".utf8)
        }
        try check(upheaval, conflicts: true) {
            _ = try $0.get("y".utf8)
        } change: {
            try $0.deleteRange(from: "w".utf8, to: "z".utf8)
        }
    }

    @Test("phantoms in a range that was scanned are prevented", arguments: Upheaval.allCases)
    func phantom(_ upheaval: Upheaval) throws {
        try check(upheaval, conflicts: true) { transaction in
            try transaction.forEach(from: key(10), to: key(20)) { _, _ in true }
        } change: {
            try $0.put(key(15) + [7], "new".utf8)
        }
        try check(upheaval, conflicts: true) { transaction in
            let cursor = try transaction.scan(from: key(10), to: key(20), reverse: true)
            while try cursor.next() != nil {}
        } change: {
            try $0.delete(key(10))
        }
        try check(upheaval, conflicts: true) { transaction in
            try transaction.forEach(prefix: "none".utf8) { _, _ in true }
        } change: {
            try $0.put("none at all".utf8, "new".utf8)
        }
    }

    @Test("a scan conflicts only with changes of the part that it has read", arguments: Upheaval.allCases)
    func partialWalk(_ upheaval: Upheaval) throws {
        try check(upheaval, conflicts: false) { transaction in
            try transaction.forEach(from: key(10)) { key, _ in
                key.withBytes { $0.lexicographicallyPrecedes(self.key(15)) }
            }
        } change: {
            try $0.put(key(16), "new".utf8)
        }
        try store.delete("result".utf8)
        try check(upheaval, conflicts: true) { transaction in
            try transaction.forEach(from: key(10)) { key, _ in
                key.withBytes { $0.lexicographicallyPrecedes(self.key(15)) }
            }
        } change: {
            try $0.put(key(15), "new".utf8)
        }
        let cursors = store.begin()
        let cursor = try cursors.scan(from: nil, to: key(50), reverse: true)
        _ = try cursor.next()
        try cursors.put("result".utf8, "mine".utf8)
        try store.put(key(48), "new".utf8)
        try cursors.commit()
    }

    @Test("changes of other keys, own reads of own writes and blind writes are no conflicts")
    func noConflict() throws {
        try check(.none, conflicts: false) { transaction in
            try transaction.put("x".utf8, "own".utf8)
            #expect(try transaction.get("x".utf8) == Array("own".utf8))
            _ = try transaction.get("y".utf8)
        } change: { store in
            try store.put("x".utf8, "2".utf8)
            try store.put("z".utf8, "2".utf8)
        }
        #expect(try store.get("x".utf8) == Array("own".utf8))
    }

    @Test("a transaction that wrote nothing never conflicts")
    func readOnly() throws {
        let transaction = store.begin()
        _ = try transaction.get("x".utf8)
        try store.put("x".utf8, "2".utf8)
        #expect(try transaction.get("x".utf8) == Array("1".utf8))
        #expect(try transaction.commit() == transaction.sequence)
        #expect(store.statistics.conflicts == 0)
    }

    @Test("the read set of a transaction that has read too much to remember still finds every conflict")
    func coarseReads() throws {
        let transaction = store.begin()
        for number in 0..<70_000 { _ = try transaction.contains(Array("\(number * 7919 % 70_000)".utf8)) }
        try transaction.put("result".utf8, "mine".utf8)
        try store.put("55555".utf8, "new".utf8)
        #expect(throws: StoreError.self) { try transaction.commit() }
    }

    @Test("a large value is read back, and a conflict leaves the store without it")
    func largeValues() throws {
        let value = [UInt8](repeating: 7, count: 100_000)
        try check(.flush, conflicts: true) { transaction in
            _ = try transaction.get("x".utf8)
            try transaction.put("large".utf8, value)
            #expect(try transaction.get("large".utf8) == value)
        } change: {
            try $0.put("x".utf8, "2".utf8)
        }
        #expect(try store.get("large".utf8) == nil)
        try store.transaction { try $0.put("large".utf8, value) }
        #expect(try store.get("large".utf8) == value)
        #expect(try store.verify().isClean)
    }
}
