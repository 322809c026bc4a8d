import CInstructions

/// One bucket of a page of a hash index, looked at for one hash.
struct HashIndexLine {
    private let bytes: Bytes
    private let hash: UInt64

    /// The bucket that a hash belongs to.
    /// - Parameter page: the page that the hash belongs to.
    @inline(__always)
    init(_ page: Bytes, hash: UInt64, _ geometry: HashIndexGeometry) {
        self.init(page, bucket: geometry.bucket(of: hash), hash: hash)
    }

    @inline(__always)
    init(_ page: Bytes, bucket: Int, hash: UInt64) {
        bytes = page.uncheckedSlice(bucket &* HashIndexGeometry.bucketBytes, HashIndexGeometry.bucketBytes)
        self.hash = hash
    }

    /// Asks for it.
    @inline(__always)
    func prefetch() { Prefetch.line(bytes) }

    /// The places with the hash's fingerprint: bit i for place i.
    ///
    /// All twelve at once: a branch on where the match is is a coin toss, and a wrong guess is found out only when the line
    /// has come from memory, after which nothing of the next lookup has been begun.
    @inline(__always)
    var matches: UInt32 {
        unsafe siltstone_find_byte(bytes.start, HashIndexGeometry.fingerprint(of: hash)) & Self.allPlaces
    }

    private static let allPlaces: UInt32 = (1 << UInt32(HashIndexGeometry.entriesPerBucket)) - 1

    /// The word of the first place of a set as ``matches`` gives it; of any place where there is none.
    @inline(__always)
    func word(at matches: UInt32) -> UInt32 {
        // 32, where there is none, becomes a place in the line, too.
        let place = matches.trailingZeroBitCount & 15
        return bytes.uncheckedInteger(at: 16 &+ 4 &* place)
    }

    /// Whether a key with this hash may be in a later bucket.
    @inline(__always)
    var hasOverflowed: Bool {
        let filter: UInt32 = bytes.uncheckedInteger(at: 12)
        return filter & HashIndexGeometry.overflowBit(of: hash) != 0
    }
}
