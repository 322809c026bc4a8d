/// A position between two records of a segment, for one reader.
///
/// After a seek, a cursor is used in one direction and with one `visible`. If the segment is mapped, records stay valid
/// until the reader is released. Otherwise they stay valid until the cursor's next fill or seek, or until the cursor or
/// the reader is released.
struct SegmentCursor {
    let reader: SegmentReader
    /// See ``SegmentReader/block(_:pin:caching:)``.
    let caching: Bool
    /// The block at the position, and its number; ``Block/empty`` and −1 before the first seek.
    var block = Block.empty
    var number = -1
    /// The slot of the record after the position.
    var slot = 0
    /// Pins ``block``.
    var pin = BlockPin()
    /// Forward: true if the visible version of the current key was already appended.
    var isDone = false
    /// Backward: the newest visible version of the current key so far. Newer versions may follow.
    var candidate: Record?
    /// The result of the first steps of a seek.
    private var approach = Approach()
    /// The read-ahead of the current scan.
    private var ahead = BlockReadAhead()
    /// True if the cursor left the candidate's block, which ``candidatePin`` now pins.
    var isCandidateHeld = false
    /// Pins the block of a candidate that the cursor has left. Replaced only by the next such block, because the
    /// candidate may have been appended and must stay valid until the next fill.
    var candidatePin = BlockPin()

    /// The progress of a seek that is taken in steps. A caller that seeks in several segments takes each step in all of
    /// them before the next step, so that their cache misses overlap.
    private struct Approach {
        /// The block of the key; −1 before the first step.
        var block = -1
        /// The slots around the key, in that block, which is then the current one; nil before the second step.
        var slots: (low: Int, high: Int)?
    }

    /// A new cursor. A seek must position it before use.
    /// - Parameter caching: see ``SegmentReader/block(_:pin:caching:)``.
    init(_ reader: SegmentReader, caching: Bool = true) {
        self.reader = reader
        self.caching = caching
    }

    /// Forward, moves before the first record whose key is not smaller than `key`; nil: to the start. Backward, moves
    /// after the last record whose key is smaller than `key`; nil: to the end.
    ///
    /// `key` may point into a record that the cursor has returned.
    /// - Parameter count: number of records that are likely to be read from there.
    mutating func seek(
        _ key: Bytes?, _ direction: ScanDirection = .forward, reading count: Int = 0
    ) throws(StoreError) {
        let pins = (pin, candidatePin)
        defer { withExtendedLifetime(pins) {} }
        begin(key)
        guard reader.blockIndex.blockCount > 0 else { return }
        if let key { return try seek(key, reading: Self.near(direction, count)) }
        if direction == .forward { return try enter(0) }
        try enter(reader.blockIndex.blockCount - 1, isForward: false)
        slot = block.count
    }

    /// The slots to prefetch, relative to the position. Both directions have the same position. Only the records that
    /// are likely to be read are on its other side.
    @inline(__always)
    private static func near(_ direction: ScanDirection, _ count: Int) -> Range<Int> {
        let count = min(count, maxPrefetchedRecords)
        return direction == .forward ? 0..<count : -count..<0
    }

    /// Releases pinned blocks. The next use must be a seek.
    mutating func rest() {
        approach = Approach()
        reset()
        pin = BlockPin()
        candidatePin = BlockPin()
    }

    /// The first step of a seek to `key`: finds the block, and prefetches the parts of it that the second step reads
    /// first. The caller must then seek.
    mutating func approach(_ key: Bytes) {
        approach = Approach()
        if reader.blockIndex.blockCount > 0 { approach.block = findBlock(of: key) }
    }

    /// The second step of a seek: finds the slots around the key, and prefetches the records that are likely to be
    /// read. Blocks of records that the cursor returned are no longer pinned.
    mutating func narrow(_ key: Bytes, _ direction: ScanDirection, reading count: Int) throws(StoreError) {
        guard approach.block >= 0 else { return }
        reset()
        approach.slots = try narrow(key, in: approach.block, reading: Self.near(direction, count))
    }

    /// Starts a seek. Resets the position unless the previous steps already have.
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

    /// Most records to prefetch at a seek. A longer scan prefetches later records as it proceeds.
    private static let maxPrefetchedRecords = 16

    /// The last step of a seek. Takes the earlier steps too, if they were not taken.
    /// - Parameter near: slots that will be read next, relative to the slot that the seek finds.
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

    /// Finds the block of a key and prefetches both of its ends.
    @inline(__always)
    private func findBlock(of key: Bytes) -> Int {
        // Borrowed, because the cursor holds the reader and a retain is not needed.
        Borrowed(reader).with { reader in
            let block = reader.blockIndex.search(key, BlockIndex.beforeAllVersions)
            reader.prefetch(block)
            return block
        }
    }

    /// Enters a block and finds the slots around a key.
    @inline(__always)
    private mutating func narrow(
        _ key: Bytes, in next: Int, reading near: Range<Int>
    ) throws(StoreError) -> (low: Int, high: Int) {
        try enter(next, isForward: near.lowerBound >= 0)
        guard let slots = block.slots(around: key, reading: near) else { throw reader.malformed(number) }
        return slots
    }

    /// Makes a block the current one and moves to its start.
    /// - Parameter isForward: the likely direction of a scan that starts there.
    mutating func enter(_ next: Int, isForward: Bool = true) throws(StoreError) {
        ahead.enter(next, of: reader, isForward: isForward)
        block = try reader.block(next, pin: &pin, caching: caching)
        number = next
        slot = 0
    }
}
