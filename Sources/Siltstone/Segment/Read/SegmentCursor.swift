/// A position between two records of a segment, for one reader.
///
/// After a seek a cursor is used in one direction and with one `visible`. Records stay valid until the cursor's next
/// fill or seek, as long as the cursor and the reader live; from a mapping, as long as the reader lives.
struct SegmentCursor {
    let reader: SegmentReader
    /// Whether blocks that are read go into the cache.
    let caching: Bool
    /// The block around the position, and its number; ``Block/empty`` and −1 before the first seek.
    var block = Block.empty
    var number = -1
    /// The record behind the position.
    var slot = 0
    /// Keeps ``block``.
    var pin = BlockPin()
    /// Forward: whether the version that counts of the current key was handed out.
    var isDone = false
    /// Backward: the version that counts so far of the current key, whose newer ones are still to come.
    var candidate: Record?
    /// What was found for the seek to come by the steps before it.
    private var approach = Approach()
    /// What the walk has asked the disk for.
    private var ahead = BlockReadAhead()
    /// Whether the candidate's block was left, and is kept by ``candidatePin``.
    var isCandidateHeld = false
    /// Keeps a block that was left with a candidate in it. Replaced only when another one is: the candidate may have
    /// been handed out and must stay valid until the next fill.
    var candidatePin = BlockPin()

    /// How far a seek has come that is taken step by step: who seeks in several segments takes each step in all of them before
    /// the next, so that what one of them waits for is loaded meanwhile for all.
    private struct Approach {
        /// The block of the key; −1 before the first step.
        var block = -1
        /// The slots of that block around the key, which is the current one then; nil before the second step.
        var slots: (low: Int, high: Int)?
    }

    /// A cursor that must be positioned by a seek.
    /// - Parameter caching: as of ``SegmentReader/block(_:pin:caching:)``.
    init(_ reader: SegmentReader, caching: Bool = true) {
        self.reader = reader
        self.caching = caching
    }

    /// Moves before the first record with a key not before `key`; to the start where that is nil.
    ///
    /// The key may be one that the cursor has handed out.
    /// - Parameter count: records that are likely to be read from there.
    mutating func seekForward(_ key: Bytes?, reading count: Int = 0) throws(StoreError) {
        let pins = (pin, candidatePin)
        defer { withExtendedLifetime(pins) {} }
        begin(key)
        guard reader.fences.blockCount > 0 else { return }
        guard let key else { return try enter(0) }
        try seek(key, reading: 0..<min(count, Self.greatestReading))
    }

    /// Moves behind the last record with a key before `key`; to the end where that is nil.
    ///
    /// The key may be one that the cursor has handed out.
    /// - Parameter count: records that are likely to be read from there.
    mutating func seekBackward(_ key: Bytes?, reading count: Int = 0) throws(StoreError) {
        let pins = (pin, candidatePin)
        defer { withExtendedLifetime(pins) {} }
        begin(key)
        guard reader.fences.blockCount > 0 else { return }
        // The same place: what is behind the position for one direction is before it for the other.
        if let key { return try seek(key, reading: -min(count, Self.greatestReading)..<0) }
        try enter(reader.fences.blockCount - 1, isForward: false)
        slot = block.count
    }

    /// Gives up blocks that are kept alive. To be followed by a seek.
    mutating func rest() {
        approach = Approach()
        reset()
        pin = BlockPin()
        candidatePin = BlockPin()
    }

    /// The first step of a seek to a key, which has to follow: finds its block, and has that part of it loaded that is looked at
    /// first.
    mutating func approach(_ key: Bytes) {
        approach = Approach()
        if reader.fences.blockCount > 0 { approach.block = findBlock(of: key) }
    }

    /// The second step: finds the records around the key, and has those loaded that are likely to be read. Blocks that were
    /// handed out are not kept from here on.
    mutating func narrow(_ key: Bytes, _ direction: ScanDirection, reading count: Int) throws(StoreError) {
        guard approach.block >= 0 else { return }
        reset()
        let count = min(count, Self.greatestReading)
        approach.slots = try narrow(
            key, in: approach.block, reading: direction == .forward ? 0..<count : -count..<0)
    }

    /// Begins a seek, if it has not been taken step by step.
    @inline(__always)
    private mutating func begin(_ key: Bytes?) {
        if key == nil { approach = Approach() }
        if approach.slots == nil { reset() }
    }

    private mutating func reset() {
        block = .empty
        number = -1
        slot = 0
        isDone = false
        candidate = nil
        isCandidateHeld = false
        ahead.restart()
    }

    /// Records that are asked for when a place was sought: a longer walk asks for what comes later while it is under way.
    private static let greatestReading = 16

    @inline(__always)
    private mutating func seek(_ key: Bytes, reading near: Range<Int>) throws(StoreError) {
        let slots: (low: Int, high: Int)
        if let found = approach.slots {
            slots = found
            approach.slots = nil
        } else {
            slots = try narrow(key, in: findBlock(of: key), reading: near)
        }
        guard let found = block.lowerBound(key, BlockIndex.beforeAllVersions, in: slots, reading: near) else {
            throw reader.malformed(number)
        }
        slot = found
    }

    @inline(__always)
    private func findBlock(of key: Bytes) -> Int {
        // Not retained for all that follows: the cursor keeps it.
        Borrowed(reader).with { reader in
            let block = reader.fences.search(key, BlockIndex.beforeAllVersions)
            reader.prefetch(block)
            return block
        }
    }

    @inline(__always)
    private mutating func narrow(
        _ key: Bytes, in next: Int, reading near: Range<Int>
    ) throws(StoreError) -> (low: Int, high: Int) {
        try enter(next, isForward: near.lowerBound >= 0)
        let hint = Borrowed(reader).with { $0.fences.hint(of: next) }
        guard let slots = block.slots(around: key, hint: hint, reading: near) else { throw reader.malformed(number) }
        return slots
    }

    /// Makes a block the current one, and stands at its start.
    /// - Parameter isForward: which way a walk that begins there is likely to go on.
    mutating func enter(_ next: Int, isForward: Bool = true) throws(StoreError) {
        ahead.enter(next, of: reader, isForward: isForward)
        block = try reader.block(next, pin: &pin, caching: caching)
        number = next
        slot = 0
    }
}
