import Dispatch
import SiltstoneTesting
import Testing

@testable import Siltstone

/// The feed of changes: what it hands out, in which order, and what it tells those who are late.
struct ChangeFeedTests {
    private typealias Change = Siltstone.Change

    private let fixture = StoreFixture()

    /// Puts one key.
    /// - Returns: the change's number.
    private func write(_ store: KeyValueStore, _ key: String, _ value: [UInt8]) async throws -> UInt64 {
        var batch = WriteBatch()
        batch.put(key.utf8, value)
        return try await store.write(batch)
    }

    private func write(_ store: KeyValueStore, _ key: String, _ value: String = "1") async throws -> UInt64 {
        try await write(store, key, Array(value.utf8))
    }

    private func put(_ key: String, _ value: String, _ sequence: UInt64) -> Change {
        Change(sequence: sequence, key: Array(key.utf8), operation: .put(Array(value.utf8)))
    }

    /// The next events of an iterator.
    private func take(_ count: Int, _ iterator: inout ChangeSequence.AsyncIterator) async throws -> [ChangeEvent] {
        var events: [ChangeEvent] = []
        while events.count < count, let event = try await iterator.next() { events.append(event) }
        return events
    }

    @Test("commits come in order, whole, with the numbers that the writes have returned", .comesToAnEnd)
    func order() async throws {
        let store = try fixture.open()
        try await store.put("before".utf8, "0".utf8)
        var changes = try store.changes().makeAsyncIterator()
        let first = try await write(store, "a")
        var batch = WriteBatch()
        batch.put("b".utf8, "2".utf8)
        batch.delete("a".utf8)
        batch.deleteRange(from: "c".utf8, to: "d".utf8)
        let second = try await store.write(batch)
        let third = try await store.transaction {
            try $0.put("e".utf8, "3".utf8); return $0.sequence + 1
        }
        let large = try await write(store, "large", [UInt8](repeating: 1, count: 9000))
        #expect(
            try await take(4, &changes) == [
                .commit([put("a", "1", first)], through: first),
                .commit(
                    [
                        put("b", "2", second - 2),
                        Change(sequence: second - 1, key: Array("a".utf8), operation: .delete),
                        Change(
                            sequence: second, key: Array("c".utf8), operation: .deleteRange(to: Array("d".utf8))),
                    ], through: second),
                .commit([put("e", "3", third)], through: third),
                .commit(
                    [Change(sequence: large, key: Array("large".utf8), operation: .putLarge(byteCount: 9000))],
                    through: large),
            ])
    }

    @Test("a subscriber to a range gets what concerns it, and of a batch that part alone", .comesToAnEnd)
    func ranges() async throws {
        let store = try fixture.open()
        var changes = try store.changes(prefix: "b".utf8).makeAsyncIterator()
        try await store.put("a".utf8, "1".utf8)
        var batch = WriteBatch()
        for key in ["a", "b1", "b2", "c"] { batch.put(key.utf8, "2".utf8) }
        let last = try await store.write(batch)
        try await store.deleteRange(from: "a".utf8, to: "b1".utf8)
        let range = store.statistics.lastSequence
        try await store.deleteRange(from: "c".utf8, to: "d".utf8)
        let end = try await write(store, "b3", "3")
        #expect(
            try await take(3, &changes) == [
                .commit([put("b1", "2", last - 2), put("b2", "2", last - 1)], through: last),
                .commit(
                    [Change(sequence: range, key: Array("a".utf8), operation: .deleteRange(to: Array("b1".utf8)))],
                    through: range),
                .commit([put("b3", "3", end)], through: end),
            ])
    }

    @Test(
        "a feed from the past begins with what the logs hold, and tells what they do not", .comesToAnEnd,
        arguments: [true, false])
    func past(mapped: Bool) async throws {
        var configuration = StoreFixture.small()
        configuration.logWriting = mapped ? .mapped : .written
        let store = try fixture.open(configuration)
        var numbers: [UInt64] = []
        for number in 0..<10 { numbers.append(try await write(store, "k\(number)", "\(number)")) }
        var changes = try store.changes(since: numbers[4]).makeAsyncIterator()
        let now = try await write(store, "now")
        let expected = (5..<10).map { ChangeEvent.commit([put("k\($0)", "\($0)", numbers[$0])], through: numbers[$0]) }
        #expect(try await take(6, &changes) == expected + [.commit([put("now", "1", now)], through: now)])

        try await store.flush()
        let next = try await write(store, "next")
        var late = try store.changes(since: numbers[4]).makeAsyncIterator()
        #expect(
            try await take(2, &late) == [
                .missed(from: numbers[5], through: now), .commit([put("next", "1", next)], through: next),
            ])
        try await store.flush()
        var later = try store.changes(since: numbers[4]).makeAsyncIterator()
        #expect(try await take(1, &later) == [.missed(from: numbers[5], through: next)])
        // Also behind a new opening.
        try await store.put("unflushed".utf8, "1".utf8)
        try await store.close()
        let reopened = try fixture.open(configuration)
        var again = try reopened.changes(since: next).makeAsyncIterator()
        #expect(try await take(1, &again) == [.commit([put("unflushed", "1", next + 1)], through: next + 1)])
        try await reopened.close()
    }

    @Test(
        "a feed from the past maps no log of a store that reads its files by calls", .comesToAnEnd,
        arguments: [true, false])
    func logAccess(mapped: Bool) throws {
        let disk = FaultInjectingFileSystem()
        let fixture = StoreFixture(disk)
        let store = try fixture.open()
        // Enough for a log that is not read because it is small.
        for number in 0..<10 { try store.put("k\(number)".utf8, [UInt8](repeating: 1, count: 2000)) }
        try store.close()
        var configuration = StoreFixture.small()
        configuration.readOnly = true
        configuration.access = mapped ? .mapped : .read
        let reader = try fixture.open(configuration)
        let before = disk.log.count
        let subscription = try ChangeSubscription(reader, KeyRange(from: nil, to: nil), since: 0)
        let calls = disk.log[before...].filter { $0.path.hasSuffix(".log") }.map(\.operation)
        #expect(calls.contains(.open) && calls.contains(.map) == mapped)
        withExtendedLifetime(subscription) {}
        try reader.close()
    }

    @Test("one who is too slow is told what is missing, and gets all that follows; memory stays bounded", .comesToAnEnd)
    func slow() async throws {
        var configuration = StoreFixture.small()
        configuration.memTableBytes = 16 << 20
        configuration.changeFeedBytes = 64 << 10
        let store = try fixture.open(configuration)
        let sequence = try store.changes()
        var changes = sequence.makeAsyncIterator()
        let begin = store.statistics.lastSequence
        for number in 0..<2000 { try await store.put("k\(number)".utf8, [UInt8](repeating: 1, count: 100)) }
        let end = store.statistics.lastSequence
        guard case .missed(let from, let through)? = try await changes.next() else {
            Issue.record("nothing was missed")
            return
        }
        #expect(from == begin + 1)
        var next = through + 1
        while next <= end {
            guard case .commit(_, let number)? = try await changes.next() else { break }
            #expect(number == next)
            next = number + 1
        }
        #expect(next == end + 1)
        // A commit that is larger than the feed itself.
        var batch = WriteBatch()
        for number in 0..<2000 { batch.put("k\(number)".utf8, [UInt8](repeating: 1, count: 100)) }
        let last = try await store.write(batch)
        #expect(try await changes.next() == .missed(from: end + 1, through: last))
        withExtendedLifetime(sequence) {}
    }

    @Test("a task that waits is woken by a change, by its cancellation, and by the closing of the store", .comesToAnEnd)
    func waking() async throws {
        let store = try fixture.open()
        func follow() throws -> Task<[ChangeEvent], any Error> {
            let changes = try store.changes()
            return Task {
                var events: [ChangeEvent] = []
                for try await event in changes { events.append(event) }
                return events
            }
        }
        let (cancelled, closed) = (try follow(), try follow())
        await Task.yield()
        let number = try await write(store, "a")
        cancelled.cancel()
        let events = try await cancelled.value
        #expect(events.isEmpty || events == [.commit([put("a", "1", number)], through: number)])
        try await store.close()
        #expect(try await closed.value == [.commit([put("a", "1", number)], through: number)])
    }

    @Test("a closure gets every event in order until it is cancelled, and nobody listens then", .comesToAnEnd)
    func closure() throws {
        let store = try fixture.open()
        let seen = Locked<[UInt64]>([])
        let last = DispatchSemaphore(value: 0)
        let observation = try store.observeChanges(prefix: "k".utf8) { event in
            guard case .success(.commit(_, let through)) = event else { return }
            seen.withLock { $0.append(through) }
            if through == 300 { last.signal() }
        }
        #expect(store.engine.feed.isListening)
        for number in 0..<300 { try store.put("k\(number)".utf8, "1".utf8) }
        last.wait()
        #expect(seen.withLock { $0 } == Array(1...300))
        observation.cancel()
        try waitUntil("the end of the subscription") { !store.engine.feed.isListening }
        try store.put("k".utf8, "1".utf8)
        #expect(seen.withLock { $0.count } == 300)
    }

    @Test(
        "many writers and subscribers: each sees every commit once, in one order, with its batch whole", .comesToAnEnd)
    func manyWriters() async throws {
        let store = try fixture.open()
        let (writers, commits) = (4, 200)
        let subscribers = try (0..<3).map { _ in try store.changes() }
        let orders = try await withThrowingTaskGroup(of: [[UInt8]]?.self, returning: [[[UInt8]]].self) { group in
            for writer in 0..<writers {
                group.addTask {
                    for number in 0..<commits {
                        var batch = WriteBatch()
                        for part in 0..<3 { batch.put("w\(writer) \(number) \(part)".utf8, []) }
                        try await store.write(batch)
                        if number % 50 == 0 { try await store.flush() }
                    }
                    return nil
                }
            }
            for subscriber in subscribers {
                group.addTask {
                    var keys: [[UInt8]] = []
                    var changes = subscriber.makeAsyncIterator()
                    while keys.count < writers * commits * 3,
                        case .commit(let part, let through)? = try await changes.next()
                    {
                        #expect(part.count == 3)
                        #expect(part.last?.sequence == through)
                        keys += part.map(\.key)
                    }
                    return keys
                }
            }
            var orders: [[[UInt8]]] = []
            for try await keys in group { if let keys { orders.append(keys) } }
            return orders
        }
        #expect(orders.count == 3)
        #expect(Set(orders[0]).count == writers * commits * 3)
        #expect(orders.allSatisfy { $0 == orders[0] })
    }

    @Test("a long transaction's check follows commits in the feed, and gives the subscription up", .comesToAnEnd)
    func longTransaction() throws {
        let store = try fixture.open()
        for conflicts in [true, false] {
            let transaction = store.begin()
            for number in 0..<100 { _ = try transaction.get("k\(number)".utf8) }
            try transaction.forEach(from: Array("r".utf8), to: Array("s".utf8)) { _, _ in true }
            try transaction.put("result".utf8, "1".utf8)
            try store.put("other".utf8, "1".utf8)
            if conflicts { try store.put("k77".utf8, "1".utf8) }
            #expect(StoreError.Code.of { try transaction.commit() } == (conflicts ? .conflict : nil))
            #expect(!store.engine.feed.isListening)
        }
    }
}
