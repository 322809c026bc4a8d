import Testing

@testable import Siltstone

struct SegmentRoundTripTests {
    static let shapes: [(SegmentOptions, FileAccess)] = [
        (SegmentOptions(), .mapped), (SegmentOptions(), .read),
        (SegmentOptions(blockBytes: 4096), .mapped), (SegmentOptions(blockBytes: 4096), .read),
        (SegmentOptions(blockBytes: 4096, compression: .deflate(level: 1)), .mapped),
        (SegmentOptions(blockBytes: 65536, compression: .deflate(level: 9)), .read),
        // As older releases have written them.
        (SegmentOptions(blockBytes: 4096, blockLayout: .plain), .mapped),
        (SegmentOptions(compression: .deflate(level: 6), blockLayout: .plain), .read),
    ]

    @Test("All versions come back in order, and a lookup finds the newest that is visible", arguments: shapes.indices)
    func roundTrip(shape: Int) throws {
        let (options, access) = Self.shapes[shape]
        let fixture = try SegmentFixture(RandomRecords.make(1500, seed: UInt64(shape)), options: options)
        let reader = try fixture.open(access, cache: BlockCache(capacity: 100_000))
        #expect(reader.info == fixture.info)
        var cursor = SegmentCursor(reader)
        try cursor.seek(nil)
        #expect(try cursor.rest(nil, limit: 64) == fixture.records)

        var generator = SeededGenerator(99)
        for record in fixture.records {
            #expect(try reader.lookup(record.key) == fixture.newest(record.key, visible: .greatest))
            #expect(try reader.lookup(record.key, visible: record.sequence) == record)
            let visible = UInt64.random(in: 0...250_000, using: &generator)
            #expect(try reader.lookup(record.key, visible: visible) == fixture.newest(record.key, visible: visible))
            let missing = record.key + [7]
            #expect(try reader.lookup(missing) == nil)
        }
        #expect(try reader.verify() == [])
    }

    @Test("Seeks and scans agree with a sorted model in both directions at any visibility", arguments: shapes.indices)
    func scans(shape: Int) throws {
        let (options, access) = Self.shapes[shape]
        let fixture = try SegmentFixture(RandomRecords.make(1000, seed: UInt64(shape) + 50), options: options)
        let reader = try fixture.open(access, cache: BlockCache(capacity: 50_000))
        var generator = SeededGenerator(UInt64(shape))
        var cursor = SegmentCursor(reader)
        for round in 0..<40 {
            let visible = round == 0 ? SequenceNumber.greatest : UInt64.random(in: 0...160_000, using: &generator)
            let model = fixture.visible(visible)
            let limit = [1, 3, 64, 1000].randomElement(using: &generator) ?? 1
            var key = fixture.records.randomElement(using: &generator)?.key
            if round % 3 == 1 { key?.append(UInt8.random(in: 0...255, using: &generator)) }
            if round % 7 == 2 { key = nil }
            try cursor.seek(key, backward: false)
            #expect(try cursor.rest(visible, limit: limit) == model.filter { !precedes($0.key, key) })
            try cursor.seek(key, backward: true)
            let before = model.filter { key == nil || precedes($0.key, key) }
            #expect(try cursor.restBackward(visible, limit: limit) == before.reversed())
        }
    }

    /// Whether `key` comes before `bound`; no bound is the start.
    private func precedes(_ key: [UInt8], _ bound: [UInt8]?) -> Bool {
        bound.map { key.precedes($0) } ?? false
    }
}
