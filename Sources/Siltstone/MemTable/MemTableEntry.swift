/// One version of one key in an arena. It is written once, before another thread can see it, and never changes.
///
/// | offset | size | field |
/// |---|---|---|
/// | 0 | 8 | sequence number, in the upper 56 bits, and kind |
/// | 8 | 4 | reference of the next older version of the key, or 0 |
/// | 12 | 4 | key length |
/// | 16 | 4 | value length |
/// | 20 | | key, value |
@safe
struct MemTableEntry {
    /// Bytes before the key.
    static var headerSize: Int { 20 }

    private let address: UnsafeRawPointer

    @inline(__always)
    init(_ reference: ArenaReference, in base: ArenaBase) {
        unsafe address = unsafe UnsafeRawPointer(base[reference])
    }

    /// Returns the size of an entry in bytes, a multiple of 8.
    @inline(__always)
    static func size(keyCount: Int, valueCount: Int) -> Int { (headerSize &+ keyCount &+ valueCount &+ 7) & ~7 }

    @inline(__always)
    var sequence: SequenceNumber { unsafe UInt64(littleEndian: address.load(as: UInt64.self)) &>> 8 }

    @inline(__always)
    private static func kind(_ tag: UInt64) -> RecordKind {
        // `write` stores only valid kinds. The default only avoids a trap.
        RecordKind(rawValue: UInt8(truncatingIfNeeded: tag)) ?? .value
    }

    /// The next older version of the same key; 0 if there is none.
    @inline(__always)
    var previous: ArenaReference { unsafe address.load(fromByteOffset: 8, as: UInt32.self) }

    @inline(__always)
    var key: SearchKey {
        let count = unsafe UInt32(littleEndian: address.load(fromByteOffset: 12, as: UInt32.self))
        return unsafe SearchKey(Bytes(start: address + Self.headerSize, count: Int(count)))
    }

    /// A copy of an entry's fixed part, without the link.
    struct Header: BitwiseCopyable {
        /// Sequence number and kind.
        var tag: UInt64
        /// Key length in the lower half, value length in the upper half.
        var lengths: UInt64
    }

    @inline(__always)
    var header: Header {
        unsafe Header(
            tag: UInt64(littleEndian: address.load(as: UInt64.self)),
            lengths: UInt64(littleEndian: address.loadUnaligned(fromByteOffset: 12, as: UInt64.self)))
    }

    /// Prefetches the first two cache lines of the entry.
    @inline(__always)
    func prefetch() { unsafe Prefetch.twoLines(address) }

    /// Prefetches the entry up to `count` bytes from its start, without the lines that ``prefetch()`` loads.
    @inline(__always)
    func prefetchRest(_ count: Int) {
        let loaded = 2 &* Prefetch.lineBytes
        unsafe Prefetch.lines(address + loaded, count: count &- loaded)
    }

    /// The entry as a record.
    @inline(__always)
    var record: Record { record(header) }

    /// Returns the entry as a record, from a copy of its header and without a read of the entry.
    @inline(__always)
    func record(_ header: Header) -> Record {
        let keyCount = Int(header.lengths & 0xffff_ffff)
        let key = unsafe address + Self.headerSize
        return unsafe Record(
            key: Bytes(start: key, count: keyCount),
            value: Bytes(start: key + keyCount, count: Int(header.lengths &>> 32)),
            sequence: header.tag &>> 8, kind: Self.kind(header.tag))
    }

    /// Writes an entry into storage that is large enough; its link to an older version is 0.
    @inline(__always)
    static func write(
        to reference: ArenaReference, in base: ArenaBase, key: SearchKey, value: Bytes, sequence: SequenceNumber,
        kind: RecordKind
    ) {
        let target = unsafe base[reference]
        unsafe target.storeBytes(of: ((sequence &<< 8) | UInt64(kind.rawValue)).littleEndian, as: UInt64.self)
        unsafe target.storeBytes(of: 0, toByteOffset: 8, as: UInt32.self)
        unsafe target.storeBytes(
            of: UInt32(truncatingIfNeeded: key.count).littleEndian, toByteOffset: 12, as: UInt32.self)
        unsafe target.storeBytes(
            of: UInt32(truncatingIfNeeded: value.count).littleEndian, toByteOffset: 16, as: UInt32.self)
        unsafe (target + headerSize).copyMemory(from: key.bytes.start, byteCount: key.count)
        unsafe (target + (headerSize &+ key.count)).copyMemory(from: value.start, byteCount: value.count)
    }

    /// Links an unpublished entry to the next older version of its key.
    @inline(__always)
    static func link(_ reference: ArenaReference, in base: ArenaBase, to older: ArenaReference) {
        unsafe base[reference].storeBytes(of: older, toByteOffset: 8, as: UInt32.self)
    }
}
