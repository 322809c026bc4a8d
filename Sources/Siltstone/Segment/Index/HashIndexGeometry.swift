/// The shape of a hash index: a hash table from the key to the address of its newest record
/// (`Docs/Format.md`, "Hash index").
///
/// The table is a row of pages, each a table of its own with buckets of one cache line: 12 fingerprints of 8 bits,
/// an overflow filter of 32 bits, 12 words of 32 bits. A word holds an address in its low bits and more of the
/// fingerprint in those that the address does not need. So a lookup touches one page, mostly one line of it, and a
/// missing key is refused there.
///
/// It stands where an engine in the manner of LevelDB has Bloom filters and a search: here the filter is the index. A
/// perfect hash (CHD) is smaller by a quarter but takes five times as long to build.
struct HashIndexGeometry: Hashable, Sendable {
    static let bucketBytes = 64
    static let entriesPerBucket = 12
    static let maximumBucketsPerPage = 64
    /// Bytes of a page where there are several.
    static let pageBytes = bucketBytes * maximumBucketsPerPage
    /// Entries that a page is meant to have. Of its 768 places so many are empty that one key in 27 is not in its own
    /// bucket, and costs a second line from memory; with 660 entries it would be one in 13, with 540 one in 40.
    static let entriesPerPage = 580

    var pageCount: Int
    /// A power of two of at most 64, and 64 where there are several pages.
    var bucketsPerPage: Int
    /// Bits of a word that are the address.
    var addressBits: Int

    /// No table: the segment has no records, or too many of its keys have the same hash.
    static let none = HashIndexGeometry(pageCount: 0, bucketsPerPage: 1, addressBits: 32)

    init(pageCount: Int, bucketsPerPage: Int, addressBits: Int) {
        self.pageCount = pageCount
        self.bucketsPerPage = bucketsPerPage
        self.addressBits = addressBits
    }

    /// The shape for a number of keys in a number of bytes.
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
    var placesPerPage: Int { bucketsPerPage * Self.entriesPerBucket }

    var isValid: Bool {
        (1...32).contains(addressBits) && pageCount <= 1 << 26
            && (bucketsPerPage == Self.maximumBucketsPerPage
                || pageCount <= 1 && bucketsPerPage > 0 && bucketsPerPage <= Self.maximumBucketsPerPage
                    && bucketsPerPage & (bucketsPerPage - 1) == 0)
    }

    // MARK: Which bits of the hash are for what

    /// The page of a hash: its high bits, by multiplication (Lemire, "Fast random integer generation in an
    /// interval", 2019).
    @inline(__always)
    func page(of hash: UInt64) -> Int {
        Int(truncatingIfNeeded: hash.multipliedFullWidth(by: UInt64(truncatingIfNeeded: pageCount)).high)
    }

    @inline(__always)
    func bucket(of hash: UInt64) -> Int { Int(truncatingIfNeeded: hash) & (bucketsPerPage &- 1) }

    /// From 1 to 255; 0 marks an empty place.
    @inline(__always)
    static func fingerprint(of hash: UInt64) -> UInt8 {
        UInt8(truncatingIfNeeded: ((((hash &>> 6) & 0xff) &* 255) &>> 8) &+ 1)
    }

    /// The bit of the overflow filter.
    @inline(__always)
    static func overflowBit(of hash: UInt64) -> UInt32 { 1 &<< UInt32(truncatingIfNeeded: (hash &>> 14) & 31) }

    /// A word without its address.
    @inline(__always)
    func wordTag(of hash: UInt64) -> UInt32 {
        UInt32(truncatingIfNeeded: (hash &>> 19) &<< UInt64(truncatingIfNeeded: addressBits))
    }

    @inline(__always)
    var addressMask: UInt32 { UInt32(truncatingIfNeeded: (UInt64(1) &<< UInt64(truncatingIfNeeded: addressBits)) &- 1) }
}
