/// Narrows the position of a key by the eight bytes after the shared prefix (``SearchKey/digest(after:)``), not by the
/// stored 16-bit digests.
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
    /// True if a record with the searched digest was found. The search then stops: several records may share the
    /// digest, so complete keys must be compared.
    private var foundEqual = false

    private static let pivots = 7

    /// - Parameters:
    ///   - wanted: digest of the searched key.
    ///   - skip: length of the shared prefix that the digests leave out, in bytes. The key and all records around it
    ///     have this prefix.
    ///   - low: the smallest possible position.
    ///   - high: the largest possible position.
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
        var (smaller, notGreater) = (0, 0)
        for pivot in 1...Self.pivots {
            guard let found = block.record(Self.slot(start, span, pivot))?.record else { return false }
            let digest = SearchKey(found.key).digest(after: skip)
            smaller &+= digest < wanted ? 1 : 0
            notGreater &+= digest <= wanted ? 1 : 0
        }
        if smaller > 0 { low = Self.slot(start, span, smaller) &+ 1 }
        if notGreater < Self.pivots { high = Self.slot(start, span, notGreater &+ 1) }
        foundEqual = notGreater > smaller
        return true
    }

    @inline(__always)
    private static func slot(_ start: Int, _ span: Int, _ pivot: Int) -> Int {
        start &+ (span &* pivot) &>> 3
    }
}
