/// A position between two records of a segment, for one reader.
///
/// After a seek, a cursor is used in one direction and with one `visible`. If the segment is mapped and not compressed
/// (``SegmentReader/isPinless``), records stay valid until the reader is released. Otherwise they stay valid until the
/// cursor's next fill or seek, or until the cursor or the reader is released.
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
    /// Forward: true if the visible version of the current key was already appended. Not maintained by fills that need no
    /// sequence numbers.
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
    /// `key` may point into a record that the cursor has returned, unless ``narrow(_:_:reading:)`` was called.
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

    /// The slots to prefetch, relative to the position. A seek finds the same position in both directions. Forward, the
    /// records after it are read next; backward, those before it.
    @inline(__always)
    private static func near(_ direction: ScanDirection, _ count: Int) -> Range<Int> {
        let count = min(count, maxPrefetchedRecords)
        // Backward at least one, because the range also tells the direction.
        return direction == .forward ? 0..<count : -max(1, count)..<0
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

// A scan prefetches records some distance ahead (``ReadAhead``). This works because slots give the addresses of records
// independently of each other. The processor's own prefetcher recognises the pattern for some record lengths, and waits
// for every record for others. Loads instead of prefetch hints were slower (13 against 10 ns a record), because they
// cost more and stall like any other load.
extension SegmentCursor {
    /// Appends the next records in a direction. If it appends none, the end is reached.
    /// - Parameters:
    ///   - batch: receives at most `limit` more records, and no more than its capacity.
    ///   - visible: a sequence number: appends the newest version of each key that is not newer, including tombstones.
    ///     Nil: appends all versions, newest first, but backward only the newest ones.
    ///   - numbered: true if the records need their sequence numbers. Decoding them takes a quarter of the time of a scan.
    ///     May change from true to false between two fills. After a change from false to true, a seek must follow;
    ///     otherwise an older version of the last key may be appended.
    mutating func fill(
        _ batch: inout RecordBatch, _ direction: ScanDirection = .forward, limit: Int, visible: SequenceNumber?,
        numbered: Bool = true
    ) throws(StoreError) {
        let last = min(batch.capacity, batch.count + limit)
        switch direction {
        case .forward: try fillForward(&batch, upTo: last, visible: visible, numbered: numbered)
        case .backward: try fillBackward(&batch, upTo: last, visible: visible ?? .greatest, numbered: numbered)
        }
    }

    // One function for each direction: in a common one, the loops over records have too few registers.
    @inline(never)
    private mutating func fillForward(
        _ batch: inout RecordBatch, upTo last: Int, visible: SequenceNumber?, numbered: Bool
    ) throws(StoreError) {
        let first = batch.count
        while batch.count < last {
            if slot >= block.count {
                // The appended records point into this block, and the cursor pins only one block.
                if !reader.isPinless, batch.count > first { return }
                guard number >= 0, number + 1 < reader.blockIndex.blockCount else { return }
                try enter(number + 1)
                ReadAhead.prefetchSlots(behind: block)
            }
            switch visible {
            case nil: try walkForward(&batch, upTo: last)
            case let visible? where numbered || visible < reader.info.greatestSequence:
                try walkForward(&batch, upTo: last, visible: visible)
            default: try walkNewestForward(&batch, upTo: last)
            }
        }
    }

    @inline(never)
    private mutating func fillBackward(
        _ batch: inout RecordBatch, upTo last: Int, visible: SequenceNumber, numbered: Bool
    ) throws(StoreError) {
        let first = batch.count
        while batch.count < last {
            if slot == 0 {
                if !reader.isPinless, batch.count > first { return }
                guard number > 0 else { return }
                // The versions of one key may start in the preceding block, so the candidate's block must stay pinned.
                if candidate != nil, !isCandidateHeld {
                    candidatePin = pin
                    isCandidateHeld = true
                }
                try enter(number - 1)
                slot = block.count
                ReadAhead.prefetchSlots(before: block)
            }
            if numbered || visible < reader.info.greatestSequence {
                try walkBackward(&batch, upTo: last, visible: visible)
            } else {
                try walkNewestBackward(&batch, upTo: last)
            }
        }
    }

    /// Appends all versions of the current block.
    @inline(__always)
    private mutating func walkForward(_ batch: inout RecordBatch, upTo last: Int) throws(StoreError) {
        let block = self.block
        let ahead = ReadAhead(block)
        let end = min(block.count, slot &+ last &- batch.count)
        var next = slot
        while next < end {
            let offset = block.offset(ofSlot: next)
            ahead.prefetch(behind: offset)
            guard let found = block.record(at: offset) else { throw reader.malformed(number) }
            batch.append(found.record)
            next &+= 1
        }
        slot = next
    }

    /// Appends the visible versions of the current block.
    @inline(__always)
    private mutating func walkForward(
        _ batch: inout RecordBatch, upTo last: Int, visible: SequenceNumber
    ) throws(StoreError) {
        let block = self.block
        let ahead = ReadAhead(block)
        var next = slot
        var isDone = self.isDone
        while next < block.count, batch.count < last {
            let offset = block.offset(ofSlot: next)
            ahead.prefetch(behind: offset)
            guard let found = block.record(at: offset) else { throw reader.malformed(number) }
            next &+= 1
            if _slowPath(found.isOlder && isDone) { continue }
            isDone = found.record.sequence <= visible
            if isDone { batch.append(found.record) }
        }
        slot = next
        self.isDone = isDone
    }

    /// Appends the newest version of each key of the current block, without its sequence number.
    @inline(__always)
    private mutating func walkNewestForward(_ batch: inout RecordBatch, upTo last: Int) throws(StoreError) {
        let block = self.block
        let ahead = ReadAhead(block)
        var next = slot
        // Keeps the batch's fields in local variables, because the compiler cannot prove that the batch does not alias
        // the block.
        var room = batch.room(upTo: last)
        while next < block.count, !room.isFull {
            let offset = block.offset(ofSlot: next)
            ahead.prefetch(behind: offset)
            try putNewest(block, offset, &room)
            next &+= 1
        }
        slot = next
        batch.grow(to: room)
    }

    /// Iterates backward over the current block. The oldest version of a key comes first, so the visible version is
    /// known only after the newest one was read.
    @inline(__always)
    private mutating func walkBackward(
        _ batch: inout RecordBatch, upTo last: Int, visible: SequenceNumber
    ) throws(StoreError) {
        let block = self.block
        let ahead = ReadAhead(block)
        var next = slot
        while next > 0, batch.count < last {
            next &-= 1
            let offset = block.offset(ofSlot: next)
            ahead.prefetch(before: offset)
            guard let found = block.record(at: offset) else { throw reader.malformed(number) }
            if _fastPath(!found.isOlder && found.record.sequence <= visible) {
                batch.append(found.record)
                candidate = nil
            } else if found.record.sequence <= visible {
                candidate = found.record
                isCandidateHeld = false
            } else if !found.isOlder, let held = candidate {
                batch.append(held)
                candidate = nil
            }
        }
        slot = next
    }

    /// Appends the newest version of each key of the current block, without its sequence number.
    @inline(__always)
    private mutating func walkNewestBackward(_ batch: inout RecordBatch, upTo last: Int) throws(StoreError) {
        let block = self.block
        let ahead = ReadAhead(block)
        var next = slot
        var room = batch.room(upTo: last)
        while next > 0, !room.isFull {
            next &-= 1
            let offset = block.offset(ofSlot: next)
            ahead.prefetch(before: offset)
            try putNewest(block, offset, &room)
        }
        slot = next
        batch.grow(to: room)
    }

    /// Puts the record at an offset into `room`, without its sequence number, if it is the newest version of its key.
    @inline(__always)
    private func putNewest(_ block: Block, _ offset: Int, _ room: inout RecordBuffer) throws(StoreError) {
        guard let found = block.record(at: offset) else { throw reader.malformed(number) }
        if _slowPath(found.isOlder) { return }
        room.put(found.record.unnumbered)
    }
}

/// Prefetches records that a scan will reach soon, in the current block or the next one. The next block usually follows
/// in memory.
///
/// Estimates the distance as if all records of a block had the same length. Reading their slots instead takes twice as
/// long, for records that are contiguous anyway.
private struct ReadAhead {
    /// Records to prefetch ahead.
    static let records = 16

    private let bytes: Bytes
    /// Bytes of ``records`` records of average length.
    private let distance: Int
    /// `last`: offset from which a forward prefetch reaches into the next block. `first`: offset below which a backward
    /// prefetch reaches into the preceding block.
    private let last: Int
    private let first: Int
    /// Bytes between the records of two adjacent blocks.
    private let gap: Int

    @inline(__always)
    init(_ block: Block) {
        bytes = block.bytes
        distance = block.limit / max(1, block.count) &* Self.records
        last = block.limit &- distance
        first = block.layout.headerSize &+ distance
        gap = block.length &- block.limit &+ block.layout.headerSize
    }

    /// Prefetches the slots of the following block, assuming that it has as many slots as this one.
    static func prefetchSlots(behind block: Block) {
        Prefetch.lines(block.bytes, at: 2 &* block.length &- 2 &* block.count, count: 2 &* block.count)
    }

    /// Prefetches the slots of the preceding block, assuming that it has as many slots as this one.
    static func prefetchSlots(before block: Block) {
        Prefetch.lines(block.bytes, at: -2 &* block.count, count: 2 &* block.count)
    }

    @inline(__always)
    func prefetch(behind offset: Int) {
        Prefetch.twoLines(bytes, at: offset &+ distance &+ (offset < last ? 0 : gap))
    }

    @inline(__always)
    func prefetch(before offset: Int) {
        Prefetch.twoLines(bytes, at: offset &- distance &- (offset >= first ? 0 : gap))
    }
}
