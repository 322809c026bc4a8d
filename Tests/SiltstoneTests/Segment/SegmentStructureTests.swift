import Testing

@testable import Siltstone

/// Segments whose checksums are all right and whose contents contradict each other, as only a wrong writer makes them.
struct SegmentStructureTests {
    private static let header = FileHeader(
        kind: .segment, store: SegmentFixture.store, number: SegmentFixture.number,
        parameter: UInt64(SegmentFormat.unitShift))

    /// Several blocks, and one key with three versions.
    private func fixture() throws -> SegmentFixture {
        var records = (0..<300).map { OwnedRecord(key($0), [UInt8](repeating: 1, count: 50), 5) }
        let versions = [9, 7, 6].map { OwnedRecord(key(150), Array("version \($0)".utf8), SequenceNumber($0)) }
        records.replaceSubrange(150...150, with: versions)
        return try SegmentFixture(records, options: SegmentOptions(blockBytes: 4096))
    }

    /// What a verification says of a segment in which bytes were changed, and all checksums made right again.
    private func problems(_ fixture: SegmentFixture, _ change: (inout [UInt8]) throws -> Void) throws
        -> [VerificationReport.Problem]
    {
        var bytes = try fixture.scratch.read(fixture.path)
        try change(&bytes)
        Seal.segment(&bytes, Self.header)
        try fixture.scratch.write(bytes, to: fixture.path)
        return try SegmentVerifier.verify(
            fileSystem: fixture.scratch.fileSystem, path: fixture.path, number: SegmentFixture.number,
            store: SegmentFixture.store, info: nil)
    }

    private func place(of text: String, in bytes: [UInt8], from start: Int = 0) throws -> Int {
        let wanted = Array(text.utf8)
        return try #require((start..<bytes.count).first { bytes[$0...].starts(with: wanted) })
    }

    @Test("nothing changed, nothing is found")
    func well() throws {
        let fixture = try fixture()
        let before = try fixture.scratch.read(fixture.path)
        #expect(try problems(fixture) { _ in } == [])
        #expect(try fixture.scratch.read(fixture.path) == before)
    }

    @Test("versions of a key that are out of order are found")
    func order() throws {
        let found = try problems(try fixture()) { bytes in
            // The number stands before the key, which stands before the value.
            let place = try place(of: "version 7", in: bytes) - key(150).count - 1
            #expect(bytes[place] == 7)
            bytes[place] = 6
        }
        #expect(found.contains { $0.message.contains("out of order") }, "\(found)")
    }

    @Test("of a malformed record that is told, nothing follows for the next block, whose key the block may share")
    func malformed() throws {
        // The versions of one key, which begin in the midst of a block, fill several more.
        let versions = (0..<200).map {
            OwnedRecord(key(20), [UInt8](repeating: 1, count: 50), SequenceNumber(1000 - $0))
        }
        let others = (0..<40).filter { $0 != 20 }.map { OwnedRecord(key($0), [UInt8](repeating: 1, count: 50), 5) }
        let fixture = try SegmentFixture(others + versions, options: SegmentOptions(blockBytes: 4096))
        let reader = try fixture.open()
        let next = try #require(
            (1..<reader.blockIndex.blockCount).first {
                reader.blockIndex.fence(of: $0).sequence != BlockIndex.beforeAllVersions
            })
        let start = reader.fileOffset(of: next - 1)
        var pin = BlockPin()
        let block = try reader.block(next - 1, pin: &pin)
        let first = try #require(block.record(0).map { Array($0.record.key) })
        #expect(first != key(20) && block.count > 2)
        let place = start + block.offset(ofSlot: 1)
        let found = try problems(fixture) { $0[place] = 9 }  // no kind of a record
        #expect(found.map(\.offset) == [start], "\(found)")
        #expect(found.first?.message.contains("malformed") == true)
        withExtendedLifetime(pin) {}
    }

    @Test("a fence that lies behind the first record of its block is found")
    func fences() throws {
        let fixture = try fixture()
        let reader = try fixture.open()
        let fence = Array(reader.blockIndex.fence(of: 2).key)
        let metadata = reader.layout.footer.metadataOffset
        let found = try problems(fixture) { bytes in
            let place = try place(of: String(decoding: fence, as: UTF8.self), in: bytes, from: metadata)
            bytes[place + fence.count - 1] += 1
        }
        #expect(found.contains { $0.message.contains("fence") }, "\(found)")
    }

    @Test("a fence that says of a key's first block that it continues the key is found")
    func continuedFence() throws {
        let fixture = try fixture()
        let reader = try fixture.open()
        // The key as a whole, with the sequence number that the record has.
        let fence = Array(reader.blockIndex.fence(of: 2).key)
        let record = try #require(fixture.newest(fence, visible: .greatest))
        let metadata = reader.layout.footer.metadataOffset
        let found = try problems(fixture) { bytes in
            let place = try place(of: String(decoding: fence, as: UTF8.self), in: bytes, from: metadata)
            // One more than the number, which is 0 of a block that continues nothing, and the key's length.
            #expect(bytes[place - 2] == 0 && bytes[place - 1] == fence.count)
            bytes[place - 2] = UInt8(record.sequence + 1)
        }
        #expect(found.contains { $0.message.contains("fence") }, "\(found)")
    }

    @Test("digests that do not fit the keys are found, and reads in both directions come to an end")
    func digests() throws {
        var random = SeededGenerator(1)
        let fixture = try fixture()
        let original = try fixture.scratch.read(fixture.path)
        for round in 0..<60 {
            try fixture.scratch.write(original, to: fixture.path)
            let reader = try fixture.open()
            let number = random.index(reader.blockIndex.blockCount)
            var pin = BlockPin()
            let block = try reader.block(number, pin: &pin)
            let start = reader.fileOffset(of: number)
            let found = try problems(fixture) { bytes in
                let place = round % 3 == 0 ? 8 + random.index(16) : block.limit + random.index(2 * block.count)
                bytes[start + place] ^= UInt8(1 + random.index(255))
            }
            #expect(found.map(\.offset) == [start] && found.allSatisfy { $0.message.contains("digests") }, "\(found)")
            for access in [FileAccess.mapped, .read] {
                let reader = try fixture.open(access)
                var cursor = SegmentCursor(reader)
                for key in [0, 149, 150, 299].map(key) {
                    try cursor.seek(key, backward: false)
                    _ = try cursor.rest(.greatest, limit: 50)
                    try cursor.seek(key, backward: true)
                    _ = try cursor.restBackward(.greatest, limit: 50)
                    // Leads nowhere by the digests: but to a point read their index is all.
                    #expect(try reader.lookup(key) == fixture.newest(key, visible: .greatest))
                }
            }
        }
    }

    @Test("whichever bit of the properties is changed, they fit the records no more")
    func properties() throws {
        let fixture = try fixture()
        let original = try fixture.scratch.read(fixture.path)
        let footer = try fixture.open().layout.footer
        let end = original.count - SegmentFooter.size
        for offset in (end - footer.propertyBytes)..<end {
            for bit in 0..<8 {
                try fixture.scratch.write(original, to: fixture.path)
                let found = try problems(fixture) { $0[offset] ^= 1 << bit }
                #expect(!found.isEmpty, "offset \(offset), bit \(bit)")
            }
        }
    }
}
