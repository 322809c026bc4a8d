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

// Digests come from the disk. The block's checksum has been verified, but a corrupt writer may still have stored
// digests that do not fit the keys. Wrong digests can make a search miss a record, but they never make it read outside
// the block.
extension Block {
    /// The digest of a record. `slot` must be a slot of the block.
    @inline(__always)
    func digest(_ slot: Int) -> UInt16 {
        assert(slot >= 0 && slot < count)
        return bytes.uncheckedInteger(at: limit &+ 2 &* slot)
    }

    /// Narrows the position of a key by digests. The position of the key is at least `low` and at most `high`. Returns
    /// nil if a slot points to no valid record.
    ///
    /// A block that was not read recently is in none of the processor's caches. This search waits for three loads. The
    /// first is the header, with the first record in the same line or the next one. Then come all lines of digests at
    /// once, because the address of none depends on another. The last, in most cases, is the one record that is
    /// searched for. Loading the last lines of the block before the header has told where digests start gave no
    /// measurable gain.
    @inline(__always)
    func narrowed(_ key: SearchKey) -> (low: Int, high: Int)? {
        let scale = DigestScale(bytes)
        // Reads the first record at its known offset. Its slot would be one more load to wait for.
        guard let first = BlockRecord(recordBytes, at: layout.headerSize)?.record else { return nil }
        let common = SearchKey(first.key).prefix(scale.skip)
        if _slowPath(!key.hasPrefix(common)) { return key.compare(to: common) < 0 ? (0, 0) : (count, count) }

        let wanted = key.digest(after: scale.skip)
        if wanted < scale.base { return (0, 0) }
        let place = scale.place(of: wanted)
        guard let digest = UInt16(exactly: place) else { return (count, count) }
        let low = lowerBound(of: digest)
        guard low < count, self.digest(low) == digest else { return (low, low) }
        // Several records may share a digest, for example if their keys differ only in the last digits.
        let few = min(count, low &+ Self.fewRecords)
        var next = low &+ 1
        while next < few, self.digest(next) == digest { next &+= 1 }
        if next == few, next < count { return narrowed(wanted, digest, from: low, skip: scale.skip) }
        return (low, next)
    }

    /// Up to this many records, the search compares one by one.
    static var fewRecords: Int { 6 }

    /// Continues ``narrowed(_:)`` if many records from `low` on may share the digest of the key.
    @inline(never)
    private func narrowed(_ wanted: UInt64, _ digest: UInt16, from low: Int, skip: Int) -> (low: Int, high: Int)? {
        let high = digest == .max ? count : max(low, lowerBound(of: digest + 1))
        var search = BlockSearch(self, wanted, skip: skip, low, high)
        guard search.narrow() else { return nil }
        return (search.low, search.high)
    }

    /// Prefetches the records of the slots from `first` to `last` (exclusive), clamped to the block. Prefetches only
    /// the first two lines of each record if together they are long.
    @inline(__always)
    func prefetch(from first: Int, to last: Int) {
        var slot = max(0, first)
        let end = min(count, last)
        guard slot < end else { return }
        let start = offset(ofSlot: slot)
        let length = (end < count ? offset(ofSlot: end) : limit) &- start
        if length <= Self.mostPrefetched { return Prefetch.lines(bytes, at: start, count: length) }
        while slot < end {
            Prefetch.twoLines(bytes, at: offset(ofSlot: slot))
            slot &+= 1
        }
    }

    /// Up to this many bytes of records are prefetched completely.
    private static var mostPrefetched: Int { 4096 }

    /// The number of digests that are smaller than `digest`.
    ///
    /// Counts them, eight at a time. No load waits for another, unlike the loads of a binary search. Halves the range
    /// first only if there are so many digests that counting would take longer.
    @inline(__always)
    private func lowerBound(of digest: UInt16) -> Int {
        var low = 0
        var left = count
        while left > Self.countedDigests {
            let half = left &>> 1
            low &+= self.digest(low &+ half &- 1) < digest ? half : 0
            left &-= half
        }
        let end = low &+ left
        let wanted = SIMD8(repeating: digest)
        var counts = SIMD8<UInt16>()
        var next = low
        while next &+ 8 <= end {
            counts.replace(with: counts &+ 1, where: digests(from: next) .< wanted)
            next &+= 8
        }
        low &+= Int(counts.wrappedSum())
        while next < end {
            low &+= self.digest(next) < digest ? 1 : 0
            next &+= 1
        }
        return low
    }

    /// Up to this many digests are counted. A larger range is halved first.
    private static var countedDigests: Int { 256 }

    /// The digests of eight slots, which must all be in the block.
    @inline(__always)
    private func digests(from slot: Int) -> SIMD8<UInt16> {
        let digests = bytes.uncheckedLoad(at: limit &+ 2 &* slot, as: SIMD8<UInt16>.self)
        #if _endian(big)
        return digests &>> 8 | digests &<< 8
        #else
        return digests
        #endif
    }

    /// True if the header's scale and all digests are the ones that follow from the keys. Also true if the block has no
    /// digests.
    /// - Complexity: O(bytes of the keys)
    func hasRightDigests() -> Bool {
        guard layout == .digested else { return true }
        guard let first = record(0)?.record.key, let last = record(count - 1)?.record.key else { return false }
        let scale = DigestScale(first: SearchKey(first), last: SearchKey(last))
        return DigestScale(bytes) == scale && DigestScale.hasZeros(bytes)
            && (0..<count).allSatisfy { slot in
                record(slot).map { scale.digest(of: SearchKey($0.record.key)) == digest(slot) } ?? false
            }
    }
}
