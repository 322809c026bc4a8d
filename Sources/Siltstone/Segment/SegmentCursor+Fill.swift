// Records are reached by their slots, whose addresses do not depend on each other: the processor is told of records some
// way ahead. Left to itself it recognises what comes next for some lengths of records, and waits for each record for
// others. Loads instead of hints were slower (13 against 10 ns a record): they cost more, and wait like any other.
extension SegmentCursor {
    /// How many records ahead.
    private static let reach = 16

    /// Appends the next records in ascending order.
    /// - Parameters:
    ///   - batch: gets at most `limit` records more, and no more than it has room for.
    ///   - visible: where given, each key's newest version with at most that sequence number, tombstones included;
    ///     where nil, all versions, newest first. None appended means that the end is reached.
    mutating func fillForward(
        _ batch: inout RecordBatch, limit: Int, visible: SequenceNumber?
    ) throws(StoreError) {
        let first = batch.count
        let last = min(batch.capacity, first + limit)
        if isFresh { prefetchSought(0..<min(limit, Self.reach)) }
        while batch.count < last {
            if slot >= block.count {
                // What was appended lies in this block, and the cursor keeps one only.
                if !reader.isPinless, batch.count > first { return }
                guard number >= 0, number + 1 < reader.fences.blockCount else { return }
                try enter(number + 1)
            }
            if let visible {
                try walkForward(&batch, upTo: last, visible: visible)
            } else {
                try walkForward(&batch, upTo: last)
            }
        }
    }

    /// Appends all versions of the current block.
    @inline(__always)
    private mutating func walkForward(_ batch: inout RecordBatch, upTo last: Int) throws(StoreError) {
        let end = min(block.count, slot &+ last &- batch.count)
        var next = slot
        while next < end {
            prefetch(next &+ Self.reach, of: block)
            guard let found = block.record(next) else { throw reader.malformed(number) }
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
        var next = slot
        var isDone = self.isDone
        while next < block.count, batch.count < last {
            prefetch(next &+ Self.reach, of: block)
            guard let found = block.record(next) else { throw reader.malformed(number) }
            next &+= 1
            if _slowPath(found.isOlder && isDone) { continue }
            isDone = found.record.sequence <= visible
            if isDone { batch.append(found.record) }
        }
        slot = next
        self.isDone = isDone
    }

    /// Appends the next records in descending order: each key's newest version with at most `visible` as sequence
    /// number, tombstones included.
    /// - Parameter batch: gets at most `limit` records more; none means that the start is reached.
    mutating func fillBackward(
        _ batch: inout RecordBatch, limit: Int, visible: SequenceNumber
    ) throws(StoreError) {
        let first = batch.count
        let last = min(batch.capacity, first + limit)
        if isFresh { prefetchSought(-min(limit, Self.reach)..<0) }
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
            }
            try walkBackward(&batch, upTo: last, visible: visible)
        }
    }

    /// Walks the current block down. Of each key the oldest version comes first, and what counts is known when its
    /// newest was seen.
    @inline(__always)
    private mutating func walkBackward(
        _ batch: inout RecordBatch, upTo last: Int, visible: SequenceNumber
    ) throws(StoreError) {
        let block = self.block
        var next = slot
        while next > 0, batch.count < last {
            next &-= 1
            prefetch(next &- Self.reach, of: block)
            guard let found = block.record(next) else { throw reader.malformed(number) }
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

    /// Has the first records loaded around a position that was sought.
    private mutating func prefetchSought(_ slots: Range<Int>) {
        isFresh = false
        for number in slots { prefetch(slot &+ number, of: block) }
    }

    /// Has a record loaded, or, where the slot is beyond the block, what is there in the next one or the one before if that
    /// is like this one.
    @inline(__always)
    private func prefetch(_ slot: Int, of block: Block) {
        var (slot, base) = (slot, block.base)
        if slot >= block.count {
            slot &-= block.count
            base += block.length
        } else if slot < 0 {
            slot &+= block.count
            base -= block.length
        }
        guard slot >= 0, slot < block.count else { return }
        let record = base + block.offset(ofSlot: slot)
        Prefetch.line(record)
        Prefetch.line(record + Prefetch.lineBytes)
    }
}
