/// One bucket of a page of a point index, looked at for one hash.
struct PointIndexLine {
    private let address: UnsafeRawPointer
    private let hash: UInt64

    /// The bucket that a hash belongs to.
    /// - Parameter page: the page that the hash belongs to.
    @inline(__always)
    init(_ page: UnsafeRawPointer, hash: UInt64, _ geometry: PointIndexGeometry) {
        self.init(page, bucket: geometry.bucket(of: hash), hash: hash)
    }

    @inline(__always)
    init(_ page: UnsafeRawPointer, bucket: Int, hash: UInt64) {
        address = page + bucket &* PointIndexGeometry.bucketBytes
        self.hash = hash
    }

    /// The places with the hash's fingerprint: bit 8·i for place i below 8, bit 8·i + 4 for place 8 + i.
    ///
    /// One word for both parts: a branch on which of them has the match is a coin toss, and a wrong guess is found out
    /// only when the line has come from memory, after which nothing of the next lookup has been begun.
    @inline(__always)
    var matches: UInt64 {
        let pattern = UInt64(PointIndexGeometry.fingerprint(of: hash)) &* 0x0101_0101_0101_0101
        let first = UInt64(littleEndian: address.loadUnaligned(as: UInt64.self))
        let second = UInt64(littleEndian: address.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
        let low = Self.zeroBytes(first ^ pattern)
        let high = Self.zeroBytes(second ^ pattern) & 0xffff_ffff
        return (low &>> 7) | (high &>> 3)
    }

    /// Marks the bytes that are zero, and perhaps a 1 behind a zero (Mycroft, 1987). The exact form takes more
    /// instructions than the rare false mark, which the tag of the word refuses, or, at an empty place, its address.
    @inline(__always)
    private static func zeroBytes(_ word: UInt64) -> UInt64 {
        (word &- 0x0101_0101_0101_0101) & ~word & 0x8080_8080_8080_8080
    }

    /// The word of the first place of a set as ``matches`` gives it; of any place where there is none.
    @inline(__always)
    func word(at matches: UInt64) -> UInt32 {
        let bit = matches.trailingZeroBitCount & 63
        let place = (bit &>> 3) &+ (bit & 4) &* 2
        return UInt32(littleEndian: address.loadUnaligned(fromByteOffset: 16 &+ 4 &* place, as: UInt32.self))
    }

    /// Whether a key with this hash may be in a later bucket.
    @inline(__always)
    var hasOverflowed: Bool {
        let filter = UInt32(littleEndian: address.loadUnaligned(fromByteOffset: 12, as: UInt32.self))
        return filter & PointIndexGeometry.overflowBit(of: hash) != 0
    }
}
