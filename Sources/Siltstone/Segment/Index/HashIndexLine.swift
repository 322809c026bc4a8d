import CInstructions

/// One bucket of a hash-index page, searched for one hash.
struct HashIndexLine {
    private let bytes: Bytes
    private let hash: UInt64

    /// The bucket of a hash.
    /// - Parameter page: the page of the hash.
    @inline(__always)
    init(_ page: Bytes, hash: UInt64, _ geometry: HashIndexGeometry) {
        self.init(page, bucket: geometry.bucket(of: hash), hash: hash)
    }

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
    /// Compares all twelve at once. A branch on the position of the match would be mispredicted half of the time. The
    /// processor would notice that only when the line has arrived from memory, and until then could start nothing of
    /// the next lookup.
    @inline(__always)
    var matches: UInt32 {
        unsafe siltstone_find_byte(bytes.start, HashIndexGeometry.fingerprint(of: hash)) & Self.allPlaces
    }

    private static let allPlaces: UInt32 = (1 << UInt32(HashIndexGeometry.entriesPerBucket)) - 1

    /// The word of the first slot in a set from ``matches``. Returns the word of an arbitrary slot if the set is empty.
    @inline(__always)
    func word(at matches: UInt32) -> UInt32 {
        // An empty set gives 32 trailing zeros. The mask turns that into a slot of the line.
        let place = matches.trailingZeroBitCount & 15
        return bytes.uncheckedInteger(at: 16 &+ 4 &* place)
    }

    /// True if a key with this hash may be in a later bucket.
    @inline(__always)
    var hasOverflowed: Bool {
        let filter: UInt32 = bytes.uncheckedInteger(at: 12)
        return filter & HashIndexGeometry.overflowBit(of: hash) != 0
    }
}
