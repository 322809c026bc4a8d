/// The search for one hash in one page of a hash index: the addresses that may be the key's, one after the other.
struct HashIndexProbe {
    private let page: Bytes
    private let hash: UInt64
    private let geometry: HashIndexGeometry
    private var bucket: Int
    /// Buckets looked into before this one.
    private var passed = 0
    private var line: HashIndexLine
    /// The places that match and were not handed out.
    private var matches: UInt32

    /// - Parameter page: the page that the hash belongs to, whose checksum is known to be right.
    init(_ page: Bytes, hash: UInt64, geometry: HashIndexGeometry) {
        self.page = page
        self.hash = hash
        self.geometry = geometry
        bucket = geometry.bucket(of: hash)
        line = HashIndexLine(page, bucket: bucket, hash: hash)
        matches = line.matches
    }

    /// The next address, or nil where the key is not in the segment if it was not at one of those before.
    mutating func next() -> Int? {
        let mask = geometry.addressMask
        let tag = geometry.wordTag(of: hash)
        while true {
            while matches != 0 {
                let word = line.word(at: matches)
                matches &= matches &- 1
                // No record is at address 0, where a block's header is.
                if word & ~mask == tag, word & mask != 0 { return Int(word & mask) }
            }
            guard line.hasOverflowed else { return nil }
            passed &+= 1
            if passed == geometry.bucketsPerPage { return nil }
            bucket = (bucket &+ 1) & (geometry.bucketsPerPage &- 1)
            line = HashIndexLine(page, bucket: bucket, hash: hash)
            matches = line.matches
        }
    }
}
