import Testing

@testable import Siltstone

struct SegmentShapeTests {
    private func check(_ fixture: SegmentFixture, sourceLocation: SourceLocation = #_sourceLocation) throws {
        for access in [FileAccess.mapped, .read] {
            let reader = try fixture.open(access, cache: BlockCache(capacity: 1 << 20))
            var cursor = SegmentCursor(reader)
            try cursor.seek(nil)
            #expect(try cursor.rest(nil, limit: 7) == fixture.records, sourceLocation: sourceLocation)
            try cursor.seek(nil, .backward)
            let newest = fixture.visible(.greatest)
            #expect(
                try cursor.restBackward(.greatest, limit: 7) == newest.reversed(), sourceLocation: sourceLocation)
            for record in newest { #expect(try reader.lookup(record.key) == record, sourceLocation: sourceLocation) }
            #expect(try reader.verify() == [], sourceLocation: sourceLocation)
        }
    }

    @Test("A segment with nothing in it is read as such")
    func empty() throws {
        let fixture = try SegmentFixture([])
        try check(fixture)
        #expect(try fixture.open().lookup([1]) == nil)
        #expect(fixture.info.recordCount == 0)
    }

    @Test("A segment may hold range tombstones alone, and its keys span them")
    func rangesOnly() throws {
        let ranges = [
            RangeTombstone(start: [5], end: [9], sequence: 3), RangeTombstone(start: [2], end: [3], sequence: 8),
        ]
        let fixture = try SegmentFixture([], ranges: ranges)
        try check(fixture)
        #expect(fixture.info.firstKey == [2] && fixture.info.lastKey == [9])
        #expect(fixture.info.smallestSequence == 3 && fixture.info.greatestSequence == 8)
        #expect(try fixture.open().rangeTombstones.newestCovering(Bytes.emptyBytes, visible: 9) == 0)
    }

    @Test("Empty keys and empty values are keys and values")
    func emptyKey() throws {
        try check(try SegmentFixture([OwnedRecord([], [], 1), OwnedRecord([], [], 0), OwnedRecord([0], [], 3)]))
    }

    @Test("Keys of 64 KiB and values of many blocks come back", arguments: [Compression.none, .deflate(level: 1)])
    func large(compression: Compression) throws {
        var records = RandomRecords.make(100, seed: 4)
        for index in 0..<6 {
            let key = Array(repeating: UInt8(0x61), count: 65_535 - index) + [UInt8(index)]
            records.append(OwnedRecord(key, [UInt8(index)], UInt64(index)))
            let value = [UInt8](count: 200_000 + 7 * index) { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
            records.append(OwnedRecord([0x62, UInt8(index)], value, UInt64(index)))
        }
        records.append(OwnedRecord([0x63], Array(repeating: 1, count: 5 << 20), 9))  // too long for 16 bits of units
        try check(try SegmentFixture(records, options: SegmentOptions(blockBytes: 4096, compression: compression)))
    }

    @Test(
        "A key with more versions than fit many blocks is found at every one of them",
        arguments: SegmentRoundTripTests.shapes.indices)
    func versions(shape: Int) throws {
        let (options, access) = SegmentRoundTripTests.shapes[shape]
        var records = [OwnedRecord([1], [], 5), OwnedRecord([3], [3], 6)]
        for sequence in 1...3000 {
            records.append(OwnedRecord([2], Array(repeating: 9, count: 90), UInt64(sequence * 2)))
        }
        let fixture = try SegmentFixture(records, options: options)
        let reader = try fixture.open(access, cache: BlockCache(capacity: 1 << 20))
        #expect(reader.blockIndex.blockCount > 3)
        #expect(try reader.verify() == [])
        var cursor = SegmentCursor(reader)
        for visible in stride(from: SequenceNumber(1), through: 6001, by: SuiteScale.count(587, thorough: 97)) {
            let model = fixture.visible(visible)
            #expect(try reader.lookup([2], visible: visible) == fixture.newest([2], visible: visible))
            try cursor.seek(nil, backward: false)
            #expect(try cursor.rest(visible, limit: 2) == model)
            try cursor.seek(nil, backward: true)
            #expect(try cursor.restBackward(visible, limit: 1) == model.reversed())
        }
    }

    @Test("What a backward fill has handed out stays valid until the next one, across the border of blocks")
    func backwardPins() throws {
        var records: [OwnedRecord] = []
        for key in UInt8(0)..<40 {
            for sequence in 1...20 {
                records.append(OwnedRecord([key], Array(repeating: key, count: 60), UInt64(sequence)))
            }
        }
        let fixture = try SegmentFixture(records, options: SegmentOptions(blockBytes: 4096))
        var cursor = SegmentCursor(try fixture.open(.read))
        for visible in SequenceNumber(1)...20 {
            try cursor.seek(nil, backward: true)
            #expect(try cursor.restBackward(visible, limit: 100) == fixture.visible(visible).reversed())
        }
    }

    @Test("A cursor may seek to a key that it has handed out itself")
    func seekToOwnKey() throws {
        let fixture = try SegmentFixture(RandomRecords.make(800, seed: 6), options: SegmentOptions(blockBytes: 4096))
        let model = fixture.visible(.greatest)
        var cursor = SegmentCursor(try fixture.open(.read))
        var batch = RecordBatch(capacity: 8)
        try cursor.seek(nil)
        var found: [OwnedRecord] = []
        while true {
            batch.removeAll()
            try cursor.fill(&batch, limit: 8, visible: .greatest)
            guard batch.count > 0 else { break }
            for index in 0..<batch.count { found.append(OwnedRecord(batch[index])) }
            let last = batch[batch.count - 1].key
            // Away, and back to it.
            if found.count % 3 == 0 { try cursor.seek(last, .backward) } else { try cursor.seek(last) }
            batch.removeAll()
            try cursor.fill(&batch, limit: 1, visible: .greatest)
            #expect(OwnedRecord(batch[0]) == found.last)
        }
        #expect(found == model)
    }

    @Test("Values of any size waste little space", arguments: [100, 1000, 4096, 5500, 8192, 9000, 16_300, 40_000])
    func space(size: Int) throws {
        let value = [UInt8](count: size) { UInt8(truncatingIfNeeded: $0) }
        let records = (0..<UInt64(4_000_000 / size)).map { OwnedRecord(Self.key($0), value, $0) }
        let fixture = try SegmentFixture(records)
        #expect(Double(fixture.info.fileBytes) < Double(fixture.info.userBytes) * (size == 100 ? 1.15 : 1.025))
        #expect(try fixture.open().verify() == [])
    }

    private static func key(_ number: UInt64) -> [UInt8] {
        let digits = Array(String(number).utf8)
        return Array(repeating: UInt8(ascii: "0"), count: 16 - digits.count) + digits
    }

    @Test("Keys chosen to have one hash are found all the same", arguments: [1, 12, 100, 700, 3000])
    func collisions(count: Int) throws {
        // The first eight bytes cancel the seed, and the hash is 0 whatever follows.
        let head = withUnsafeBytes(of: UInt64(0xa076_1d64_78bd_642f).littleEndian) { Array($0) }
        let records = (0..<count).map { number in
            OwnedRecord(head + withUnsafeBytes(of: UInt64(number).bigEndian) { Array($0) }, [1, 2], UInt64(number))
        }
        #expect(Set(records.map { $0.key.withBytes { KeyHash.hash($0) } }).count == 1)
        try check(try SegmentFixture(records))
    }

    @Test("Records out of order, range tombstones among records and broken pointers are refused")
    func misuse() throws {
        let scratch = try Scratch()
        let file = try scratch.fileSystem.open(scratch.path + "/x", .createNew)
        let writer = try SegmentWriter(
            file: file, number: 1, store: SegmentFixture.store, options: SegmentOptions())
        func append(_ record: OwnedRecord) throws {
            try record.withRecord { record throws(StoreError) in try writer.append(record) }
        }
        try append(OwnedRecord([5], [], 10))
        for wrong in [
            OwnedRecord([5], [], 10), OwnedRecord([5], [], 11), OwnedRecord([4], [], 1),
            OwnedRecord([6], [7], 12, .rangeTombstone), OwnedRecord([6], [7], 12, .pointer),
            OwnedRecord([6], [], .greatest + 1),
        ] {
            #expect(throws: StoreError.self) { try append(wrong) }
        }
        try append(OwnedRecord([5], [], 9))
        #expect(try writer.finish().recordCount == 2)
        #expect(throws: StoreError.self) {
            try SegmentWriter(
                file: file, number: 1, store: SegmentFixture.store, options: SegmentOptions(blockBytes: 5000))
        }
    }

    @Test("What the manifest stores of a segment is read back as it was")
    func info() throws {
        let pointers = (0..<4).map { number in
            var bytes = [UInt8](repeating: 0, count: ValuePointer.size)
            let pointer = ValuePointer(file: UInt64(9 - number % 2), offset: 64, length: 100, checksum: 5)
            bytes.withMutableBytes { pointer.write(to: $0) }
            return OwnedRecord([0x70, UInt8(number)], bytes, 4, .pointer)
        }
        let fixture = try SegmentFixture(RandomRecords.make(50, seed: 1) + pointers)
        let size = ValueRecord.size(key: 2, value: 100)
        #expect(fixture.info.valueFiles == [.init(file: 8, bytes: 2 * size), .init(file: 9, bytes: 2 * size)])
        #expect(fixture.info.tombstoneCount == fixture.records.count { $0.kind == .tombstone })
        var bytes: [UInt8] = []
        fixture.info.encode(into: &bytes)
        let decoded = bytes.withBytes { buffer in
            var reader = ByteReader(buffer)
            return SegmentInfo(number: fixture.info.number, reader: &reader)
        }
        #expect(decoded == fixture.info)
        for length in bytes.indices {
            let short = Array(bytes.prefix(length)).withBytes { buffer in
                var reader = ByteReader(buffer)
                return SegmentInfo(number: 7, reader: &reader)
            }
            #expect(short == nil)
        }
    }
}
