/// A block in memory (`Docs/Format.md`, "Blocks"). Its creator has verified the checksum.
struct Block {
    let bytes: Bytes
    /// Number of records.
    let count: Int
    /// End of the area of records. Digests and slots start here.
    let limit: Int
    let layout: BlockLayout

    /// A block without records.
    static var empty: Block { Block(.emptyBytes, count: 0, layout: .plain) }

    /// Bytes of the block.
    @inline(__always)
    var length: Int { bytes.count }

    /// The bytes up to ``limit``, which contain all records.
    @inline(__always)
    var recordBytes: Bytes { bytes.uncheckedSlice(0, limit) }

    @inline(__always)
    private init(_ bytes: Bytes, count: Int, layout: BlockLayout) {
        self.bytes = bytes
        self.count = count
        self.layout = layout
        limit = bytes.count &- layout.tailBytesPerRecord &* count
    }

    /// A view of a block's bytes. Returns nil if the block has no records, or header, digests and slots do not fit.
    @inline(__always)
    init?(_ bytes: Bytes, layout: BlockLayout) {
        guard bytes.count >= layout.headerSize else { return nil }
        let count = Int(bytes.uncheckedInteger(at: 4, as: UInt16.self))
        guard count > 0, layout.headerSize &+ layout.tailBytesPerRecord &* count <= bytes.count else { return nil }
        self.init(bytes, count: count, layout: layout)
    }

    /// The checksum that the first four bytes of a block store. It covers the other bytes and the block's place.
    /// - Parameters:
    ///   - segment: the segment's number.
    ///   - address: the block's logical address.
    static func checksum(_ bytes: Bytes, segment: UInt64, address: Int) -> UInt32 {
        let place = CRC32.checksum(UInt64(address), continuing: CRC32.checksum(segment, continuing: 0))
        return CRC32.checksum(Bytes(rebasing: bytes.dropFirst(4)), continuing: place)
    }

    /// The block's length in units of ``SegmentFormat/unit`` bytes, from its header. Returns nil if the header has 0,
    /// because the block is too long for the field, or if the header is cut off.
    static func units(_ header: Bytes) -> Int? {
        guard let units: UInt16 = header.integer(at: 6), units > 0 else { return nil }
        return Int(units)
    }

    /// Offset of a record. `slot` must be a slot of the block.
    @inline(__always)
    func offset(ofSlot slot: Int) -> Int {
        assert(slot >= 0 && slot < count)
        return Int(bytes.uncheckedInteger(at: length &- 2 &- 2 &* slot, as: UInt16.self))
    }

    /// The record of a slot of the block; nil if the slot points to no valid record.
    @inline(__always)
    func record(_ slot: Int) -> BlockRecord? { record(at: offset(ofSlot: slot)) }

    /// The record at an offset; nil if there is no valid record.
    @inline(__always)
    func record(at offset: Int) -> BlockRecord? { BlockRecord(recordBytes, at: offset) }

    /// The first slot whose record is not ordered before version `sequence` of `key`; ``count`` if all records are.
    /// Returns nil if a slot points to no valid record.
    /// - Parameter near: slots that the caller will read next, relative to the result. They are prefetched as soon as
    ///   the approximate position is known.
    /// - Complexity: O(log n) for n records
    func lowerBound(_ key: Bytes, _ sequence: SequenceNumber, reading near: Range<Int> = 0..<0) -> Int? {
        guard let slots = slots(around: key, reading: near) else { return nil }
        return lowerBound(key, sequence, in: slots, reading: near)
    }

    /// Narrows the search for `key` by digests, without reading many records. The result of
    /// ``lowerBound(_:_:reading:)`` lies between `low` and `high`, for any version of the key. The records in
    /// between must be compared; they are prefetched if they are few. Returns nil if a slot points to no valid record.
    /// - Parameter near: see ``lowerBound(_:_:reading:)``.
    @inline(__always)
    func slots(around key: Bytes, reading near: Range<Int>) -> (low: Int, high: Int)? {
        var slots = (low: 0, high: count)
        if layout == .digested {
            guard let range = narrowed(SearchKey(key)) else { return nil }
            slots = range
        }
        if isFew(slots) { prefetch(from: slots.low &+ near.lowerBound, to: slots.high &+ near.upperBound) }
        return slots
    }

    @inline(__always)
    private func isFew(_ slots: (low: Int, high: Int)) -> Bool { slots.high &- slots.low <= Self.fewRecords }

    /// Finishes ``lowerBound(_:_:reading:)`` within the bounds that ``slots(around:reading:)`` returned for `key`.
    @inline(__always)
    func lowerBound(
        _ key: Bytes, _ sequence: SequenceNumber, in slots: (low: Int, high: Int), reading near: Range<Int>
    ) -> Int? {
        var (low, high) = slots
        while low < high {
            let middle = (low &+ high) &>> 1
            guard let version = record(middle)?.record else { return nil }
            let order = compareKeysByWords(version.key, key)
            let isBefore = order != 0 ? order < 0 : version.sequence > sequence
            if isBefore { low = middle &+ 1 } else { high = middle }
        }
        // `slots(around:reading:)` has prefetched only a few.
        if _slowPath(!isFew(slots)) { prefetch(from: low &+ near.lowerBound, to: low &+ near.upperBound) }
        return low
    }
}
