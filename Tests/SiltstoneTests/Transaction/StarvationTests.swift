import Dispatch
import Foundation
import Testing

@testable import Siltstone

/// Transactions that many others are in the way of: every one comes to its end, with no more attempts than it is given.
struct StarvationTests {
    private static let accounts = 64

    private static func key(_ account: Int) -> [UInt8] { Array("account \(1000 + account)".utf8) }

    private static func number(_ value: [UInt8]?) -> Int {
        value.flatMap { Int(String(decoding: $0, as: UTF8.self)) } ?? 0
    }

    private static func store() throws -> KeyValueStore {
        try KeyValueStore.inMemory(configuration: StoreFixture.small())
    }

    /// Adds one to an account, as fast as it goes, until told to stop.
    private static func hurry(_ store: KeyValueStore, _ random: inout SeededGenerator, while isOn: () -> Bool) throws
        -> Int
    {
        var count = 0
        while isOn() {
            let account = random.index(accounts)
            try store.transaction { transaction in
                let balance = number(try transaction.get(key(account)))
                try transaction.put(key(account), Array("\(balance + 1)".utf8))
            }
            count += 1
        }
        return count
    }

    @Test(
        "a long transaction over all accounts ends beside threads that change them all the time; the sum is right",
        .comesToAnEnd)
    func longAgainstShort() throws {
        let store = try Self.store()
        let (isOn, added, group) = (Locked(true), Locked(0), DispatchGroup())
        for thread in 0..<3 {
            Thread.detachNewThread(in: group) {
                var random = SeededGenerator(SuiteScale.seed &+ UInt64(thread))
                do {
                    let count = try Self.hurry(store, &random) { isOn.withLock { $0 } }
                    added.withLock { $0 += count }
                } catch { Issue.record("\(error)") }
            }
        }
        func stop() {
            isOn.withLock { $0 = false }
            group.wait()
        }
        defer { stop() }
        var most = 0
        for round in 0..<SuiteScale.count(5, thorough: 40) {
            var attempts = 0
            try store.transaction { transaction in
                attempts += 1
                var sum = 0
                for account in 0..<Self.accounts {
                    sum += Self.number(try transaction.get(Self.key(account)))
                    // The others get on meanwhile.
                    if account % 8 == 0 { usleep(100) }
                }
                try transaction.put(Array("sum".utf8), Array("\(sum) \(round)".utf8))
            }
            most = max(most, attempts)
        }
        stop()
        var sum = 0
        for account in 0..<Self.accounts { sum += Self.number(try store.get(Self.key(account))) }
        #expect(sum == added.withLock { $0 })
        #expect(!store.engine.retryTurn.isTaken)
        SuiteScale.report(
            "long transactions beside short ones",
            ["short ones": sum, "conflicts": store.statistics.conflicts, "attempts at most": most])
    }

    @Test(
        "all of many transactions on one key end, in threads and in tasks, and none of their changes is lost",
        .comesToAnEnd)
    func oneKey() async throws {
        let store = try Self.store()
        let (threads, tasks, turns) = (4, 4, SuiteScale.count(50, thorough: 400))
        let group = DispatchGroup()
        for _ in 0..<threads {
            Thread.detachNewThread(in: group) {
                do {
                    for _ in 0..<turns {
                        try store.transaction { transaction in
                            let count = Self.number(try transaction.get(Self.key(0)))
                            sched_yield()
                            try transaction.put(Self.key(0), Array("\(count + 1)".utf8))
                        }
                    }
                } catch { Issue.record("\(error)") }
            }
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<tasks {
                group.addTask {
                    for _ in 0..<turns {
                        try await store.transaction { transaction in
                            let count = Self.number(try await transaction.get(Self.key(0)))
                            await Task.yield()
                            try transaction.put(Self.key(0), Array("\(count + 1)".utf8))
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        await withCheckedContinuation { continuation in
            group.notify(queue: .global()) { continuation.resume() }
        }
        let count = Self.number(try await store.get(Self.key(0)))
        #expect(count == (threads + tasks) * turns)
        #expect(!store.engine.retryTurn.isTaken)
        SuiteScale.report("transactions on one key", ["commits": count, "conflicts": store.statistics.conflicts])
    }

    @Test("a task that is cancelled between two attempts still ends, and hands the turn on", .comesToAnEnd)
    func cancellation() async throws {
        let store = try Self.store()
        let tasks = (0..<20).map { number in
            Task {
                try await store.transaction { transaction in
                    let count = Self.number(try await transaction.get(Self.key(0)))
                    await Task.yield()
                    try transaction.put(Self.key(0), Array("\(count + 1)".utf8))
                    if number % 3 == 0 { withUnsafeCurrentTask { $0?.cancel() } }
                }
            }
        }
        for task in tasks { try await task.value }
        #expect(Self.number(try await store.get(Self.key(0))) == 20)
        #expect(!store.engine.retryTurn.isTaken)
    }
}
