/// A record of a block: kind, key length, value length, sequence number, key, value.
struct BlockRecord {
    /// Set in the kind byte if the preceding record has the same key. A scan thus recognises versions of one key
    /// without comparing keys.
    static let olderFlag: UInt8 = 0x80

    var record: Record
    /// True if the preceding record, possibly in the preceding block, is a newer version of the same key.
    var isOlder: Bool
    /// Offset of the first byte after the record.
    var end: Int

    /// Bytes of a record in a block, without its slot and digest.
    @inline(__always)
    static func size(_ record: Record) -> Int {
        1 &+ Varint.size(UInt64(record.key.count)) &+ Varint.size(UInt64(record.value.count))
            &+ Varint.size(record.sequence) &+ record.key.count &+ record.value.count
    }

    /// Writes a record to `bytes`, which must have at least ``size(_:)`` bytes.
    @inline(__always)
    static func write(_ record: Record, isOlder: Bool, to bytes: MutableBytes) {
        var writer = ByteWriter(bytes)
        writer.put(record.kind.rawValue | (isOlder ? olderFlag : 0))
        writer.put(varint: UInt64(record.key.count))
        writer.put(varint: UInt64(record.value.count))
        writer.put(varint: record.sequence)
        writer.put(record.key)
        writer.put(record.value)
    }

    /// Decodes the record at `offset` of `bytes`. Returns nil if no valid record ends within them.
    ///
    /// A short header (``RecordHeader``) is decoded from one load without a loop. All other headers are decoded field
    /// by field.
    @inline(__always)
    init?(_ bytes: Bytes, at offset: Int) {
        guard offset >= 0, offset &+ RecordHeader.greatestSize <= bytes.count,
            let header = RecordHeader(bytes, at: offset)
        else {
            self.init(long: bytes, at: offset)
            return
        }
        self.init(
            bytes, kindByte: header.kindByte, sequence: header.sequence, keyAt: offset &+ header.size,
            keyCount: header.keyCount, valueCount: header.valueCount)
    }

    /// Decodes a record with a header of any size.
    @inline(never)
    init?(long bytes: Bytes, at offset: Int) {
        var offset = offset
        guard let kind: UInt8 = bytes.integer(at: offset) else { return nil }
        offset += 1
        guard let keyCount = Varint.read(bytes, at: &offset), let valueCount = Varint.read(bytes, at: &offset),
            let sequence = Varint.read(bytes, at: &offset), sequence <= .greatest, keyCount <= UInt64(bytes.count),
            valueCount <= UInt64(bytes.count)
        else { return nil }
        self.init(
            bytes, kindByte: kind, sequence: sequence, keyAt: offset, keyCount: Int(keyCount),
            valueCount: Int(valueCount))
    }

    @inline(__always)
    private init?(
        _ bytes: Bytes, kindByte: UInt8, sequence: SequenceNumber, keyAt: Int, keyCount: Int, valueCount: Int
    ) {
        let valueAt = keyAt &+ keyCount
        end = valueAt &+ valueCount
        guard end <= bytes.count, let kind = RecordKind(rawValue: kindByte & ~Self.olderFlag), kind != .rangeTombstone
        else { return nil }
        isOlder = kindByte >= Self.olderFlag
        record = Record(
            key: bytes.uncheckedSlice(keyAt, keyCount), value: bytes.uncheckedSlice(valueAt, valueCount),
            sequence: sequence, kind: kind)
    }
}
