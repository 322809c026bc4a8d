import Testing

@testable import Siltstone

struct SegmentDamageTests {
    static let options: [SegmentOptions] = [
        SegmentOptions(blockBytes: 4096), SegmentOptions(blockBytes: 4096, compression: .deflate(level: 6)),
        SegmentOptions(blockBytes: 4096, blockLayout: .plain),
        SegmentOptions(blockBytes: 4096, compression: .deflate(level: 6), blockLayout: .plain),
    ]

    /// Small, with everything that a segment can hold.
    private func fixture(_ options: SegmentOptions) throws -> SegmentFixture {
        let pointer = [UInt8](repeating: 0, count: ValuePointer.size)
        return try SegmentFixture(
            RandomRecords.make(24, seed: 3, maximumValue: 20) + [OwnedRecord([0x63], pointer, 9000, .pointer)],
            ranges: [RangeTombstone(start: [1], end: [2, 3], sequence: 77)], options: options)
    }

    /// Everything that a reader can say about a segment.
    private func contents(_ fixture: SegmentFixture, _ access: FileAccess) throws(StoreError) -> [OwnedRecord?] {
        let reader = try SegmentReader(
            fileSystem: fixture.scratch.fileSystem, path: fixture.path, number: SegmentFixture.number,
            store: SegmentFixture.store, access: access)
        var result: [OwnedRecord?] = []
        for record in fixture.records {
            result.append(try reader.lookup(record.key))
            result.append(try reader.lookup(record.key + [0x70]))
        }
        var cursor = SegmentCursor(reader)
        try cursor.seek(nil)
        result += try cursor.rest(nil, limit: 100)
        guard reader.rangeTombstones.tombstones == fixture.ranges, reader.info == fixture.info else {
            throw StoreError(.invalidArgument, "the metadata are wrong and nobody noticed")
        }
        return result
    }

    @Test(
        "Whichever byte is flipped, reads are right or throw, and verify names the file, once",
        arguments: options.indices)
    func flips(shape: Int) throws {
        let fixture = try fixture(Self.options[shape])
        let original = try fixture.scratch.read(fixture.path)
        let expected = try contents(fixture, .mapped)
        // By three, so that it does not go in step with the bits and accesses; of each shape other bytes.
        let step = SuiteScale.count(5, thorough: 1)
        for index in stride(from: shape % step, to: original.count, by: step) {
            var damaged = original
            damaged[index] ^= 1 << UInt8(index % 8)
            try fixture.scratch.write(damaged, to: fixture.path)
            do {
                let found = try contents(fixture, index % 2 == 0 ? .mapped : .read)
                #expect(found == expected, "byte \(index)")
            } catch {
                #expect(error.code == .corrupt || error.code == .unsupportedFormat, "byte \(index)")
                #expect(error.file == fixture.path && error.offset != nil, "byte \(index): \(error)")
            }
            let problems = try SegmentVerifier.verify(
                fileSystem: fixture.scratch.fileSystem, path: fixture.path, number: SegmentFixture.number,
                store: SegmentFixture.store, info: nil)
            #expect(problems.count == 1 && problems.first?.file == fixture.path, "byte \(index): \(problems)")
        }
    }

    @Test(
        "A damaged record is never handed out, whatever was read of its neighbours, and however often it is asked for")
    func neighbours() throws {
        // Of all lengths, so that a block ends anywhere.
        func value(_ number: Int) -> [UInt8] {
            Array("value \(1000 + number)".utf8) + [UInt8](repeating: 7, count: 37 * number % 700)
        }
        let records = (0..<300).map { OwnedRecord(key($0), value($0), 5) }
        let fixture = try SegmentFixture(records, options: SegmentOptions(blockBytes: 4096))
        let original = try fixture.scratch.read(fixture.path)
        let fences = try fixture.open().blockIndex
        #expect((1..<fences.blockCount).count { fences.start(of: $0) % 2048 != 0 } > 10)
        var offset = FileHeader.size
        for number in stride(from: 0, to: records.count, by: SuiteScale.count(5, thorough: 1)) {
            while !original[offset...].starts(with: value(number)) { offset += 1 }
            var damaged = original
            damaged[offset + 3] ^= 1
            try fixture.scratch.write(damaged, to: fixture.path)
            // Beginning before it, and behind it.
            for order in [Array(max(0, number - 3)...number), (number..<min(300, number + 4)).reversed()] {
                let reader = try fixture.open()
                for other in order {
                    do throws(StoreError) {
                        let found = try reader.lookup(key(other))
                        #expect(found == records[other], "record \(number), asked for \(other)")
                    } catch { #expect(error.code == .corrupt) }
                }
                #expect(StoreError.Code.of { try reader.lookup(key(number)) } == .corrupt, "record \(number), again")
            }
        }
    }

    @Test("A file that is cut off anywhere does not open", arguments: options.indices)
    func truncations(shape: Int) throws {
        let fixture = try fixture(Self.options[shape])
        let original = try fixture.scratch.read(fixture.path)
        let step = SuiteScale.count(5, thorough: 1)
        for length in stride(from: shape % step, to: original.count, by: step) {
            try fixture.scratch.write(Array(original.prefix(length)), to: fixture.path)
            let error = #expect(throws: StoreError.self) { try contents(fixture, .mapped) }
            #expect(error?.code == .corrupt && error?.file == fixture.path)
        }
    }

    @Test("A segment of another number, store or manifest entry is refused")
    func strangers() throws {
        let fixture = try fixture(Self.options[0])
        let fileSystem = fixture.scratch.fileSystem
        func open(_ number: UInt64, _ store: StoreIdentity, _ info: SegmentInfo?) throws(StoreError) {
            _ = try SegmentReader(
                fileSystem: fileSystem, path: fixture.path, number: number, store: store, info: info)
        }
        try open(7, SegmentFixture.store, fixture.info)
        #expect(throws: StoreError.self) { try open(8, SegmentFixture.store, nil) }
        #expect(throws: StoreError.self) { try open(7, StoreIdentity(high: 5, low: 6), nil) }
        var info = fixture.info
        info.recordCount += 1
        #expect(throws: StoreError.self) { try open(7, SegmentFixture.store, info) }
        info = fixture.info
        info.footerChecksum ^= 1
        #expect(throws: StoreError.self) { try open(7, SegmentFixture.store, info) }
        info = fixture.info
        info.fileBytes += 1
        #expect(throws: StoreError.self) { try open(7, SegmentFixture.store, info) }
    }

    @Test("Verify reports every damaged block, and none that is well")
    func verifyAll() throws {
        let fixture = try SegmentFixture(
            RandomRecords.make(2000, seed: 8), options: SegmentOptions(blockBytes: 4096))
        let reader = try fixture.open()
        var bytes = try fixture.scratch.read(fixture.path)
        let damaged = [1, 4, 5]
        for block in damaged { bytes[reader.fileOffset(of: block) + 100] ^= 0x10 }
        try fixture.scratch.write(bytes, to: fixture.path)
        let problems = try reader.verify()
        #expect(Set(problems.compactMap(\.offset)) == Set(damaged.map { reader.fileOffset(of: $0) }))
        #expect(problems.count == damaged.count)
    }

    @Test("Salvage gives every record of every block that is well, whatever else is lost", arguments: options.indices)
    func salvage(shape: Int) throws {
        var options = Self.options[shape]
        options.expectedRecords = 10
        let fixture = try SegmentFixture(
            RandomRecords.make(2000, seed: 5) + [OwnedRecord([0x99], Array(repeating: 7, count: 50_000), 1 << 40)],
            ranges: [RangeTombstone(start: [1], end: [2], sequence: 7)], options: options)
        let reader = try fixture.open()
        let original = try fixture.scratch.read(fixture.path)
        let blocks = try (0..<reader.blockIndex.blockCount).map { number in
            var pin = BlockPin()
            let block = try reader.block(number, pin: &pin)
            defer { withExtendedLifetime(pin) {} }
            return (0..<block.count).compactMap { block.record($0).map { OwnedRecord($0.record) } }
        }
        for (header, footer) in [(false, false), (true, false), (false, true), (true, true)] {
            var bytes = original
            if header { bytes[3] ^= 1 }
            if footer { bytes[bytes.count - 50] ^= 1 }
            bytes[reader.fileOffset(of: 2) + 30] ^= 1
            try fixture.scratch.write(bytes, to: fixture.path)
            var found: [OwnedRecord] = []
            let result = try SegmentSalvage.salvage(
                fileSystem: fixture.scratch.fileSystem, path: fixture.path, number: SegmentFixture.number
            ) { found.append(OwnedRecord($0)) }
            #expect(found == blocks.enumerated().filter { $0.offset != 2 }.flatMap(\.element))
            #expect(result.recordCount == found.count)
            #expect(result.lost.contains { $0.offset == reader.fileOffset(of: 2) && $0.count > 0 })
            #expect(result.rangeTombstones == (header || footer ? nil : fixture.ranges))
        }
    }

    @Test("Salvage tells malformed records from a wrong checksum")
    func salvageMalformed() throws {
        let fixture = try SegmentFixture(RandomRecords.make(500, seed: 6), options: SegmentOptions(blockBytes: 4096))
        let reader = try fixture.open()
        let start = reader.fileOffset(of: 1)
        var block = Array(try fixture.scratch.read(fixture.path)[start..<reader.fileOffset(of: 2)])
        block[BlockLayout.digested.headerSize] = 9  // no kind of a record
        let checksum = block.withBytes {
            Block.checksum($0, segment: SegmentFixture.number, address: start - FileHeader.size)
        }
        for index in 0..<4 { block[index] = UInt8(truncatingIfNeeded: checksum >> (8 * index)) }
        var bytes = try fixture.scratch.read(fixture.path)
        bytes.replaceSubrange(start..<start + block.count, with: block)
        bytes[reader.fileOffset(of: 3) + 30] ^= 1
        try fixture.scratch.write(bytes, to: fixture.path)
        let result = try SegmentSalvage.salvage(
            fileSystem: fixture.scratch.fileSystem, path: fixture.path, number: SegmentFixture.number
        ) { _ in }
        #expect(result.lost.map(\.offset) == [start, reader.fileOffset(of: 3)])
        #expect(result.lost.first?.message.contains("malformed") == true)
        #expect(result.lost.last?.message.hasSuffix("bytes of records fail their checksum") == true)
    }

    @Test("Salvage finds the end of a block that is too long for its header to tell", arguments: BlockLayout.allCases)
    func salvageLong(layout: BlockLayout) throws {
        let small = (0..<50).map { OwnedRecord(key($0), [UInt8](repeating: 1, count: 90), 5) }
        let long = OwnedRecord(key(25) + [0], [UInt8](repeating: 3, count: 5 << 20), 6)
        let fixture = try SegmentFixture(small + [long], options: SegmentOptions(blockBytes: 4096, blockLayout: layout))
        var bytes = try fixture.scratch.read(fixture.path)
        bytes[3] ^= 1  // of the file's header
        try fixture.scratch.write(bytes, to: fixture.path)
        var found: [OwnedRecord] = []
        let result = try SegmentSalvage.salvage(
            fileSystem: fixture.scratch.fileSystem, path: fixture.path, number: SegmentFixture.number
        ) { found.append(OwnedRecord($0)) }
        #expect(found == fixture.records)
        #expect(result.lost.allSatisfy { $0.count == 0 })
    }
}
