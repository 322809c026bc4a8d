// Records are reached by their slots, whose addresses do not depend on each other: the processor is told of records some
// way ahead (``ReadAhead``). Left to itself it recognises what comes next for some lengths of records, and waits for each
// record for others. Loads instead of hints were slower (13 against 10 ns a record): they cost more, and wait like any
// other.
extension SegmentCursor {
    /// Appends the next records in ascending order.
    /// - Parameters:
    ///   - batch: gets at most `limit` records more, and no more than it has room for.
    ///   - visible: where given, each key's newest version with at most that sequence number, tombstones included;
    ///     where nil, all versions, newest first. None appended means that the end is reached.
    ///   - numbered: whether the records get their sequence numbers: to read them takes a quarter of the time.
    mutating func fillForward(
        _ batch: inout RecordBatch, limit: Int, visible: SequenceNumber?, numbered: Bool = true
    ) throws(StoreError) {
        let first = batch.count
        let last = min(batch.capacity, first + limit)
        while batch.count < last {
            if slot >= block.count {
                // What was appended lies in this block, and the cursor keeps one only.
                if !reader.isPinless, batch.count > first { return }
                guard number >= 0, number + 1 < reader.fences.blockCount else { return }
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

    /// Appends the newest version of each key of the current block, without its number.
    @inline(__always)
    private mutating func walkNewestForward(_ batch: inout RecordBatch, upTo last: Int) throws(StoreError) {
        let block = self.block
        let ahead = ReadAhead(block)
        var next = slot
        // In local variables: the compiler does not see that a batch is not what is read.
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

    /// Appends the next records in descending order: each key's newest version with at most `visible` as sequence
    /// number, tombstones included.
    /// - Parameter batch: gets at most `limit` records more; none means that the start is reached.
    mutating func fillBackward(
        _ batch: inout RecordBatch, limit: Int, visible: SequenceNumber, numbered: Bool = true
    ) throws(StoreError) {
        let first = batch.count
        let last = min(batch.capacity, first + limit)
        while batch.count < last {
            if slot == 0 {
                if !reader.isPinless, batch.count > first { return }
                guard number > 0 else { return }
                // The versions of one key may begin in the block before.
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

    /// Walks the current block down. Of each key the oldest version comes first, and what counts is known when its
    /// newest was seen.
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

    /// Appends the newest version of each key of the current block, without its number.
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

    /// Puts the record at an offset into `room`, without its number, if it is the newest version of its key.
    @inline(__always)
    private func putNewest(_ block: Block, _ offset: Int, _ room: inout RecordRoom) throws(StoreError) {
        guard let found = block.record(at: offset) else { throw reader.malformed(number) }
        if _slowPath(found.isOlder) { return }
        room.put(found.record.unnumbered)
    }
}

/// Has records loaded that a walk comes to some way on, in a block or the next one, which usually lies behind it.
///
/// By distance, as if all records of a block were of one length: to look at their slots takes twice as long, for those
/// who lie one behind the other all the same.
private struct ReadAhead {
    /// How many records ahead.
    static let records = 16

    private let bytes: Bytes
    /// Bytes that so many records take.
    private let distance: Int
    /// Where the last records begin that have so many behind them in the block, and the first that have them before.
    private let last: Int
    private let first: Int
    /// Bytes between the records of two blocks.
    private let gap: Int

    @inline(__always)
    init(_ block: Block) {
        bytes = block.bytes
        distance = block.limit / max(1, block.count) &* Self.records
        last = block.limit &- distance
        first = block.layout.headerSize &+ distance
        gap = block.length &- block.limit &+ block.layout.headerSize
    }

    /// Has the slots loaded of the block behind one, as if it had as many.
    static func prefetchSlots(behind block: Block) {
        Prefetch.lines(block.bytes, at: 2 &* block.length &- 2 &* block.count, count: 2 &* block.count)
    }

    /// Has the slots loaded of the block before one.
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
