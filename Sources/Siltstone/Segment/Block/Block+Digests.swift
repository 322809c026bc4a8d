// Digests come from the disk. Their checksum is right, but nothing that they say may be relied upon: wrong ones mislead
// a search, and never out of the block.
extension Block {
    /// The digest of a record; the slot must be one of the block's.
    @inline(__always)
    func digest(_ slot: Int) -> UInt16 {
        assert(slot >= 0 && slot < count)
        return bytes.uncheckedInteger(at: limit &+ 2 &* slot)
    }

    /// Where a key belongs, as far as digests tell: not before `low`, and not behind `high`. Nil where a slot leads
    /// nowhere.
    ///
    /// A block that was not looked at lately is in none of the processor's caches. What is waited for is the header,
    /// with the first record in its line or the next one; then all lines of digests at once, as the address of none
    /// depends on another; then, most often, the one record that was looked for. To load the last lines of the block
    /// before the header has told where among them digests begin gave nothing that could be measured.
    @inline(__always)
    func narrowed(_ key: SearchKey) -> (low: Int, high: Int)? {
        let scale = DigestScale(bytes)
        // Not by its slot, which would be waited for first.
        guard let first = BlockRecord(recordBytes, at: layout.headerSize)?.record else { return nil }
        let common = SearchKey(first.key).prefix(scale.skip)
        if _slowPath(!key.hasPrefix(common)) { return key.compare(to: common) < 0 ? (0, 0) : (count, count) }

        let wanted = key.digest(after: scale.skip)
        if wanted < scale.base { return (0, 0) }
        let place = scale.place(of: wanted)
        guard let digest = UInt16(exactly: place) else { return (count, count) }
        let low = lowerBound(of: digest)
        guard low < count, self.digest(low) == digest else { return (low, low) }
        // A few records may have the digest, as where they differ in their last digits.
        let few = min(count, low &+ Self.fewRecords)
        var next = low &+ 1
        while next < few, self.digest(next) == digest { next &+= 1 }
        if next == few, next < count { return narrowed(wanted, digest, from: low, skip: scale.skip) }
        return (low, next)
    }

    /// Records that are compared one by one.
    static var fewRecords: Int { 6 }

    /// The same where many records from `low` on may have the digest of the key.
    @inline(never)
    private func narrowed(_ wanted: UInt64, _ digest: UInt16, from low: Int, skip: Int) -> (low: Int, high: Int)? {
        let high = digest == .max ? count : max(low, lowerBound(of: digest + 1))
        var search = BlockSearch(self, wanted, skip: skip, low, high)
        guard search.narrow() else { return nil }
        return (search.low, search.high)
    }

    /// Has the records of the slots loaded from `first` up to `last`, as far as they are the block's: long ones only where
    /// they begin.
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

    /// Bytes of records that are loaded whole.
    private static var mostPrefetched: Int { 4096 }

    /// How many digests are less than `digest`.
    ///
    /// Counts them, eight at a time: no load waits for another, as those of a binary search do. Only where there are so
    /// many that counting would take longer is the range halved first.
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

    /// Digests that are counted rather than halved once more.
    private static var countedDigests: Int { 256 }

    /// The digests of eight records, which must be of the block.
    @inline(__always)
    private func digests(from slot: Int) -> SIMD8<UInt16> {
        let digests = bytes.uncheckedLoad(at: limit &+ 2 &* slot, as: SIMD8<UInt16>.self)
        #if _endian(big)
        return digests &>> 8 | digests &<< 8
        #else
        return digests
        #endif
    }

    /// Whether the header's scale and all digests are what the keys give; true where there are none.
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
