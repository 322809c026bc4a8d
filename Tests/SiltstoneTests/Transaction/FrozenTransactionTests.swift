import Testing

@testable import Siltstone

/// Transactions as they were at one moment.
struct FrozenTransactionTests {
    private let store: KeyValueStore

    init() throws {
        store = try KeyValueStore.inMemory()
        for number in 0..<10 { try store.put([UInt8(number)], [0]) }
    }

    /// All that a reader's functions find, with one form each.
    private func contents(of reader: some KeyValueReader) throws -> [[[UInt8]?]] {
        let keys = (0..<14).map { [UInt8($0)] }
        var lent: [[UInt8]?] = []
        for key in keys { lent.append(try reader.withValue(key) { value in value.withUnsafeBytes { [UInt8]($0) } }) }
        var listed: [[UInt8]?] = []
        try reader.withValues(of: keys) { _, value in
            if let value { listed.append(value.withUnsafeBytes { [UInt8]($0) }) } else { listed.append(nil) }
        }
        var scanned: [UInt8: [UInt8]] = [:]
        let cursor = try reader.scan()
        while let entry = try cursor.next() { scanned[entry.key[0]] = entry.value }
        var visited: [UInt8: [UInt8]] = [:]
        try reader.forEach(ranges: [KeyRange(to: [4]), KeyRange(from: [4])], reverse: true) { key, value in
            visited[key.withUnsafeBytes { $0[0] }] = value.withUnsafeBytes { [UInt8]($0) }
            return true
        }
        return [
            try keys.map { try reader.get($0) }, lent, listed, keys.map { scanned[$0[0]] }, keys.map { visited[$0[0]] },
            try keys.map { try reader.contains($0) ? [] : nil }, [[UInt8(try reader.count())]],
        ]
    }

    /// Writes of each kind.
    private func write(_ value: UInt8, to transaction: Transaction) throws {
        try transaction.put([1], [value])
        try transaction.delete([2])
        try transaction.deleteRange(from: [5], to: [8])
        try transaction.put([6], [value])
        try transaction.put([value], [value])
    }

    @Test("later writes do not change it, nor does a savepoint that takes earlier ones back")
    func state() throws {
        let transaction = store.begin()
        defer { transaction.rollback() }
        let first = try transaction.frozen(), atFirst = try contents(of: transaction)
        let mark = try transaction.mark()
        try write(11, to: transaction)
        let second = try transaction.frozen(), atSecond = try contents(of: transaction)
        let cursor = try second.scan()
        try transaction.deleteRange(from: [], to: [9])
        try write(12, to: transaction)
        #expect(atFirst != atSecond)
        #expect(try contents(of: first) == atFirst)
        #expect(try contents(of: second) == atSecond)
        transaction.rollBack(to: mark)
        #expect(try contents(of: first) == atFirst)
        #expect(try contents(of: second) == atSecond)
        #expect(try contents(of: transaction) == atFirst)
        var keys: [UInt8] = []
        while let key = try cursor.nextKey() { keys.append(key[0]) }
        #expect(keys == [0, 1, 3, 4, 6, 8, 9, 11])
    }

    @Test("its reads are the transaction's: a commit checks them")
    func reads() throws {
        let reads: [(FrozenTransaction) throws -> Void] = [
            { _ = try $0.get([3]) }, { _ = try $0.contains([3]) }, { _ = try $0.withValue([3]) { _ in } },
            { try $0.withValues(of: [[3]]) { _, _ in } }, { _ = try $0.scan(from: [3]).next() },
            { try $0.forEach(from: [3], to: [4]) { _, _ in true } },
        ]
        for (number, read) in reads.enumerated() {
            let transaction = store.begin()
            let frozen = try transaction.frozen()
            // It has not seen this write, so it reads the store.
            try transaction.put([3], [1])
            try read(frozen)
            try store.put([3], [UInt8(number)])
            let error = #expect(throws: StoreError.self) { try transaction.commit() }
            #expect(error?.code == .conflict)
        }
    }

    @Test("it ends with the transaction")
    func end() throws {
        let transaction = store.begin()
        try transaction.put([1], [1])
        let frozen = try transaction.frozen()
        transaction.rollback()
        let reads: [() throws -> Void] = [
            { _ = try frozen.get([1]) }, { _ = try frozen.get([3]) }, { _ = try frozen.contains([1]) },
            { _ = try frozen.scan() }, { try frozen.withValues(of: [[1]]) { _, _ in } },
            { _ = try transaction.frozen() }, { _ = try frozen.estimate() },
        ]
        for read in reads {
            let error = #expect(throws: StoreError.self) { try read() }
            #expect(error?.code == .transactionEnded)
        }
    }

    @Test("its asynchronous reads see the same state")
    func tasks() async throws {
        let transaction = store.begin()
        defer { transaction.rollback() }
        try transaction.put([1], [1])
        let frozen = try transaction.frozen()
        try transaction.put([1], [2])
        try transaction.delete([3])
        #expect(try await frozen.get([1]) == [1])
        #expect(try await frozen.contains([3]))
        #expect(try await frozen.get(all: [[1], [3], [20]]) == [[1], [0], nil])
    }
}
