/// What the manifest knows of a segment: enough to find keys, to plan compaction and to recognise the file.
struct SegmentInfo: Hashable, Sendable {
    /// The file's number.
    var number: UInt64
    var fileBytes = 0
    /// The checksum of the footer, which covers everything else of the file but data and hash index.
    var footerChecksum: UInt32 = 0
    /// Versions of keys, tombstones included.
    var recordCount = 0
    var tombstoneCount = 0
    var rangeTombstoneCount = 0
    /// Over records and range tombstones.
    var smallestSequence: SequenceNumber = 0
    var greatestSequence: SequenceNumber = 0
    /// Bytes of keys and values as the records hold them; a pointer counts for its 24.
    var userBytes = 0
    /// No record's key, and no start of a range tombstone, comes before it.
    var firstKey: [UInt8] = []
    /// No record's key, and no end of a range tombstone, comes after it. Where it is such an end, it is not in the
    /// range any more, and may be the first key of the next segment of the run.
    var lastKey: [UInt8] = []
    /// The value files that records point into, by number.
    var valueFiles: [ValueFileUse] = []

    /// How much of a value file a segment refers to.
    struct ValueFileUse: Hashable, Sendable {
        /// The value file's number.
        var file: UInt64
        /// Bytes of the value records referred to, headers, keys and padding included.
        var bytes: Int
    }

    /// Bytes of one value file that no segment can refer to, so that sums over segments cannot overflow.
    private static let greatestUse = 1 << 48

    init(number: UInt64) { self.number = number }

    /// Whether a segment with so many bytes of blocks can be like this.
    ///
    /// Numbers that are not looked at otherwise are added up over all segments; a record takes six bytes at least.
    func isPlausible(dataBytes: Int) -> Bool {
        recordCount <= dataBytes / 6 && tombstoneCount <= recordCount && userBytes <= dataBytes
            && greatestSequence <= .greatest && smallestSequence <= greatestSequence
            && valueFiles.count <= recordCount && valueFiles.allSatisfy { $0.bytes < Self.greatestUse }
    }

    /// Appends all that follows level and run in the manifest's field (`Docs/Format.md`, tag 4). Number, level and
    /// run come before it, and are the manifest's to write.
    func encode(into bytes: inout [UInt8]) {
        bytes.append(varint: UInt64(fileBytes))
        bytes.append(integer: footerChecksum)
        encodeProperties(into: &bytes)
    }

    /// Reads what ``encode(into:)`` wrote; nil where it is not that.
    init?(number: UInt64, reader: inout ByteReader) {
        guard let fileBytes = reader.length(), let footerChecksum = reader.integer(UInt32.self) else { return nil }
        self.init(number: number, properties: &reader)
        self.fileBytes = fileBytes
        self.footerChecksum = footerChecksum
    }

    /// Appends what the segment's own section *properties* holds.
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

    /// Reads what ``encodeProperties(into:)`` wrote; nil where it is not that.
    init?(number: UInt64, properties reader: inout ByteReader) {
        self.init(number: number)
        guard let records = reader.length(), let tombstones = reader.length(), let ranges = reader.length(),
            let smallest = reader.varint(), let greatest = reader.varint(), let userBytes = reader.length(),
            let firstKey = reader.counted(), let lastKey = reader.counted(), let uses = reader.length()
        else { return nil }
        recordCount = records
        tombstoneCount = tombstones
        rangeTombstoneCount = ranges
        smallestSequence = smallest
        greatestSequence = greatest
        self.userBytes = userBytes
        self.firstKey = Array(firstKey)
        self.lastKey = Array(lastKey)
        for _ in 0..<uses {
            guard let file = reader.varint(), let bytes = reader.length() else { return nil }
            valueFiles.append(ValueFileUse(file: file, bytes: bytes))
        }
    }
}
