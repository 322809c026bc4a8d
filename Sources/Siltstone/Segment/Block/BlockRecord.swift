/// A record as it lies in a block: kind, key length, value length, sequence number, key, value.
struct BlockRecord {
    /// Set in the kind byte where the record before has the same key, so that a scan knows the versions of one key
    /// without comparing keys.
    static let olderFlag: UInt8 = 0x80

    var record: Record
    /// Whether the record before it, perhaps in the block before, is a newer version of the same key.
    var isOlder: Bool
    /// Offset behind the record.
    var end: Int

    /// Bytes that a record takes in a block, without its slot.
    @inline(__always)
    static func size(_ record: Record) -> Int {
        1 &+ Varint.size(UInt64(record.key.count)) &+ Varint.size(UInt64(record.value.count))
            &+ Varint.size(record.sequence) &+ record.key.count &+ record.value.count
    }

    /// Writes a record at `pointer`, which must have room for ``size(_:)`` bytes.
    /// - Returns: the address of the key in it.
    @inline(__always)
    static func write(_ record: Record, isOlder: Bool, to pointer: UnsafeMutableRawPointer) {
        pointer.storeBytes(of: record.kind.rawValue | (isOlder ? olderFlag : 0), as: UInt8.self)
        var next = Varint.write(UInt64(record.key.count), to: pointer + 1)
        next = Varint.write(UInt64(record.value.count), to: next)
        next = Varint.write(record.sequence, to: next)
        if let key = record.key.baseAddress { next.copyMemory(from: key, byteCount: record.key.count) }
        if let value = record.value.baseAddress {
            (next + record.key.count).copyMemory(from: value, byteCount: record.value.count)
        }
    }

    /// Reads the record at `offset` of `base`, which has `limit` bytes; nil where there is none that ends before.
    ///
    /// A short head (``RecordHead``) is taken out of one load with no loop; everything else goes field by field.
    @inline(__always)
    init?(_ base: UnsafeRawPointer, at offset: Int, limit: Int) {
        guard offset >= 0, offset &+ RecordHead.greatestSize <= limit, let head = RecordHead(base + offset) else {
            self.init(long: Bytes(start: base, count: limit), at: offset)
            return
        }
        self.init(
            base, kindByte: head.kindByte, sequence: head.sequence, keyAt: offset &+ head.size,
            keyCount: head.keyCount, valueCount: head.valueCount, limit: limit)
    }

    /// The same for heads of any size.
    @inline(never)
    init?(long bytes: Bytes, at offset: Int) {
        var offset = offset
        guard let base = bytes.baseAddress, let kind: UInt8 = bytes.integer(at: offset) else { return nil }
        offset += 1
        guard let keyCount = Varint.read(bytes, at: &offset), let valueCount = Varint.read(bytes, at: &offset),
            let sequence = Varint.read(bytes, at: &offset), sequence <= .greatest, keyCount <= UInt64(bytes.count),
            valueCount <= UInt64(bytes.count)
        else { return nil }
        self.init(
            base, kindByte: kind, sequence: sequence, keyAt: offset, keyCount: Int(keyCount),
            valueCount: Int(valueCount), limit: bytes.count)
    }

    @inline(__always)
    private init?(
        _ base: UnsafeRawPointer, kindByte: UInt8, sequence: SequenceNumber, keyAt: Int, keyCount: Int,
        valueCount: Int, limit: Int
    ) {
        let valueAt = keyAt &+ keyCount
        end = valueAt &+ valueCount
        guard end <= limit, let kind = RecordKind(rawValue: kindByte & ~Self.olderFlag), kind != .rangeTombstone
        else { return nil }
        isOlder = kindByte >= Self.olderFlag
        record = Record(
            key: Bytes(start: base + keyAt, count: keyCount),
            value: Bytes(start: base + valueAt, count: valueCount), sequence: sequence, kind: kind)
    }
}
