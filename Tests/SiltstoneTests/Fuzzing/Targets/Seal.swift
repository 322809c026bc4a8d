@testable import Siltstone

/// Makes checksums right. Nothing here may trust a byte: what has no structure to seal is left as it is.
enum Seal {
    // MARK: Numbers in bytes

    /// A little-endian number of `width` bytes; 0 where it is not wholly inside.
    static func load(_ bytes: [UInt8], _ offset: Int, _ width: Int) -> UInt64 {
        guard offset >= 0, offset <= bytes.count - width else { return 0 }
        return (0..<width).reduce(0) { $0 | UInt64(bytes[offset + $1]) << UInt64(8 * $1) }
    }

    /// A length or an offset of 8 bytes; nil where it cannot be one of this file.
    private static func place(_ bytes: [UInt8], _ offset: Int) -> Int? {
        let value = load(bytes, offset, 8)
        return value <= UInt64(bytes.count) ? Int(value) : nil
    }

    /// Stores the low `width` bytes of a number.
    static func store(_ value: UInt64, into bytes: inout [UInt8], _ offset: Int, _ width: Int) {
        guard offset >= 0, offset <= bytes.count - width else { return }
        for index in 0..<width { bytes[offset + index] = UInt8(truncatingIfNeeded: value >> UInt64(8 * index)) }
    }

    private static func store(_ checksum: UInt32, into bytes: inout [UInt8], _ offset: Int) {
        store(UInt64(checksum), into: &bytes, offset, 4)
    }

    private static func checksum(_ bytes: [UInt8], _ range: Range<Int>, _ start: UInt32 = 0) -> UInt32 {
        bytes.withBytes { CRC32.checksum(Bytes(rebasing: $0[range]), continuing: start) }
    }

    // MARK: Headers

    /// Seals the file header, and gives the file back what tells it from all others: a file that is turned away for its
    /// name attacks nothing. Features, version and parameter stay as they are.
    static func header(_ bytes: inout [UInt8], _ expected: FileHeader) {
        guard bytes.count >= FileHeader.size else { return }
        let encoded = expected.encoded()
        bytes.replaceSubrange(0..<8, with: encoded[0..<8])
        bytes.replaceSubrange(20..<48, with: encoded[20..<48])
        bytes.replaceSubrange(56..<60, with: encoded[56..<60])
        store(checksum(bytes, 0..<60), into: &bytes, 60)
    }

    /// The checksum that the rest of the file is bound to.
    private static func headerChecksum(_ bytes: [UInt8]) -> UInt32 { UInt32(load(bytes, 60, 4)) }

    // MARK: Logs, manifests and value files

    /// Seals the frames of a log or a manifest, one behind the other, and chains them.
    static func frames(_ bytes: inout [UInt8], _ expected: FileHeader) {
        header(&bytes, expected)
        guard bytes.count >= FileHeader.size else { return }
        let file = headerChecksum(bytes)
        var previous = file
        var offset = FileHeader.size
        while let (_, header) = bytes.withBytes({ FrameHeader.read($0, at: offset) }) {
            let end = offset + FrameHeader.frameSize(payload: Int(header.length))
            // Zeros are the end of a preallocated file, and not frames.
            guard end <= bytes.count, header.kind != 0 else { return }
            store(previous, into: &bytes, offset + 20)
            var sealed = header
            sealed.previous = previous
            previous = checksum(
                bytes, offset + FrameHeader.size..<end, sealed.checksum(fileChecksum: file, offset: offset))
            store(previous, into: &bytes, offset)
            offset = end
        }
    }

    /// Seals the records of a value file.
    static func values(_ bytes: inout [UInt8], _ expected: FileHeader) {
        header(&bytes, expected)
        var offset = FileHeader.size
        while offset + ValueRecord.headerSize <= bytes.count {
            let sealed = bytes.withBytes { whole -> (end: Int, checksum: UInt32)? in
                let rest = Bytes(rebasing: whole[offset...])
                guard let record = ValueRecord(rest) else { return nil }
                let checksum = ValueRecord.checksum(
                    file: expected.number, offset: offset, header: rest, key: record.key, value: record.value)
                return (offset + ValueRecord.size(key: record.key.count, value: record.value.count), checksum)
            }
            guard let sealed else { return }
            store(sealed.checksum, into: &bytes, offset)
            offset = sealed.end
        }
    }

    /// Seals a `CURRENT`, whatever it names.
    static func current(_ bytes: inout [UInt8]) {
        guard let space = bytes.lastIndex(of: UInt8(ascii: " ")) else { return }
        let digits = String(checksum(bytes, 0..<space + 1), radix: 16)
        let padded = String(repeating: "0", count: 8 - digits.count) + digits + "\n"
        bytes.replaceSubrange((space + 1)..., with: Array(padded.utf8))
    }

    // MARK: Segments

    /// Seals blocks, pages of the hash index, metadata and footer, from the inside out.
    static func segment(_ bytes: inout [UInt8], _ expected: FileHeader) {
        header(&bytes, expected)
        let footer = bytes.count - SegmentFooter.size
        guard footer >= FileHeader.size, let metadata = place(bytes, footer + 56),
            let fenceBytes = place(bytes, footer + 64), let tableBytes = place(bytes, footer + 72)
        else { return }
        let pageTable = metadata + fenceBytes + tableBytes
        if pageTable <= footer {
            blocks(&bytes, fences: metadata..<metadata + fenceBytes, table: metadata + fenceBytes..<pageTable, expected)
            pages(&bytes, table: pageTable, footer: footer)
        }
        let rest = [80, 88, 96].map { place(bytes, footer + $0) ?? 0 }.reduce(0, +)
        if pageTable + rest <= footer {
            store(checksum(bytes, metadata..<pageTable + rest), into: &bytes, footer + 108)
        }
        let start = withUnsafeBytes(of: headerChecksum(bytes).littleEndian) { CRC32.checksum(Bytes($0)) }
        store(checksum(bytes, footer..<footer + 124, start), into: &bytes, footer + 124)
    }

    private static func blocks(
        _ bytes: inout [UInt8], fences: Range<Int>, table: Range<Int>, _ expected: FileHeader
    ) {
        let sections = bytes
        sections.withBytes { whole in
            var fenceReader = ByteReader(Bytes(rebasing: whole[fences]))
            var tableReader = ByteReader(Bytes(rebasing: whole[table]))
            let isCompressed = load(sections, 12, 4) & 1 != 0
            var address = 0
            var stored = FileHeader.size
            while let units = fenceReader.length(), units <= 1 << 26, fenceReader.varint() != nil,
                fenceReader.counted() != nil
            {
                let length = units << SegmentFormat.unitShift
                if isCompressed {
                    guard let payload = tableReader.length(), payload <= bytes.count else { return }
                    let size = StoredBlock.size(payload: payload)
                    if payload == length { block(&bytes, at: stored + 16, length, address, expected.number) }
                    if stored + size <= bytes.count {
                        let place = CRC32.checksum(expected.number, continuing: 0)
                        store(checksum(bytes, stored + 4..<stored + size, place), into: &bytes, stored)
                    }
                    stored += size
                } else {
                    block(&bytes, at: FileHeader.size + address, length, address, expected.number)
                }
                address += length
            }
        }
    }

    private static func block(
        _ bytes: inout [UInt8], at offset: Int, _ length: Int, _ address: Int, _ number: UInt64
    ) {
        guard length >= 4, offset >= 0, length <= bytes.count - offset else { return }
        let sum = bytes.withBytes {
            Block.checksum(
                Bytes(rebasing: $0[offset..<offset + length]), segment: number, address: address)
        }
        store(sum, into: &bytes, offset)
    }

    private static func pages(_ bytes: inout [UInt8], table: Int, footer: Int) {
        guard let index = place(bytes, footer + 32) else { return }
        let pageBytes = Int(load(bytes, footer + 44, 4)) * HashIndexGeometry.bucketBytes
        guard pageBytes > 0 else { return }
        for page in 0..<min(Int(load(bytes, footer + 40, 4)), bytes.count / pageBytes) {
            let start = index + page * pageBytes
            guard start + pageBytes <= bytes.count else { return }
            store(checksum(bytes, start..<start + pageBytes), into: &bytes, table + 4 * page)
        }
    }
}
