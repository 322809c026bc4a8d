import Testing

@testable import Siltstone

/// Reads beside range tombstones.
struct RangeTombstoneReadTests {
    private func store(_ access: FileAccess = .mapped) throws -> KeyValueStore {
        var configuration = StoreFixture.small()
        configuration.access = access
        configuration.automaticCompaction = false
        configuration.fileSystem = InMemoryFileSystem()
        return try KeyValueStore.open(at: "/store", configuration: configuration)
    }

    private func isQuick(_ store: KeyValueStore, _ number: Int) -> Bool {
        withContiguousBytes(key(number)) { key in
            let found = store.engine.reads.pin(key)
            defer { if !found.isUnclear { store.engine.reads.unpin(found) } }
            return !found.isUnclear
        }
    }

    @Test("point reads outside of what was deleted stay on the short way, wherever the tombstones are")
    func shortWay() throws {
        let store = try store()
        for number in 0..<2000 { try store.put(key(number), Array("\(number)".utf8)) }
        try store.compact()
        #expect(try store.get(key(1)) == Array("1".utf8))
        for hundred in 0..<10 { try store.deleteRange(from: key(hundred * 100 + 50), to: key(hundred * 100 + 60)) }
        // Tombstones that the super version does not know: found out by reads, which have it replaced.
        #expect(!isQuick(store, 1))
        for _ in 0..<200 { #expect(try store.get(key(1)) == Array("1".utf8)) }
        for round in 0..<3 {
            for number in [0, 49, 60, 149, 960, 1999] {
                #expect(try store.get(key(number)) == Array("\(number)".utf8))
                #expect(isQuick(store, number), "round \(round), \(number)")
            }
            for number in [50, 59, 155, 950] {
                #expect(try store.get(key(number)) == nil)
                #expect(try !store.contains(key(number)))
            }
            try store.put(key(55), Array("again".utf8))
            #expect(try store.get(key(55)) == Array("again".utf8))
            try store.delete(key(55))
            // From the memtable to a run, and from there into the last level.
            try round == 0 ? store.flush() : store.compact()
        }
        try store.close()
    }

    @Test("a memtable with many removals of ranges is flushed long before it is full, each flush to one tombstone")
    func growingRanges() throws {
        var configuration = StoreFixture.small()
        configuration.memTableBytes = 16 << 20
        configuration.automaticCompaction = false
        configuration.fileSystem = InMemoryFileSystem()
        let store = try KeyValueStore.open(at: "/store", configuration: configuration)
        try store.put(key(2999), [1])
        // The first flush has no older data below it, and drops tombstones.
        try store.flush()
        for number in 0..<2000 {
            try store.deleteRange(from: key(0), to: key(number))
            if number % 500 == 0 { #expect(try store.get(key(2999)) == [1]) }
        }
        let waiting = store.statistics
        #expect(waiting.flushes + waiting.sealedMemTables >= 2)
        try store.flush()
        let statistics = store.statistics
        #expect(statistics.flushes >= 3)
        #expect(statistics.levels.reduce(0) { $0 + $1.tombstones } == statistics.flushes - 1)
        #expect(try store.get(key(2999)) == [1])
        try store.close()
    }

    @Test("an edit that replaces segments with removals of ranges by others leaves none of the old ones in force")
    func replacedRanges() throws {
        let store = try store()
        try store.put(key(1), [1])
        try store.flush()
        try store.deleteRange(from: key(0), to: key(5))
        try store.put(key(1), [2])
        let snapshot = store.snapshot()
        try store.put(key(7), [7])
        try store.deleteRange(from: key(6), to: key(9))
        try store.flush()
        // Drops the first range, and the number of the record that was put after it. The snapshot keeps the second range.
        try store.compact()
        #expect(store.statistics.levels.reduce(0) { $0 + $1.tombstones } == 1)
        #expect(try store.count() == 1)
        #expect(try store.get(key(1)) == [2])
        #expect(try store.get(key(7)) == nil)
        #expect(try snapshot.count() == 1)
        snapshot.release()
        try store.close()
    }

    @Test("a run that holds nothing but a range tombstone keeps no read from the short way")
    func tombstoneAlone() throws {
        let store = try store()
        for number in 0..<2000 { try store.put(key(number), Array("\(number)".utf8)) }
        try store.compact()
        try store.deleteRange(from: key(50), to: key(60))
        try store.flush()
        for number in [0, 49, 60, 1999] {
            #expect(try store.get(key(number)) == Array("\(number)".utf8))
            #expect(isQuick(store, number))
        }
        for number in 50..<60 { #expect(try store.get(key(number)) == nil) }
        try store.close()
    }

    @Test(
        "scans hand out what a range tombstone spares, from and to any key, in stretches of any length",
        arguments: [FileAccess.mapped, .read])
    func walks(_ access: FileAccess) throws {
        let store = try store(access)
        var model = StoreModel()
        var random = SeededGenerator(11)
        var snapshots: [(Snapshot, StoreModel)] = []
        func put(_ numbers: some Sequence<Int>) throws {
            for number in numbers {
                let value = random.bytes(random.index(30))
                try store.put(key(number), value)
                model[key(number)] = value
            }
        }
        func check(_ reader: some KeyValueReader, _ model: StoreModel) throws {
            for reverse in [false, true] {
                for _ in 0..<4 {
                    let from = random.chance(0.3) ? nil : key(random.index(600))
                    let to = random.chance(0.3) ? nil : key(random.index(600))
                    let limit = random.chance(0.5) ? nil : random.index(300)
                    let expected = model.scan(from: from, to: to, reverse: reverse, limit: limit)
                    let found = try reader.scan(from: from, to: to, reverse: reverse, limit: limit).remaining()
                    #expect(found == expected)
                    var inlined: [Entry] = []
                    try reader.forEach(from: from, to: to, reverse: reverse, limit: limit) { key, value in
                        inlined.append(Entry(key: key.array, value: value.array))
                        return true
                    }
                    #expect(inlined == expected)
                }
                #expect(try reader.count() == model.values.count)
            }
        }
        for round in 0..<SuiteScale.count(12, thorough: 60) {
            try put((0..<random.index(120)).map { _ in random.index(600) })
            for _ in 0..<random.index(6) {
                let start = random.index(600)
                let end = start + (random.chance(0.2) ? 200 : 1 + random.index(4))
                try store.deleteRange(from: key(start), to: key(end))
                model.deleteRange(key(start), key(end))
            }
            switch round % 7 {
            case 3: try store.flush()
            case 6: if random.chance(0.5) { try store.compact() }
            case 5: snapshots.append((store.snapshot(), model))
            default: break
            }
            if snapshots.count > 2 { snapshots.removeFirst() }
            try check(store, model)
            for (snapshot, old) in snapshots { try check(snapshot, old) }
        }
        try store.close()
    }

    @Test("segments inside of a deleted range are dropped unread, unless a snapshot is older")
    func dropping() throws {
        var configuration = StoreFixture.small()
        configuration.automaticCompaction = false
        let fixture = StoreFixture()
        var store = try fixture.open(configuration)
        for number in 0..<4000 { try store.put(key(number), [UInt8](repeating: 1, count: 100)) }
        try store.compact()
        let before = try #require(store.engine.reads.superVersions.current().version.runs.first).segments.count
        #expect(before > 5)
        let snapshot = store.snapshot()
        try store.deleteRange(from: key(0), to: key(3900))
        try store.put(key(10), [2])
        try store.flush()
        func plan() -> CompactionPlan? {
            let version = store.engine.reads.superVersions.current().version
            let oldest = store.engine.reads.snapshots.live().first ?? .greatest
            return store.engine.background.picker.pick(version, valueFileBytes: [:], oldestSnapshot: oldest)
        }
        #expect(plan()?.reason != .deletedRange)
        snapshot.release()
        let drop = try #require(plan())
        #expect(drop.reason == .deletedRange && drop.segments.count >= before - 2)
        try store.close()
        configuration.automaticCompaction = true
        store = try fixture.open(configuration)
        try store.put(key(5000), [3])
        try store.flush()
        try waitUntil("the segments are dropped") {
            store.engine.reads.superVersions.current().version.allSegments.count <= 2 + before - drop.segments.count
        }
        #expect(try store.count() == 102)
        #expect(try store.get(key(10)) == [2])
        #expect(try store.get(key(11)) == nil)
        #expect(try store.verify().problems.isEmpty)
        try store.close()
        store = try fixture.open(configuration)
        #expect(try store.count() == 102)
        try store.close()
    }

    @Test("a stretch ends where other tombstones apply, in both directions, by all sets together")
    func stretches() {
        let sets = [
            RangeTombstones([
                RangeTombstone(start: [2], end: [4], sequence: 9), RangeTombstone(start: [6], end: [8], sequence: 20),
            ]),
            RangeTombstones([RangeTombstone(start: [3], end: [5], sequence: 5)]),
        ]
        func stretch(_ place: UInt8?, _ direction: ScanDirection, _ visible: UInt64 = 10) -> [Int] {
            let place = place.map { [$0] }
            let made = { (bytes: Bytes?) in TombstoneStretch(at: bytes, direction, sets, visible: visible) }
            let stretch = if let place { withContiguousBytes(place) { made($0) } } else { made(nil) }
            return [Int(stretch.covering), stretch.end.map { Int($0[0]) } ?? -1]
        }
        #expect(stretch(nil, .forward) == [0, 2])
        #expect(stretch(2, .forward) == [9, 3])
        #expect(stretch(3, .forward) == [9, 4])
        #expect(stretch(4, .forward) == [5, 5])
        #expect(stretch(5, .forward) == [0, 6])
        #expect(stretch(7, .forward) == [0, 8], "a tombstone that is not visible removes nothing")
        #expect(stretch(7, .forward, 30) == [20, 8])
        #expect(stretch(8, .forward) == [0, -1])
        #expect(stretch(nil, .backward) == [0, 8])
        #expect(stretch(8, .backward, 30) == [20, 6])
        #expect(stretch(6, .backward) == [0, 5])
        #expect(stretch(5, .backward) == [5, 4])
        #expect(stretch(4, .backward) == [9, 3])
        #expect(stretch(3, .backward) == [9, 2])
        #expect(stretch(2, .backward) == [0, -1])
    }
}
