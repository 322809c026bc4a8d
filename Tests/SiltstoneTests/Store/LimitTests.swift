import Testing

@testable import Siltstone

struct LimitTests {
    @Test("a key of 64 KiB goes in and one byte more is refused, with nothing changed")
    func keys() throws {
        let store = try StoreFixture().open()
        let greatest = [UInt8](repeating: 7, count: Limits.keyBytes)
        try store.put(greatest, "value".utf8)
        try store.flush()
        #expect(try store.get(greatest) == Array("value".utf8))
        let tooLong = greatest + [7]
        #expect(StoreError.Code.of { try store.put(tooLong, "value".utf8) } == .tooLarge)
        #expect(StoreError.Code.of { try store.delete(tooLong) } == .tooLarge)
        #expect(StoreError.Code.of { try store.deleteRange(from: [1], to: tooLong) } == .tooLarge)
        #expect(StoreError.Code.of { try store.insert(tooLong, [1]) } == .tooLarge)
        var batch = WriteBatch()
        batch.put("other".utf8, "value".utf8)
        batch.put(tooLong, "value".utf8)
        #expect(StoreError.Code.of { try store.write(batch) } == .tooLarge)
        #expect(try store.get(tooLong) == nil)
        #expect(try store.allEntries().count == 1)
        try store.close()
    }

    @Test("empty keys and empty values are keys and values", arguments: [false, true])
    func empty(_ flushing: Bool) throws {
        let fixture = StoreFixture()
        var store = try fixture.open()
        try store.put([UInt8](), [UInt8]())
        try store.put([0], [UInt8]())
        if flushing { try store.flush() }
        #expect(try store.get([UInt8]()) == [])
        #expect(try store.contains([UInt8]()))
        #expect(try store.allEntries() == [Entry(key: [], value: []), Entry(key: [0], value: [])])
        #expect(try store.scan(to: []).remaining().isEmpty)
        #expect(try store.scan(from: [], to: [0]).remaining().count == 1)
        try store.close()
        store = try fixture.open()
        #expect(try store.allEntries().count == 2)
        try store.deleteRange(from: [UInt8](), to: [0])
        #expect(try store.allEntries() == [Entry(key: [0], value: [])])
        try store.close()
    }

    @Test("a batch many times the size of a memtable goes in as one, and comes back as one")
    func greatBatch() throws {
        let fixture = StoreFixture()
        var store = try fixture.open()
        try store.put("before".utf8, [1])
        var batch = WriteBatch()
        for number in 0..<20_000 { batch.put(key(number), key(number)) }
        #expect(batch.byteCount > 4 * (64 << 10))
        try store.write(batch)
        try store.put("zafter".utf8, [1])
        #expect(try store.allEntries().count == 20_002)
        let copy = try fixture.copy().open()
        #expect(try copy.allEntries().count == 20_002)
        try copy.close()
        try store.close()
        store = try fixture.open()
        #expect(try store.allEntries().count == 20_002)
        try store.close()
    }

    @Test("a log of very many very small changes is read back, though they need more memory than log")
    func smallChanges() throws {
        let fixture = StoreFixture()
        var configuration = StoreFixture.small()
        configuration.memTableBytes = 16 << 20
        // A flush while the files are copied would leave the log that the copied manifest names.
        configuration.tidiesWhenIdle = false
        let store = try fixture.open(configuration)
        var batch = WriteBatch()
        for number in 0..<40_000 as Range<UInt32> { batch.delete(withUnsafeBytes(of: number.bigEndian) { Array($0) }) }
        for _ in 0..<3 { try store.write(batch) }
        let copy = try fixture.copy().open()
        #expect(copy.statistics.lastSequence == 120_000)
        try copy.close()
        try store.close()
    }

    @Test("values of every size around the border to value files come back, also after opening again")
    func valueSizes() throws {
        let fixture = try StoreFixture(onDisk: ())
        var configuration = StoreFixture.small()
        configuration.largeValueBytes = 4096
        var store = try fixture.open(configuration)
        let sizes = [0, 1, 4095, 4096, 4097, 65_535, 65_536, 70_000, 300_000, 3 << 20]
        func value(_ size: Int) -> [UInt8] {
            [UInt8](count: size) { UInt8(truncatingIfNeeded: $0 &* 31 &+ size) }
        }
        for size in sizes { try store.put(key(size), value(size)) }
        for round in 0..<3 {
            for size in sizes { #expect(try store.get(key(size)) == value(size), "size \(size), round \(round)") }
            if round == 0 { try store.flush() }
            if round == 1 {
                try store.close()
                store = try fixture.open(configuration)
            }
        }
        try store.close()
    }

    @Test("configurations that make no sense are refused")
    func configurations() {
        let changes: [(inout Configuration) -> Void] = [
            { $0.memTableBytes = 1 }, { $0.segmentBytes = 0 }, { $0.blockBytes = 5000 }, { $0.blockBytes = 1 << 20 },
            { $0.largeValueBytes = 0 }, { $0.cacheBytes = -1 }, { $0.compression = .deflate(level: 10) },
            { $0.valueFileBytes = 0 },
        ]
        for change in changes {
            var configuration = Configuration()
            change(&configuration)
            #expect(StoreError.Code.of { try KeyValueStore.inMemory(configuration: configuration) } == .invalidArgument)
        }
    }
}
