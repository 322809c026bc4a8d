/// The search for one hash in one page of a point index: the addresses that may be the key's, one after the other.
struct PointIndexProbe {
    private let page: UnsafeRawPointer
    private let hash: UInt64
    private let geometry: PointIndexGeometry
    private var bucket: Int
    /// Buckets not yet looked into.
    private var left: Int
    /// The places that match and were not handed out: bit 8·i for place i below 8, bit 8·i + 4 for place 8 + i.
    ///
    /// One word for both parts: a branch on which of them has the match is a coin toss, and a wrong guess is found out
    /// only when the line has come from memory, after which nothing of the next lookup has been begun.
    private var matches: UInt64

    /// - Parameter page: the page that the hash belongs to, whose checksum is known to be right.
    @inline(__always)
    init(_ page: UnsafeRawPointer, hash: UInt64, geometry: PointIndexGeometry) {
        self.page = page
        self.hash = hash
        self.geometry = geometry
        bucket = geometry.bucket(of: hash)
        left = geometry.bucketsPerPage
        matches = 0
        match()
    }

    @inline(__always)
    private var line: UnsafeRawPointer { page + bucket &* PointIndexGeometry.bucketBytes }

    /// Marks the bytes that are zero, and perhaps a 1 behind a zero (Mycroft, 1987). The exact form takes more
    /// instructions than the rare false mark, which the tag of the word refuses, or, at an empty place, its address.
    @inline(__always)
    private static func zeroBytes(_ word: UInt64) -> UInt64 {
        (word &- 0x0101_0101_0101_0101) & ~word & 0x8080_8080_8080_8080
    }

    @inline(__always)
    private mutating func match() {
        let pattern = UInt64(PointIndexGeometry.fingerprint(of: hash)) &* 0x0101_0101_0101_0101
        let first = UInt64(littleEndian: line.loadUnaligned(as: UInt64.self))
        let second = UInt64(littleEndian: line.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
        let low = Self.zeroBytes(first ^ pattern)
        let high = Self.zeroBytes(second ^ pattern) & 0xffff_ffff
        matches = (low &>> 7) | (high &>> 3)
    }

    @inline(__always)
    private func word(_ place: Int) -> UInt32 {
        UInt32(littleEndian: line.loadUnaligned(fromByteOffset: 16 &+ 4 &* place, as: UInt32.self))
    }

    /// The next address, or nil where the key is not in the segment if it was not at one of those before.
    @inline(__always)
    mutating func next() -> Int? {
        let mask = geometry.addressMask
        let tag = geometry.wordTag(of: hash)
        while true {
            while matches != 0 {
                let bit = matches.trailingZeroBitCount
                let place = (bit &>> 3) &+ (bit & 4) &* 2
                matches &= matches &- 1
                let word = word(place)
                // No record is at address 0, where a block's header is: that is an empty place.
                if word & ~mask == tag, word & mask != 0 { return Int(word & mask) }
            }
            left &-= 1
            let filter = UInt32(littleEndian: line.loadUnaligned(fromByteOffset: 12, as: UInt32.self))
            if _fastPath(filter & PointIndexGeometry.overflowBit(of: hash) == 0) || left <= 0 { return nil }
            bucket = (bucket &+ 1) & (geometry.bucketsPerPage &- 1)
            match()
        }
    }
}
