import Testing

@testable import Siltstone

/// What compactions drop, what they keep, and where things end up.
struct CompactionTests {
    @Test("what is overwritten five times and compacted takes hardly more than its bytes")
    func space() throws {
        let fixture = try StoreFixture(onDisk: ())
        var configuration = Configuration()
        configuration.durability = .buffered
        let scale = SuiteScale.count(1, thorough: 16)
        configuration.memTableBytes = scale << 18
        configuration.segmentBytes = scale << 19
        let store = try fixture.open(configuration)
        let count = 12_500 * scale
        var random = SeededGenerator(1)
        for _ in 0..<5 {
            var batch = WriteBatch()
            let value = random.bytes(100)
            for number in 0..<count {
                // 16 bytes: as many as the keys of the benchmarks of the field.
                batch.put(Array("0000".utf8) + key(number), value)
                if batch.count == 1000 {
                    try store.write(batch)
                    batch.removeAll()
                }
            }
        }
        try store.compact()
        try store.close()
        #expect(Double(try fixture.totalBytes()) <= 1.15 * Double(count * 116))
    }

    @Test("values that only memtables refer to are not taken for garbage")
    func unflushedValues() throws {
        var configuration = StoreFixture.small()
        configuration.largeValueBytes = 1000
        configuration.automaticCompaction = false
        configuration.valueFileBytes = 1 << 20
        let store = try StoreFixture().open(configuration)
        for number in 0..<50 { try store.put(key(number), [UInt8](repeating: 1, count: 5000)) }
        #expect(store.statistics.valueFiles == 1 && store.engine.writes.flushedValueFiles().isEmpty)
        try store.flush()
        #expect(store.engine.writes.flushedValueFiles().count == 1)
        try store.close()
    }

    @Test("where everything was deleted, nearly nothing is left", arguments: [false, true])
    func deleted(_ byRange: Bool) throws {
        let fixture = StoreFixture()
        var configuration = StoreFixture.small()
        configuration.largeValueBytes = 1000
        let store = try fixture.open(configuration)
        for number in 0..<5000 {
            try store.put(key(number), [UInt8](repeating: 1, count: number % 50 == 0 ? 2000 : 100))
        }
        if byRange {
            try store.deleteRange(from: [], to: [0xff])
        } else {
            for number in 0..<5000 { try store.delete(key(number)) }
        }
        try store.compact()
        #expect(store.statistics.segmentRecords == 0)
        #expect(store.statistics.levels.allSatisfy { $0.segments == 0 })
        try store.close()
        #expect(try fixture.names(ending: ".segment").isEmpty)
        #expect(try fixture.names(ending: ".values").count <= 1)
        #expect(try fixture.totalBytes() < 128 << 10)
        #expect(try fixture.open(configuration).allEntries().isEmpty)
    }

    @Test("value files that hold garbage give their space back, by themselves too", arguments: [false, true])
    func valueGarbage(_ asked: Bool) throws {
        let fixture = StoreFixture()
        var configuration = StoreFixture.small()
        configuration.largeValueBytes = 1000
        let store = try fixture.open(configuration)
        var random = SeededGenerator(3)
        var model = StoreModel()
        for step in 0..<2500 {
            let (name, value) = (key(random.index(100)), random.bytes(2000))
            try store.put(name, value)
            model[name] = value
            // Fillers, so that memtables are flushed.
            if step % 3 == 0 { try store.put(key(1000 + step % 500), random.bytes(500)) }
        }
        for filler in 0..<500 { try store.delete(key(1000 + filler)) }
        let live = 100 * 2048
        try store.flush()
        if asked { try store.compact() }
        // Unasked, what level 0 hides is collected when its merge costs less than the values do.
        try waitUntil("garbage is collected") { store.statistics.valueFileBytes < (asked ? 2 : 3) * live }
        #expect(try store.allEntries() == model.scan())
        #expect(try store.verify().problems == [])
        try store.close()
        #expect(try fixture.open(configuration).allEntries() == model.scan())
    }

    @Test("the value file that takes new values is not collected, though nothing refers to any of it")
    func valueFileInUse() throws {
        let fixture = StoreFixture()
        var configuration = StoreFixture.small()
        configuration.largeValueBytes = 1000
        configuration.automaticCompaction = false
        let store = try fixture.open(configuration)
        try store.put(key(1), [UInt8](repeating: 1, count: 2000))
        try store.delete(key(1))
        try store.flush()
        try store.engine.background.collectValueFiles()
        try store.put(key(2), [UInt8](repeating: 2, count: 2000))
        #expect(try store.get(key(2)) == [UInt8](repeating: 2, count: 2000))
        try store.close()
        let again = try fixture.open(configuration)
        #expect(try again.get(key(2)) == [UInt8](repeating: 2, count: 2000))
        try again.close()
    }

    @Test("a snapshot keeps what it sees, and once it is released compaction drops it")
    func snapshots() throws {
        let store = try StoreFixture().open()
        for number in 0..<1000 { try store.put(key(number), [UInt8](repeating: 1, count: 100)) }
        let snapshot = store.snapshot()
        for _ in 0..<3 {
            for number in 0..<1000 { try store.put(key(number), [UInt8](repeating: 2, count: 100)) }
        }
        try store.deleteRange(from: key(0), to: key(500))
        try store.compact()
        // One version for the snapshot and one for now, no more.
        #expect(store.statistics.segmentRecords == 1500)
        #expect(try snapshot.scan().remaining().count == 1000)
        #expect(try snapshot.get(key(7)) == [UInt8](repeating: 1, count: 100))
        #expect(try store.allEntries().count == 500)
        snapshot.release()
        try store.compact()
        #expect(store.statistics.segmentRecords == 500)
        #expect(store.statistics.levels.reduce(0) { $0 + $1.tombstones } == 0)
        try store.close()
    }

    @Test("tombstones stay as long as something older lies below, and go at the bottom")
    func tombstones() throws {
        let fixture = StoreFixture()
        var configuration = StoreFixture.small()
        configuration.automaticCompaction = false
        let store = try fixture.open(configuration)
        for number in 0..<1000 { try store.put(key(number), [1]) }
        try store.compact()
        try store.delete(key(5))
        try store.deleteRange(from: key(10), to: key(20))
        try store.flush()
        #expect(store.statistics.levels[0].tombstones == 2)
        #expect(try store.get(key(5)) == nil)
        #expect(try store.get(key(15)) == nil)
        #expect(try store.allEntries().count == 989)
        try store.compact()
        #expect(store.statistics.levels.reduce(0) { $0 + $1.tombstones } == 0)
        #expect(try store.allEntries().count == 989)
        try store.close()
    }

    @Test(
        "range tombstones hold across segments and levels, for point reads, scans both ways and after compactions",
        arguments: 1..<4 as Range<UInt64>)
    func rangeTombstones(_ seed: UInt64) throws {
        let fixture = StoreFixture()
        let store = try fixture.open()
        var random = SeededGenerator(seed)
        var model = StoreModel()
        // Wide enough for several levels of several segments.
        for _ in 0..<60 {
            let start = random.index(8000)
            for number in start..<(start + 200) {
                let value = random.bytes(60)
                try store.put(key(number), value)
                model[key(number)] = value
            }
            let (from, length) = (random.index(8000), random.index(1500))
            try store.deleteRange(from: key(from), to: key(from + length))
            model.deleteRange(key(from), key(from + length))
            if random.chance(0.3) { try store.flush() }
            if random.chance(0.1) { try store.compact(from: key(from), to: key(from + length)) }
        }
        for _ in 0..<2 {
            let entries = model.scan()
            #expect(try store.allEntries() == entries)
            #expect(try store.scan(reverse: true).remaining() == entries.reversed())
            for number in stride(from: 0, to: 9500, by: 7) { #expect(try store.get(key(number)) == model[key(number)]) }
            try store.compact()
        }
        #expect(store.statistics.segmentRecords == model.values.count)
        try store.close()
    }

    @Test("random loads settle in several levels, each within its bound, and few runs to ask")
    func levels() throws {
        let fixture = StoreFixture()
        let store = try fixture.open()
        var random = SeededGenerator(9)
        for _ in 0..<40_000 { try store.put(key(random.index(1_000_000)), random.bytes(80)) }
        try store.flush()
        try waitUntil("compactions are done") {
            let levels = store.statistics.levels
            return levels[0].runs < 4 && levels.dropFirst().allSatisfy { $0.bytes <= $0.limitBytes }
        }
        let levels = store.statistics.levels
        #expect(levels.count >= 3)
        #expect(levels.dropFirst().allSatisfy { $0.runs <= 1 })
        #expect(store.statistics.readAmplification <= 8)
        #expect(try store.verify().problems == [])
        let count = try store.allEntries().count
        try store.close()
        #expect(try fixture.open().allEntries().count == count)
    }

    @Test("a sequential load is not rewritten")
    func sequential() throws {
        let store = try StoreFixture().open()
        for number in 0..<20_000 { try store.put(key(number), [UInt8](repeating: 1, count: 80)) }
        try store.flush()
        try waitUntil("compactions are done") { store.statistics.levels[0].runs < 4 }
        let statistics = store.statistics
        #expect(statistics.trivialMoves > 0)
        #expect(statistics.compactionBytesWritten == 0)
        #expect(try store.allEntries().count == 20_000)
        try store.close()
    }

    @Test("a queue that is filled and emptied does not grow")
    func queue() throws {
        let fixture = StoreFixture()
        let store = try fixture.open()
        for number in 0..<30_000 {
            try store.put(key(number), [UInt8](repeating: 1, count: 80))
            if number >= 100 { try store.delete(key(number - 100)) }
        }
        try store.flush()
        try waitUntil("compactions are done") { store.statistics.segmentRecords < 12_000 }
        #expect(try store.allEntries().count == 100)
        try store.close()
    }
}
