import Dispatch
import Foundation
import Testing

@testable import Siltstone

/// Stores whose first entries are deleted again and again.
struct DeletedRangeCacheTests {
    fileprivate static func key(_ index: Int) -> [UInt8] {
        [UInt8(index >> 16), UInt8(index >> 8 & 255), UInt8(index & 255)]
    }

    private static func index(_ key: [UInt8]) -> Int { key.reduce(0) { $0 << 8 | Int($1) } }

    private static func number(_ key: RawSpan) -> Int { key.withBytes { index([UInt8]($0)) } }

    private func head(_ store: KeyValueStore, from: [UInt8]? = nil) throws -> Int? {
        var head: Int?
        try store.forEach(from: from, limit: 1) { key, _ in
            head = Self.number(key)
            return true
        }
        return head
    }

    /// Nothing is merged, so that what was deleted stays.
    private func configuration() -> Configuration {
        var configuration = Configuration()
        configuration.tidiesWhenIdle = false
        configuration.automaticCompaction = false
        return configuration
    }

    /// A store with so many keys, without the first of them.
    private func queue(_ count: Int, deleted: Int) throws -> KeyValueStore {
        let store = try KeyValueStore.inMemory(configuration: configuration())
        for index in 0..<count { try store.put(Self.key(index), [1]) }
        for index in 0..<deleted { try store.delete(Self.key(index)) }
        return store
    }

    /// Where a scan from some key begins that sees all.
    private func begin(_ store: KeyValueStore, from key: [UInt8] = []) -> [UInt8]? {
        store.engine.scans.deletedRanges.end(from: key, .forward, seen: .greatest)
    }

    @Test(
        "the second scan begins where the first has found the first entry, and both directions skip it from anywhere",
        .comesToAnEnd)
    func learns() throws {
        let store = try queue(1000, deleted: 500)
        #expect(begin(store) == nil)
        #expect(try head(store) == 500)
        #expect(begin(store) == Self.key(499) + [0])
        for index in 500..<900 {
            try store.delete(Self.key(index))
            #expect(try head(store) == index + 1)
        }
        let known = try #require(begin(store))
        #expect(Self.key(880).precedes(known))
        // From the middle, by a cursor, and up to some key.
        #expect(try head(store, from: Self.key(700)) == 900)
        #expect(try store.scan(from: Self.key(3), to: Self.key(902)).next()?.key == Self.key(900))
        #expect(try store.scan(from: Self.key(3), to: Self.key(800)).next() == nil)
        let passed = store.engine.scans.deletedRanges.passedCount
        #expect(try store.scan(to: Self.key(890), reverse: true).next() == nil)
        #expect(store.engine.scans.deletedRanges.passedCount <= passed + 64)
        // What a flush or a compaction drops needs no range.
        try store.flush()
        #expect(!store.engine.scans.deletedRanges.hasRanges)
        try store.close()
    }

    @Test("a scan skips what is known behind where it began, though not beyond its end", .comesToAnEnd)
    func leaps() throws {
        let store = try queue(1000, deleted: 500)
        for _ in 0..<3 { #expect(try head(store) == 500) }
        try store.put(Self.key(100), [2])
        let snapshot = store.snapshot()
        try store.delete(Self.key(100))
        #expect(try store.scan(to: Self.key(99)).next() == nil)
        #expect(try store.scan(to: Self.key(300)).next() == nil)
        #expect(try store.scan(to: Self.key(501)).next()?.key == Self.key(500))
        #expect(try store.scan(from: Self.key(50), limit: 3).remaining().map(\.key) == (500..<503).map(Self.key))
        #expect(try snapshot.scan().next()?.key == Self.key(100))
        #expect(try snapshot.scan(from: Self.key(101)).next()?.key == Self.key(500))
        try store.close()
    }

    @Test("an empty store is known to be, until something is put", .comesToAnEnd, arguments: [false, true])
    func drained(inBatch: Bool) throws {
        let store = try queue(300, deleted: 300)
        for _ in 0..<3 { #expect(try head(store) == nil) }
        #expect(begin(store) == Self.key(299) + [0])
        for index in [299, 150, 0, 299, 4000] {
            if inBatch {
                var batch = WriteBatch()
                batch.put(Self.key(5000), [])
                batch.put(Self.key(index), [2])
                batch.delete(Self.key(5000))
                try store.write(batch)
            } else {
                try store.put(Self.key(index), [2])
            }
            for _ in 0..<3 { #expect(try head(store) == index) }
            try store.delete(Self.key(index))
            for _ in 0..<3 { #expect(try head(store) == nil) }
        }
        try store.put(Self.key(17), [UInt8](repeating: 3, count: store.engine.directory.configuration.largeValueBytes))
        #expect(try head(store) == 17)
        try store.close()
    }

    @Test("a snapshot from before the deletes sees what they removed, one from between its own", .comesToAnEnd)
    func snapshots() throws {
        let store = try queue(1000, deleted: 0)
        let before = store.snapshot()
        for index in 0..<400 { try store.delete(Self.key(index)) }
        let between = store.snapshot()
        for index in 400..<800 { try store.delete(Self.key(index)) }
        for _ in 0..<3 { #expect(try head(store) == 800) }
        #expect(try before.scan().next()?.key == Self.key(0))
        #expect(try between.scan().next()?.key == Self.key(400))
        for _ in 0..<3 { #expect(try between.scan(from: Self.key(2)).next()?.key == Self.key(400)) }
        #expect(try before.scan().next()?.key == Self.key(0))
        try store.put(Self.key(7), [])
        #expect(try head(store) == 7)
        #expect(try between.scan().next()?.key == Self.key(400))
        try store.close()
    }

    @Test("what a snapshot finds deleted, and was put since, is not taken for empty", .comesToAnEnd)
    func olderWalks() throws {
        let store = try queue(1000, deleted: 500)
        let snapshot = store.snapshot()
        try store.put(Self.key(100), [])
        #expect(try head(store) == 100)
        #expect(store.engine.scans.deletedRanges.hasRanges)
        for _ in 0..<3 { #expect(try snapshot.scan().next()?.key == Self.key(500)) }
        #expect(try head(store) == 100)
        try store.close()
    }

    @Test("entries removed by a range are passed once, too", .comesToAnEnd)
    func rangeTombstones() throws {
        let store = try queue(1000, deleted: 0)
        try store.deleteRange(from: Self.key(0), to: Self.key(600))
        for _ in 0..<3 { #expect(try head(store) == 600) }
        #expect(begin(store) == Self.key(599) + [0])
        try store.put(Self.key(20), [])
        #expect(try head(store) == 20)
        try store.close()
    }

    /// One step of a history in which long rows of neighbours are deleted.
    private struct History {
        var random: SeededGenerator
        let store: KeyValueStore
        var model = StoreModel()
        var held: [(snapshot: Snapshot, model: StoreModel)] = []
        static let keys = 600

        mutating func change() throws {
            let at = random.index(Self.keys)
            switch random.index(20) {
            case 0..<5:
                // Where the next scans begin, too: keys that are put there must be seen.
                let near = random.chance(0.5) ? random.index(Self.keys) : random.index(1 + at / 8)
                try put(near)
            case 5..<9:
                for index in at..<min(Self.keys, at + random.index(200)) {
                    try store.delete(key(index))
                    model[key(index)] = nil
                }
            case 9:
                let end = at + random.index(200)
                try store.deleteRange(from: key(at), to: key(end))
                model.deleteRange(key(at), key(end))
            case 10:
                for index in at..<min(Self.keys, at + random.index(100)) { try put(index) }
            case 11:
                var batch = WriteBatch()
                for _ in 0..<random.index(8) {
                    let index = random.index(Self.keys)
                    batch.put(key(index), [9])
                    model[key(index)] = [9]
                }
                try store.write(batch)
            case 12:
                if held.count > 3 { held.removeFirst() }
                held.append((store.snapshot(), model))
            case 13:
                if random.chance(0.1) { try store.flush() }
                if random.chance(0.05) { try store.compact() }
            default: try look()
            }
        }

        private mutating func put(_ index: Int) throws {
            let value = random.bytes(random.chance(0.1) ? 100 : 3)
            try store.put(key(index), value)
            model[key(index)] = value
        }

        /// The same scan some times, so that what one learns is used by the next.
        mutating func look() throws {
            let from = random.chance(0.4) ? nil : key(random.index(Self.keys) / (random.chance(0.5) ? 1 : 100))
            let to = random.chance(0.7) ? nil : key(random.index(Self.keys))
            let limit = random.chance(0.8) ? 1 + random.index(3) : 200
            let reverse = random.chance(0.4)
            for _ in 0...random.index(4) {
                let found = try store.scan(from: from, to: to, reverse: reverse, limit: limit).remaining()
                #expect(found == model.scan(from: from, to: to, reverse: reverse, limit: limit))
            }
            for (snapshot, model) in held {
                let found = try snapshot.scan(from: from, to: to, reverse: reverse, limit: limit).remaining()
                #expect(found == model.scan(from: from, to: to, reverse: reverse, limit: limit))
            }
        }

        private func key(_ index: Int) -> [UInt8] { DeletedRangeCacheTests.key(index) }
    }

    @Test(
        "any history with rows of deletes reads as in a sorted dictionary, in the store and in snapshots",
        arguments: 0..<SuiteScale.count(UInt64(4), thorough: 4, long: 200))
    func histories(_ seed: UInt64) throws {
        var configuration = StoreFixture.small()
        configuration.automaticCompaction = seed % 2 == 1
        configuration.tidiesWhenIdle = seed % 4 == 3
        configuration.largeValueBytes = 64
        let store = try KeyValueStore.inMemory(configuration: configuration)
        var history = History(random: SeededGenerator(SuiteScale.seed ^ seed), store: store)
        for _ in 0..<SuiteScale.count(300, thorough: 2_000) { try history.change() }
        history.held = []
        try store.close()
    }

    @Test("beside a producer, keys come out in their order, none is passed over", .comesToAnEnd)
    func order() throws {
        let store = try queue(200, deleted: 200)
        let count = 5000
        let producer = DispatchGroup()
        Thread.detachNewThread(in: producer) {
            do {
                for index in 0..<count { try store.put(Self.key(1000 + index), [1]) }
            } catch { Issue.record(error) }
        }
        var next = 0
        while next < count {
            guard let head = try self.head(store) else { continue }
            guard head == 1000 + next else {
                Issue.record("after \(next) keys, \(head) came")
                break
            }
            try store.delete(Self.key(head))
            next += 1
        }
        producer.wait()
        #expect(try head(store) == nil)
        try store.close()
    }

    @Test(
        "what is put before the head, by others, is at once the head for those who put it, and comes out", .comesToAnEnd
    )
    func pushedInFront() throws {
        let store = try queue(8000, deleted: 1000)
        let (consumers, pushers) = (DispatchGroup(), DispatchGroup())
        let going = Locked(true)
        for _ in 0..<2 {
            Thread.detachNewThread(in: consumers) {
                do {
                    while going.withLock({ $0 }), let head = try self.head(store) { try store.delete(Self.key(head)) }
                } catch { Issue.record(error) }
            }
        }
        for pusher in 0..<2 {
            Thread.detachNewThread(in: pushers) {
                do {
                    var random = SeededGenerator(UInt64(pusher))
                    for _ in 0..<1000 {
                        let index = random.index(1000)
                        try store.put(Self.key(index), [1])
                        let head = try self.head(store, from: random.chance(0.5) ? nil : Self.key(index))
                        // Or a consumer was there already, or has even deleted what the other one has put since.
                        if head ?? .max > index, try store.get(Self.key(index)) != nil,
                            try self.head(store) ?? .max > index, try store.get(Self.key(index)) != nil
                        {
                            Issue.record("\(index) is there, and not found by a scan")
                        }
                    }
                } catch { Issue.record(error) }
            }
        }
        pushers.wait()
        going.withLock { $0 = false }
        consumers.wait()
        while let head = try head(store) { try store.delete(Self.key(head)) }
        for index in 0..<8000 where try store.contains(Self.key(index)) { Issue.record("\(index) was never found") }
        try store.close()
    }
}
