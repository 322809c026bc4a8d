import Dispatch
import Foundation
import SiltstoneTesting
import Testing

@testable import Siltstone

/// The feed of changes over whole histories: no change is lost, doubled or out of order, and who is not told of one is
/// told so.
struct ChangeFeedHistoryTests {
    // MARK: Reopening

    @Test(
        "a subscriber who comes back after closings, crashes and flushes is led to what the store holds", .comesToAnEnd,
        arguments: 0..<4)
    func reopening(_ number: Int) throws {
        var (events, missed) = (0, 0)
        for round in 0..<SuiteScale.count(4, thorough: 40) {
            let seed = SuiteScale.seed &+ UInt64(1000 * number + round)
            var subscriber = try Subscriber(seed: seed)
            do { for _ in 0..<25 { try subscriber.step() } } catch {
                Issue.record("\(error)\n\(SuiteScale.replay("ChangeFeedHistoryTests", seed: seed))")
                return
            }
            events += subscriber.fold.eventCount
            missed += subscriber.fold.missed
        }
        #expect(events > 100 && missed > 0)
        SuiteScale.report("feeds across openings", ["events": events, "changes missed and told so": missed])
    }

    /// One who writes to a store, and follows it through its openings.
    private struct Subscriber {
        private var fixture = StoreFixture()
        private let configuration: Configuration
        private var store: KeyValueStore
        private var random: SeededGenerator
        /// What the store held at each end of a commit.
        private var states: [UInt64: StoreModel] = [0: StoreModel()]
        private var model = StoreModel()
        private(set) var fold = FeedFold()

        init(seed: UInt64) throws {
            random = SeededGenerator(seed)
            var configuration = StoreFixture.small()
            configuration.largeValueBytes = [100, 8 << 10][random.index(2)]
            configuration.logWriting = random.chance(0.5) ? .mapped : .written
            // No file may go while it is copied.
            configuration.automaticCompaction = false
            self.configuration = configuration
            store = try fixture.open(configuration)
        }

        mutating func step() throws {
            for _ in 0..<random.index(6) { try write() }
            switch random.index(5) {
            case 0: try store.flush()
            case 1:
                try store.close()
                store = try fixture.open(configuration)
            case 2:
                // The process dies, and the next one finds its files.
                store.settle()
                fixture = try fixture.copy()
                store = try fixture.open(configuration)
            default: break
            }
            if random.chance(0.6) { try catchUp() }
        }

        private mutating func write() throws {
            let (name, value) = (key(random.index(30)), random.bytes(random.chance(0.2) ? 300 : 20))
            switch random.index(6) {
            case 0..<2:
                try store.put(name, value)
                model[name] = value
            case 2:
                try store.delete(name)
                model[name] = nil
            case 3:
                let end = key(random.index(30))
                try store.deleteRange(from: name, to: end)
                model.deleteRange(name, end)
            case 4:
                var batch = WriteBatch()
                batch.put(name, value)
                batch.delete(key(7))
                batch.put(key(8), [])
                try store.write(batch)
                model[name] = value
                model[key(7)] = nil
                model[key(8)] = []
            default:
                try store.transaction { transaction in
                    _ = try transaction.get(name)
                    try transaction.put(name, value)
                    try transaction.deleteRange(from: key(10), to: key(12))
                }
                model[name] = value
                model.deleteRange(key(10), key(12))
            }
            states[store.statistics.lastSequence] = model
        }

        /// Reads the feed from where the subscriber was. Where something is missing, it reads the store anew, as told.
        private mutating func catchUp() throws {
            let subscription = try ChangeSubscription(store, KeyRange(from: nil, to: nil), since: fold.sequence)
            var cursor = subscription.start
            while case .events(let events) = try cursor.step(store.engine.feed) {
                for event in events {
                    fold.take(event)
                    guard case .missed(_, let through) = event else { continue }
                    let state = try #require(states[through], "half a commit is missing, up to \(through)")
                    fold.resume(with: state.scan())
                }
            }
            try BrokenPromise.unless(fold.problems.isEmpty, "\(fold.problems)")
            try BrokenPromise.unless(
                fold.sequence == store.statistics.lastSequence, "the feed ends at \(fold.sequence)")
            let difference = fold.difference(from: try store.allEntries())
            try BrokenPromise.unless(difference == nil, difference ?? "")
        }
    }

    @Test("a subscriber who has seen what a crash took is told so, and gets what comes instead", .comesToAnEnd)
    func lostChanges() async throws {
        let fixture = StoreFixture()
        let store = try fixture.open()
        try await store.put("a".utf8, "1".utf8)
        let early = try fixture.copy()
        for number in 0..<5 { try await store.put("b\(number)".utf8, "1".utf8) }
        let seen = store.statistics.lastSequence
        try await store.close()

        // As if the power had failed before the last five came to the disk.
        let after = try early.open()
        let last = after.statistics.lastSequence
        #expect(last < seen)
        var changes = try after.changes(since: seen).makeAsyncIterator()
        // Without it, nothing would come at all.
        let first = try await changes.next()
        try #require(first == .missed(from: last + 1, through: seen))
        try await after.put("c".utf8, "2".utf8)
        let change = Siltstone.Change(sequence: last + 1, key: Array("c".utf8), operation: .put(Array("2".utf8)))
        #expect(try await changes.next() == .commit([change], through: last + 1))
        try await after.close()
    }

    // MARK: Races

    @Test(
        "subscribers that begin anywhere, while logs are flushed and removed, miss nothing that they are not told of",
        .comesToAnEnd)
    func racing() throws {
        let fixture = StoreFixture(InMemoryFileSystem(greatestFileSize: 2 << 30))
        var configuration = StoreFixture.small()
        configuration.fileSystem = DelayingFileSystem(fixture.fileSystem, seed: SuiteScale.seed)
        let store = try KeyValueStore.open(at: fixture.path, configuration: configuration)
        let (working, beside, isOn) = (DispatchGroup(), DispatchGroup(), Locked(true))
        let everything = Locked<[UInt64: ChangeEvent]>([:])
        let observation = try store.observeChanges { event in
            if case .success(.commit(let changes, let through)) = event {
                everything.withLock { $0[through] = .commit(changes, through: through) }
            }
        }
        let boundaries = Locked<[UInt64]>([0])
        for thread in 0..<3 {
            Thread.detachNewThread(in: working) {
                var random = SeededGenerator(SuiteScale.seed &+ UInt64(thread))
                for number in 0..<SuiteScale.count(150, thorough: 1000) {
                    var batch = WriteBatch()
                    for part in 0...random.index(3) {
                        batch.put("t\(thread) \(number % 50) \(part)".utf8, random.bytes(100 + random.index(300)))
                    }
                    do {
                        let last = try store.write(batch)
                        boundaries.withLock { $0.append(last) }
                        if number % 25 == 24 { try store.flush() }
                    } catch { Issue.record("\(error)") }
                }
            }
        }
        let seen = Locked<[(events: [ChangeEvent], problems: [String], late: Int)]>([])
        for thread in 10..<12 {
            Thread.detachNewThread(in: beside) {
                var random = SeededGenerator(SuiteScale.seed &+ UInt64(thread))
                while isOn.withLock({ $0 }) {
                    let since = boundaries.withLock { list in
                        list[list.count - 1 - random.index(min(list.count, random.chance(0.7) ? 40 : list.count))]
                    }
                    do { let part = try Self.follow(store, since: since); seen.withLock { $0.append(part) } } catch {
                        Issue.record("\(error)")
                    }
                }
            }
        }
        working.wait()
        isOn.withLock { $0 = false }
        beside.wait()
        let end = store.statistics.lastSequence
        try waitUntil("the feed") { everything.withLock { $0[end] != nil } }
        observation.cancel()
        let (all, parts) = (everything.withLock { $0 }, seen.withLock { $0 })
        for problem in parts.flatMap(\.problems).prefix(3) { Issue.record("\(problem)") }
        #expect(parts.allSatisfy { $0.late == 0 }, "changes in memory are told to be missing")
        let commits = parts.flatMap(\.events)
        let isRight = commits.allSatisfy { event in
            guard case .commit(_, let through) = event else { return true }
            return all[through] == event
        }
        #expect(isRight, "a commit looks different to one who came later")
        let missing = commits.count { if case .missed = $0 { true } else { false } }
        #expect(missing > 0 && commits.count > 1000)
        SuiteScale.report("racing subscribers", ["feeds": parts.count, "events": commits.count, "gaps told": missing])
        try store.close()
    }

    /// What a subscriber sees until nothing is new, and how many changes are reported as missed that no flush has taken.
    private static func follow(
        _ store: KeyValueStore, since: UInt64
    ) throws -> (events: [ChangeEvent], problems: [String], late: Int) {
        let subscription = try ChangeSubscription(store, KeyRange(from: nil, to: nil), since: since)
        var (cursor, fold, all, last) = (subscription.start, FeedFold(sequence: since), [ChangeEvent](), UInt64(0))
        while case .events(let events) = try cursor.step(store.engine.feed) {
            for event in events {
                fold.take(event)
                all.append(event)
                if case .missed(_, let through) = event { last = through }
            }
        }
        let flushed = store.engine.writes.lock.withLock { store.engine.writes.state.flushedSequence }
        return (all, fold.problems, last > flushed ? Int(last - flushed) : 0)
    }

    // MARK: Slow subscribers

    @Test("writers do not wait for a subscriber that stands still, whose gap is told when it goes on", .comesToAnEnd)
    func standstill() throws {
        var configuration = StoreFixture.small()
        configuration.changeFeedBytes = 64 << 10
        let store = try StoreFixture().open(configuration)
        let (begun, goOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let (fold, isFirst) = (Locked(FeedFold()), Locked(true))
        let observation = try store.observeChanges { event in
            if isFirst.withLock({ isFirst in
                defer { isFirst = false }; return isFirst
            }) {
                begun.signal()
                goOn.wait()
            }
            if case .success(let event) = event { fold.withLock { $0.take(event) } }
        }
        // One that never reads.
        let idle = try store.changes()
        try store.put("first".utf8, [])
        begun.wait()
        // Comes to its end though nobody takes anything out of the feed.
        for number in 0..<1500 { try store.put("key \(number % 100)".utf8, [UInt8](repeating: 1, count: 200)) }
        goOn.signal()
        let end = store.statistics.lastSequence
        try waitUntil("the feed") { fold.withLock { $0.sequence == end } }
        let (problems, missed) = fold.withLock { ($0.problems, $0.missed) }
        #expect(problems.isEmpty)
        #expect(missed > 500)
        observation.cancel()
        withExtendedLifetime(idle) {}
    }

    @Test(
        "nothing is kept of subscribers that have gone, in whichever order they were cancelled and given up",
        .comesToAnEnd)
    func forgetting() async throws {
        let store = try StoreFixture().open()
        for number in 0..<20 {
            let observation = try store.observeChanges { _ in }
            if number % 2 == 0 { try await store.put("a".utf8, []) }
            observation.cancel()
            if number % 4 == 0 { observation.cancel() }
            let changes = try store.changes()
            let task = Task { for try await _ in changes { return } }
            if number % 3 == 0 { task.cancel() } else { try await store.put("b".utf8, []) }
            try await task.value
        }
        try waitForEnd(store)
    }

    private func waitForEnd(_ store: KeyValueStore) throws {
        try waitUntil("the end of all subscriptions") {
            !store.engine.feed.isListening && store.engine.feed.rememberedWaits == 0
        }
    }
}

extension ChangeFeed {
    /// Number of waits of which something is left.
    fileprivate var rememberedWaits: Int {
        state.withLock { $0.waiterIDs.union($0.cancelled).union($0.waiters.keys).count }
    }
}
