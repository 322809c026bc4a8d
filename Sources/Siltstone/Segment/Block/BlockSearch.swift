/// Narrows the position of a key in a block by digests: the eight bytes of each key after the shared prefix.
///
/// A block that was not read recently is in none of the processor's caches, and a binary search waits for each record
/// before it knows the next one to read. This search reads seven records at a time. Their addresses do not depend on
/// each other, so their cache misses overlap.
struct BlockSearch {
    /// The position is at least `low` and at most `high`.
    private(set) var low: Int
    private(set) var high: Int
    private let block: Block
    private let skip: Int
    private let wanted: UInt64
    /// True if a record with the searched digest was found. Digests cannot narrow the range further.
    private var foundEqual = false

    private static let pivots = 7

    /// - Parameters:
    ///   - wanted: digest of the searched key.
    ///   - skip: length of the shared prefix that the digests leave out, in bytes. The key and all records around it
    ///     have this prefix.
    ///   - low: lower bound of the position.
    ///   - high: upper bound of the position.
    @inline(__always)
    init(_ block: Block, _ wanted: UInt64, skip: Int, _ low: Int, _ high: Int) {
        self.block = block
        self.wanted = wanted
        self.skip = skip
        self.low = low
        self.high = high
    }

    /// Narrows the range by records that are spread evenly over it.
    /// - Returns: false if a slot points to no valid record.
    @inline(__always)
    mutating func narrow() -> Bool {
        while !foundEqual, high &- low > 3 {
            guard compare(low, span: high &- low) else { return false }
        }
        return true
    }

    /// Compares seven records, at the eighths of the `span` slots from `start` on.
    @inline(__always)
    private mutating func compare(_ start: Int, span: Int) -> Bool {
        var (before, notBehind) = (0, 0)
        for pivot in 1...Self.pivots {
            guard let found = block.record(Self.slot(start, span, pivot))?.record else { return false }
            let digest = SearchKey(found.key).digest(after: skip)
            before &+= digest < wanted ? 1 : 0
            notBehind &+= digest <= wanted ? 1 : 0
        }
        if before > 0 { low = Self.slot(start, span, before) &+ 1 }
        if notBehind < Self.pivots { high = Self.slot(start, span, notBehind &+ 1) }
        foundEqual = notBehind > before
        return true
    }

    @inline(__always)
    private static func slot(_ start: Int, _ span: Int, _ pivot: Int) -> Int {
        start &+ (span &* pivot) &>> 3
    }
}
