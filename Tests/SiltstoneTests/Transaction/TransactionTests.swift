import Testing

@testable import Siltstone

/// The life of a transaction: its body, its end, and its retries.
struct TransactionTests {
    private struct Cancelled: Error {}

    private let store: KeyValueStore

    init() throws { store = try KeyValueStore.inMemory() }

    private func number(_ key: String, in reader: some KeyValueReader) throws -> Int {
        try reader.get(key.utf8).flatMap { Int(String(decoding: $0, as: UTF8.self)) } ?? 0
    }

    @Test("a body that throws leaves nothing behind")
    func throwing() throws {
        #expect(throws: Cancelled.self) {
            try store.transaction { transaction in
                try transaction.put("a".utf8, "1".utf8)
                throw Cancelled()
            }
        }
        #expect(try store.get("a".utf8) == nil)
        #expect(store.statistics.snapshots == 0)
    }

    @Test("the body runs again after a conflict, and its result is that of the last run")
    func retry() throws {
        var runs = 0
        let result = try store.transaction { transaction in
            runs += 1
            let count = try number("count", in: transaction)
            if runs < 6 { try store.put("count".utf8, "\(count + 10)".utf8) }
            try transaction.put("count".utf8, "\(count + 1)".utf8)
            return runs
        }
        #expect(result == 6)
        #expect(try number("count", in: store) == 51)
        #expect(store.statistics.conflicts == 5)
        #expect(store.statistics.snapshots == 0)
    }

    @Test("after the last attempt the conflict is thrown")
    func lastAttempt() throws {
        let error = #expect(throws: StoreError.self) {
            try store.transaction(attempts: 4) { transaction in
                _ = try transaction.get("a".utf8)
                try store.put("a".utf8, "1".utf8)
                try transaction.put("b".utf8, "1".utf8)
            }
        }
        #expect(error?.code == .conflict)
        #expect(store.statistics.conflicts == 4)
        #expect(try store.get("b".utf8) == nil)
    }

    @Test("after the last attempt the conflict is thrown, in a task")
    func lastAttemptInTask() async throws {
        let other = await #expect(throws: StoreError.self) {
            try await store.transaction(attempts: 5) { transaction in
                _ = try await transaction.get("a".utf8)
                try await store.put("a".utf8, "1".utf8)
                try transaction.put("b".utf8, "1".utf8)
            }
        }
        #expect(other?.code == .conflict)
        #expect(store.statistics.conflicts == 5)
        #expect(try await store.get("b".utf8) == nil)
    }

    @Test("every call after the end says that the transaction has ended", arguments: [true, false])
    func afterTheEnd(commits: Bool) throws {
        let transaction = store.begin()
        try transaction.put("a".utf8, "1".utf8)
        if commits { try transaction.commit() } else { transaction.rollback() }
        func expectEnded(_ body: () throws -> Void) {
            let error = #expect(throws: StoreError.self) { try body() }
            #expect(error?.code == .transactionEnded)
        }
        expectEnded { _ = try transaction.get("a".utf8) }
        expectEnded { _ = try transaction.get(all: ["a".utf8, "b".utf8]) }
        expectEnded { _ = try transaction.estimate() }
        expectEnded { try transaction.put("a".utf8, "2".utf8) }
        expectEnded { try transaction.delete("a".utf8) }
        expectEnded { try transaction.deleteRange(from: "a".utf8, to: "b".utf8) }
        expectEnded { _ = try transaction.scan() }
        expectEnded { try transaction.forEach { _, _ in true } }
        expectEnded { try transaction.savepoint {} }
        expectEnded { try transaction.commit() }
        transaction.rollback()
        #expect(try store.get("a".utf8) == (commits ? Array("1".utf8) : nil))
    }

    @Test("a transaction that is dropped is rolled back, and its snapshot goes")
    func dropped() throws {
        do {
            let transaction = store.begin()
            try transaction.put("a".utf8, "1".utf8)
        }
        #expect(try store.get("a".utf8) == nil)
        #expect(store.statistics.snapshots == 0)
    }

    @Test("a savepoint that throws undoes its own writes alone; savepoints nest")
    func savepoints() throws {
        try store.transaction { transaction in
            try transaction.put("a".utf8, "1".utf8)
            #expect(throws: Cancelled.self) {
                try transaction.savepoint {
                    try transaction.put("a".utf8, "2".utf8)
                    try transaction.savepoint { try transaction.put("b".utf8, "2".utf8) }
                    #expect(try transaction.get("b".utf8) != nil)
                    throw Cancelled()
                }
            }
            #expect(try transaction.get("a".utf8) == Array("1".utf8))
            #expect(try transaction.get("b".utf8) == nil)
        }
        #expect(try store.get("a".utf8) == Array("1".utf8))
        #expect(try store.get("b".utf8) == nil)
    }

    @Test("a savepoint in a task keeps its writes, or undoes them")
    func savepointsInTask() async throws {
        try await store.transaction { transaction in
            try await transaction.savepoint {
                try transaction.put("c".utf8, "3".utf8)
                await Task.yield()
            }
            await #expect(throws: Cancelled.self) {
                try await transaction.savepoint {
                    try transaction.put("c".utf8, "4".utf8)
                    await Task.yield()
                    throw Cancelled()
                }
            }
        }
        #expect(try await store.get("c".utf8) == Array("3".utf8))
    }

    @Test("a body may end the transaction itself")
    func endedByBody() throws {
        try store.transaction { transaction in
            try transaction.put("a".utf8, "1".utf8)
            transaction.rollback()
        }
        #expect(try store.get("a".utf8) == nil)
        try store.transaction { transaction in
            try transaction.put("a".utf8, "1".utf8)
            try transaction.commit()
        }
        #expect(try store.get("a".utf8) == Array("1".utf8))
    }

    @Test("a commit takes one sequence number for each change, behind the snapshot's")
    func sequences() throws {
        let transaction = store.begin()
        for key in ["a", "b", "c"] { try transaction.put(key.utf8, "1".utf8) }
        #expect(try transaction.commit() == transaction.sequence + 3)
        #expect(store.snapshot().sequence == transaction.sequence + 3)
    }

    @Test("keys, values and transactions over their limits are refused, and the transaction goes on")
    func limits() throws {
        try store.transaction { transaction in
            let error = #expect(throws: StoreError.self) {
                try transaction.put([UInt8](repeating: 1, count: Limits.keyBytes + 1), [])
            }
            #expect(error?.code == .tooLarge)
            try transaction.put("a".utf8, "1".utf8)
        }
        #expect(try store.get("a".utf8) != nil)
    }

    @Test("an asynchronous sequence inside sees the transaction's own writes")
    func entries() async throws {
        for number in 0..<600 { try await store.put(Array("k\(1000 + number)".utf8), [1]) }
        let transaction = store.begin()
        for number in 0..<600 where number % 2 == 0 { try transaction.delete(Array("k\(1000 + number)".utf8)) }
        try transaction.put("k".utf8, [2])
        var keys: [[UInt8]] = []
        for try await entry in transaction.entries(prefix: "k".utf8) { keys.append(entry.key) }
        #expect(keys.count == 301)
        try await transaction.commit()
        #expect(try await store.get("k1000".utf8) == nil)
    }

    @Test("no transfer is lost among threads and tasks, and none is turned away for ever")
    func transfers() async throws {
        let accounts = 4
        for account in 0..<accounts { try await store.put("\(account)".utf8, "100".utf8, durability: .buffered) }
        let store = store
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask {
                    for turn in 0..<100 {
                        let (from, to) = ((task + turn) % accounts, (task * 3 + turn * 5 + 1) % accounts)
                        if from == to { continue }
                        try await store.transaction(durability: .buffered) { transaction in
                            let a = Int(String(decoding: try await transaction.get("\(from)".utf8)!, as: UTF8.self))!
                            await Task.yield()
                            let b = Int(String(decoding: try await transaction.get("\(to)".utf8)!, as: UTF8.self))!
                            try transaction.put("\(from)".utf8, "\(a - 1)".utf8)
                            try transaction.put("\(to)".utf8, "\(b + 1)".utf8)
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        let cursor = try store.scan()
        let sum = try cursor.remaining().reduce(0) { $0 + (Int(String(decoding: $1.value, as: UTF8.self)) ?? 0) }
        #expect(sum == 100 * accounts)
    }
}
