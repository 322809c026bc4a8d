/// One bucket of a hash-index page, searched for one hash.
///
/// A bucket is one cache line of 64 bytes: 12 fingerprints of one byte, an overflow filter of 4 bytes, and 12 words of 4
/// bytes. Fingerprint and word of the same number are a *slot*, which stands for one record (``HashIndexGeometry``).
struct HashIndexLine {
    private let bytes: Bytes
    private let hash: UInt64

    /// - Parameters:
    ///   - page: the page on which slots of this hash are.
    ///   - bucket: the bucket in which a hash's slot is (``HashIndexGeometry/bucket(of:)``), or one after it if that has
    ///     overflowed.
    @inline(__always)
    init(_ page: Bytes, bucket: Int, hash: UInt64) {
        bytes = page.uncheckedSlice(bucket &* HashIndexGeometry.bucketBytes, HashIndexGeometry.bucketBytes)
        self.hash = hash
    }

    /// Prefetches the bucket.
    @inline(__always)
    func prefetch() { Prefetch.line(bytes) }

    /// The slots with the hash's fingerprint: bit i is set for slot i.
    ///
    /// Compares all fingerprints at once. A loop that ends at the match would be mispredicted half of the time. The
    /// processor would notice that only when the line has arrived from memory. Until then it could start nothing of the
    /// next lookup.
    @inline(__always)
    var matches: UInt32 {
        bytes.uncheckedPlaces(of: HashIndexGeometry.fingerprint(of: hash)) & Self.allPlaces
    }

    /// A bit for each slot. The comparison covers 16 bytes, the last 4 of which are the overflow filter.
    private static let allPlaces: UInt32 = (1 << UInt32(HashIndexGeometry.entriesPerBucket)) - 1

    /// The word of the first slot in a set from ``matches``: the record's address and some bits of its hash. Returns the
    /// word of an arbitrary slot if the set is empty.
    @inline(__always)
    func word(at matches: UInt32) -> UInt32 {
        // An empty set has 32 trailing zeros, which the mask turns into slot 0. The words start at byte 16.
        let place = matches.trailingZeroBitCount & 15
        return bytes.uncheckedInteger(at: 16 &+ 4 &* place)
    }

    /// True if a key with this hash may be in a later bucket. The filter starts at byte 12.
    @inline(__always)
    var hasOverflowed: Bool {
        let filter: UInt32 = bytes.uncheckedInteger(at: 12)
        return filter & HashIndexGeometry.overflowBit(of: hash) != 0
    }
}
