import Foundation
import Synchronization
import Testing

@testable import Siltstone

/// Many tasks at once, each with keys of its own, of which most are cancelled before, during or after their calls.
final class CancellationStorm: Sendable {
    private let place: HistoryPlace
    private let seed: UInt64
    private let acknowledged = Locked<[Int: Int]>([:])
    private let calls = Counter()
    private let cancellations = Counter()

    var callCount: Int { calls.value }
    var cancellationCount: Int { cancellations.value }

    init(seed: UInt64) throws {
        self.seed = seed
        var variant = HistoryVariant.random(seed)
        // Most calls wait for a sync, which is where a continuation could be lost.
        variant.configuration.durability = .synced
        place = try HistoryPlace(variant, seed: seed)
    }

    func run(tasks count: Int) async throws {
        let store = try await KeyValueStore.open(at: place.fixture.path, configuration: place.configuration)
        let isOn = Locked(true)
        blockThreads(store) { isOn.withLock { $0 } }
        var random = SeededGenerator(seed)
        let tasks = (0..<count).map { number in Task { try await self.work(store, number) } }
        for task in tasks.shuffled(using: &random) where random.chance(0.8) {
            if random.chance(0.2) { await Task.yield() }
            task.cancel()
            _ = cancellations.next()
        }
        // None of them may throw, and none may wait for ever.
        for task in tasks { try await task.value }
        isOn.withLock { $0 = false }
        try await store.close()
        try await compare(count)
    }

    /// Threads whose synced writes lead the syncs of tasks, and hand them over to tasks.
    private func blockThreads(_ store: KeyValueStore, while isOn: @escaping @Sendable () -> Bool) {
        for number in 0..<2 {
            Thread.detachNewThread {
                do throws(StoreError) {
                    while isOn() { try store.put("thread \(number)".utf8, [1]) }
                } catch { #expect(error.code == .closed, "\(error)") }
            }
        }
    }

    /// Some generations of a batch of two keys, with other calls in between.
    private func work(_ store: KeyValueStore, _ number: Int) async throws {
        var random = SeededGenerator(seed &+ UInt64(number))
        for generation in 1...4 {
            let value = Array("\(generation)".utf8) + [UInt8](repeating: 0x20, count: random.index(1500))
            var batch = WriteBatch()
            batch.put(key(2 * number), value)
            batch.put(key(2 * number + 1), value)
            try await store.write(batch)
            acknowledged.withLock { $0[number] = generation }
            _ = calls.next()
            switch random.index(12) {
            case 0: try await store.flush()
            case 1: if number % 10 == 0 { try await store.compact() }
            case 2: try await store.sync()
            case 3: withUnsafeCurrentTask { $0?.cancel() }
            case 4:
                var count = 0
                for try await _ in store.entries(from: key(2 * number), to: key(2 * number + 2)) { count += 1 }
                #expect(count == 2)
            default: #expect(try await store.get(key(2 * number)) == value)
            }
            _ = calls.next()
        }
    }

    /// What a new opening finds is what was acknowledged.
    private func compare(_ count: Int) async throws {
        let store = try await KeyValueStore.open(at: place.fixture.path, configuration: place.configuration)
        let acknowledged = acknowledged.withLock { $0 }
        for number in 0..<count {
            let values = try await store.get(all: [key(2 * number), key(2 * number + 1)])
            let generation = values[0].flatMap { Int(String(decoding: $0.prefix { $0 != 0x20 }, as: UTF8.self)) }
            let replay = SuiteScale.replay("CancellationTests", seed: seed)
            #expect(values[0] == values[1] && generation == acknowledged[number], "task \(number)\n\(replay)")
        }
        try await store.close()
    }
}
