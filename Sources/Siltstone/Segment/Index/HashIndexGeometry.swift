/// The geometry of a hash index: a hash table from each key to the address of its newest record (`Docs/Format.md`,
/// "Hash index").
///
/// The table is an array of pages. Each page is a hash table of its own with buckets of one cache line: 12 fingerprints
/// of 8 bits, an overflow filter of 32 bits, and 12 words of 32 bits. A word holds an address in its low bits and more
/// bits of the hash in the bits that the address does not need. So a lookup reads one page, and usually one line of it.
/// That line also rejects most missing keys.
///
/// LevelDB-like engines have Bloom filters and a binary search instead. Here the index is also the filter. A perfect
/// hash (CHD) is smaller by a quarter, but takes five times as long to build.
struct HashIndexGeometry: Hashable, Sendable {
    static let bucketBytes = 64
    static let entriesPerBucket = 12
    static let maximumBucketsPerPage = 64
    /// Target number of entries per page. A page has 768 slots. At 580 entries, one key in 27 is not in its own bucket
    /// and costs a second cache miss. At 660 entries it would be one in 13, at 540 one in 40.
    static let entriesPerPage = 580

    var pageCount: Int
    /// A power of two, at most 64. Exactly 64 if there are several pages.
    var bucketsPerPage: Int
    /// Bits of a word that hold the address.
    var addressBits: Int

    /// No table: the segment has no records, or too many of its keys have the same hash.
    static let none = HashIndexGeometry(pageCount: 0, bucketsPerPage: 1, addressBits: 32)

}

extension HashIndexGeometry {
    /// The geometry for a number of keys and the block bytes of the segment.
    init(keys: Int, dataBytes: Int) {
        addressBits = max(1, Int.bitWidth - max(0, dataBytes - 1).leadingZeroBitCount)
        pageCount = (keys + Self.entriesPerPage - 1) / Self.entriesPerPage
        bucketsPerPage = Self.maximumBucketsPerPage
        if pageCount == 1 {
            bucketsPerPage = 1
            while bucketsPerPage * Self.entriesPerPage < keys * Self.maximumBucketsPerPage { bucketsPerPage *= 2 }
        }
    }

    var byteCount: Int { pageCount * pageByteCount }
    var pageByteCount: Int { bucketsPerPage &* Self.bucketBytes }
    /// Entries that fit into a page.
    var placesPerPage: Int { bucketsPerPage * Self.entriesPerBucket }

    /// True if the values are in their ranges. They may come from a corrupt file.
    var isValid: Bool {
        (1...32).contains(addressBits) && pageCount <= 1 << 26
            && (bucketsPerPage == Self.maximumBucketsPerPage
                || pageCount <= 1 && bucketsPerPage > 0 && bucketsPerPage <= Self.maximumBucketsPerPage
                    && bucketsPerPage & (bucketsPerPage - 1) == 0)
    }

    // MARK: Bits of the hash

    /// The page of a hash: its high bits, by multiplication (Lemire, "Fast random integer generation in an interval",
    /// 2019).
    @inline(__always)
    func page(of hash: UInt64) -> Int {
        Int(truncatingIfNeeded: hash.multipliedFullWidth(by: UInt64(truncatingIfNeeded: pageCount)).high)
    }

    @inline(__always)
    func bucket(of hash: UInt64) -> Int { Int(truncatingIfNeeded: hash) & (bucketsPerPage &- 1) }

    /// The fingerprint, from 1 to 255. 0 marks an empty slot.
    @inline(__always)
    static func fingerprint(of hash: UInt64) -> UInt8 {
        UInt8(truncatingIfNeeded: ((((hash &>> 6) & 0xff) &* 255) &>> 8) &+ 1)
    }

    /// The bit of the overflow filter.
    @inline(__always)
    static func overflowBit(of hash: UInt64) -> UInt32 { 1 &<< UInt32(truncatingIfNeeded: (hash &>> 14) & 31) }

    /// The word of a hash, without the address.
    @inline(__always)
    func wordTag(of hash: UInt64) -> UInt32 {
        UInt32(truncatingIfNeeded: (hash &>> 19) &<< UInt64(truncatingIfNeeded: addressBits))
    }

    @inline(__always)
    var addressMask: UInt32 { UInt32(truncatingIfNeeded: (UInt64(1) &<< UInt64(truncatingIfNeeded: addressBits)) &- 1) }
}
