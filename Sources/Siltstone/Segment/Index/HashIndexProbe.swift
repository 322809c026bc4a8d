/// Searches one page of a hash index for one hash. Returns the candidate addresses one after another.
struct HashIndexProbe {
    private let page: Bytes
    private let hash: UInt64
    private let geometry: HashIndexGeometry
    private var bucket: Int
    /// Buckets searched before this one.
    private var passed = 0
    private var line: HashIndexLine
    /// The matching slots that were not returned yet.
    private var matches: UInt32

    /// - Parameter page: the page of the hash. Its checksum must be verified.
    init(_ page: Bytes, hash: UInt64, geometry: HashIndexGeometry) {
        self.page = page
        self.hash = hash
        self.geometry = geometry
        bucket = geometry.bucket(of: hash)
        line = HashIndexLine(page, bucket: bucket, hash: hash)
        matches = line.matches
    }

    /// The next candidate address; nil if there are no more. If the key was at none of them, the segment does not
    /// contain it.
    mutating func next() -> Int? {
        let mask = geometry.addressMask
        let tag = geometry.wordTag(of: hash)
        while true {
            while matches != 0 {
                let word = line.word(at: matches)
                matches &= matches &- 1
                // No record has address 0, because a block's header is there.
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
