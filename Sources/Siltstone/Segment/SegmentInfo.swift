/// The manifest's entry for a segment. Reads and compactions choose segments by it; opening checks the file against it.
struct SegmentInfo: Hashable, Sendable {
    /// The file's number.
    var number: UInt64
    var fileBytes = 0
    /// The footer's checksum. It covers the header and the metadata too, but not the blocks and the hash index.
    var footerChecksum: UInt32 = 0
    /// Number of records: all versions of keys, including tombstones.
    var recordCount = 0
    var tombstoneCount = 0
    var rangeTombstoneCount = 0
    /// Smallest and largest sequence number of records and range tombstones.
    var smallestSequence: SequenceNumber = 0
    var greatestSequence: SequenceNumber = 0
    /// Bytes of keys and values as the records hold them. A value pointer counts as its 24 bytes.
    var userBytes = 0
    /// Smallest key of all records and starts of range tombstones.
    var firstKey: [UInt8] = []
    /// Largest key of all records and ends of range tombstones. The end of a range tombstone is exclusive, so if
    /// `lastKey` is such an end, it may equal the first key of the run's next segment.
    var lastKey: [UInt8] = []
    /// The value files that records point into, by number.
    var valueFiles: [ValueFileUse] = []

    /// The part of a value file that a segment refers to.
    struct ValueFileUse: Hashable, Sendable {
        /// The value file's number.
        var file: UInt64
        /// Bytes of the referenced value records, including headers, keys and padding.
        var bytes: Int
    }

    /// Exclusive bound of ``ValueFileUse/bytes``. It keeps sums over many segments from overflowing.
    private static let useLimit = 1 << 48
}

extension SegmentInfo {
    /// True if a segment with `dataBytes` bytes of blocks can have these properties.
    ///
    /// Most of these numbers are only summed over all segments and never checked elsewhere. The bound on records
    /// follows because a record takes at least six bytes: four before its key, and two for its slot.
    func isPlausible(dataBytes: Int) -> Bool {
        recordCount <= dataBytes / 6 && tombstoneCount <= recordCount && userBytes <= dataBytes
            && greatestSequence <= .greatest && smallestSequence <= greatestSequence
            && valueFiles.count <= recordCount && valueFiles.allSatisfy { $0.bytes < Self.useLimit }
    }

    /// Appends the manifest's fields of a segment after number, level and run (`Docs/Format.md`, tag 4). The manifest
    /// writes those three itself.
    func encode(into bytes: inout [UInt8]) {
        bytes.append(varint: UInt64(fileBytes))
        bytes.append(integer: footerChecksum)
        encodeProperties(into: &bytes)
    }

    /// Decodes the output of ``encode(into:)``. Returns nil if the bytes are malformed.
    init?(number: UInt64, reader: inout ByteReader) {
        guard let fileBytes = reader.length(), let footerChecksum = reader.integer(UInt32.self) else { return nil }
        self.init(number: number, properties: &reader)
        self.fileBytes = fileBytes
        self.footerChecksum = footerChecksum
    }

    /// Appends the contents of the segment's own section *properties*.
    func encodeProperties(into bytes: inout [UInt8]) {
        bytes.append(varint: UInt64(recordCount))
        bytes.append(varint: UInt64(tombstoneCount))
        bytes.append(varint: UInt64(rangeTombstoneCount))
        bytes.append(varint: smallestSequence)
        bytes.append(varint: greatestSequence)
        bytes.append(varint: UInt64(userBytes))
        bytes.append(counted: firstKey)
        bytes.append(counted: lastKey)
        bytes.append(varint: UInt64(valueFiles.count))
        for use in valueFiles {
            bytes.append(varint: use.file)
            bytes.append(varint: UInt64(use.bytes))
        }
    }

    /// Decodes the output of ``encodeProperties(into:)``. Returns nil if the bytes are malformed.
    init?(number: UInt64, properties reader: inout ByteReader) {
        guard let records = reader.length(), let tombstones = reader.length(), let ranges = reader.length(),
            let smallest = reader.varint(), let greatest = reader.varint(), let userBytes = reader.length(),
            let firstKey = reader.counted(), let lastKey = reader.counted(), let uses = reader.length()
        else { return nil }
        self.init(
            number: number, recordCount: records, tombstoneCount: tombstones, rangeTombstoneCount: ranges,
            smallestSequence: smallest, greatestSequence: greatest, userBytes: userBytes, firstKey: Array(firstKey),
            lastKey: Array(lastKey))
        for _ in 0..<uses {
            guard let file = reader.varint(), let bytes = reader.length() else { return nil }
            valueFiles.append(ValueFileUse(file: file, bytes: bytes))
        }
    }
}
