/// What the fences around a block tell of the keys in it, and of the key that they lead to it.
struct BlockHint {
    /// Bytes that all of them begin with.
    var skip: Int
    /// The digests, of what is behind those, of the block's fence and of the next one, which is greater.
    var first: UInt64
    var next: UInt64

    /// Where a digest is expected among `count` records, as far as keys are spread evenly.
    @inline(__always)
    func guess(_ digest: UInt64, _ count: Int) -> Int {
        guard digest > first else { return 0 }
        guard digest < next else { return count }
        return Int(Double(count) * (Double(digest &- first) / Double(next &- first)))
    }
}

/// Narrows down where a key is among records of a block, by the eight bytes of their keys that tell them apart.
///
/// A block that was not looked at lately is in none of the processor's caches, and a binary search waits for each
/// record before it knows the next one to look at. Here seven records at a time are looked at, whose addresses do not
/// depend on each other, so that they are waited for at once.
struct BlockSearch {
    /// The place is not before `low` and not behind `high`.
    private(set) var low: Int
    private(set) var high: Int
    private let block: Block
    private let skip: Int
    private let wanted: UInt64
    /// Whether a record with the digest that is looked for was met: digests then tell no more.
    private var hasMet = false

    private static let pivots = 7

    /// - Parameters:
    ///   - wanted: the digest of the key that is looked for.
    ///   - skip: bytes that the digests leave out; the key has them, and all records around it.
    ///   - low: the place is not before it.
    ///   - high: the place is not behind it.
    @inline(__always)
    init(_ block: Block, _ wanted: UInt64, skip: Int, _ low: Int, _ high: Int) {
        self.block = block
        self.wanted = wanted
        self.skip = skip
        self.low = low
        self.high = high
    }

    /// Narrows the range down to a few records, or to those that digests do not tell apart: looks first at those around
    /// the place where the key is likely to be, most of which a scan reads anyway, then at some that are spread evenly.
    /// - Returns: false where a slot leads nowhere.
    @inline(__always)
    mutating func run(_ hint: BlockHint) -> Bool {
        guard block.count >= Self.pivots else { return true }
        let guess = hint.guess(wanted, block.count)
        let start = max(-1, min(guess &- (Self.pivots + 1) / 2, block.count &- (Self.pivots + 1)))
        guard compare(start, span: Self.pivots + 1) else { return false }
        return narrow()
    }

    /// Narrows the range down by records that are spread evenly.
    /// - Returns: false where a slot leads nowhere.
    @inline(__always)
    mutating func narrow() -> Bool {
        while !hasMet, high &- low > 3 {
            guard compare(low, span: high &- low) else { return false }
        }
        return true
    }

    /// Compares with seven records, at the eighths of `span` slots from `start` on.
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
        hasMet = notBehind > before
        return true
    }

    @inline(__always)
    private static func slot(_ start: Int, _ span: Int, _ pivot: Int) -> Int {
        start &+ (span &* pivot) &>> 3
    }
}
