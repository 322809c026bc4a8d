extension MemTableCursor {
    /// Adds the next records in key order to a batch. If it adds none, the end is reached.
    /// - Parameters:
    ///   - limit: how many at most; the batch's room is a limit too.
    ///   - visible: of each key only the newest version with at most this sequence number, tombstones included, and none
    ///     of keys that have no such version; nil for all versions, newest first.
    /// - Complexity: O(records), and O(versions newer than `visible`).
    mutating func fillForward(_ batch: inout RecordBatch, limit: Int, visible: SequenceNumber?) {
        let target = batch.count &+ min(limit, batch.capacity &- batch.count)
        if let visible {
            fillForward(&batch, upTo: target, visible: visible)
        } else {
            fillAllVersions(&batch, upTo: target)
        }
    }

    /// Adds the records before the position to a batch, in descending key order, as ``fillForward(_:limit:visible:)``.
    mutating func fillBackward(_ batch: inout RecordBatch, limit: Int, visible: SequenceNumber) {
        let target = batch.count &+ min(limit, batch.capacity &- batch.count)
        while batch.count < target {
            if index == 0 {
                // What the leaf on the left holds now is below the first key that this one held then.
                if slotCount == 0 { return }
                seek(slot(0).key, before: true)
                if index == 0 { return }
            }
            let end = index
            let start = max(0, end &- (target &- batch.count))
            index = start
            var current = end
            if copyHeaders(start, end) <= visible {
                while current > start {
                    current &-= 1
                    batch.append(slot(current).record(headers[current]))
                }
            } else {
                while current > start {
                    current &-= 1
                    if let entry = table.tree.version(slot(current), visible: visible) { batch.append(entry.record) }
                }
            }
        }
    }

    private mutating func fillForward(_ batch: inout RecordBatch, upTo target: Int, visible: SequenceNumber) {
        while batch.count < target {
            if index >= slotCount {
                if next == 0 { return }
                loadNext()
            }
            var current = index
            let end = min(slotCount, current &+ (target &- batch.count))
            index = end
            if copyHeaders(current, end) <= visible {
                while current < end {
                    batch.append(slot(current).record(headers[current]))
                    current &+= 1
                }
            } else {
                while current < end {
                    if let entry = table.tree.version(slot(current), visible: visible) { batch.append(entry.record) }
                    current &+= 1
                }
            }
        }
    }

    private mutating func fillAllVersions(_ batch: inout RecordBatch, upTo target: Int) {
        while batch.count < target {
            while older != 0, batch.count < target {
                let entry = table.entry(older)
                batch.append(entry.record)
                older = entry.previous
            }
            if index >= slotCount {
                if next == 0 { return }
                loadNext()
            }
            var current = index
            let end = min(slotCount, current &+ (target &- batch.count))
            _ = copyHeaders(current, end)
            prefetchEnds(current, end)
            while current < end, older == 0 {
                let entry = slot(current)
                batch.append(entry.record(headers[current]))
                older = entry.previous
                current &+= 1
            }
            index = current
        }
    }

    /// Has the rest of the entries `[start, end)` loaded, up to some lines of each, behind what ``copyHeaders(_:_:)`` has had
    /// loaded: for whoever copies them whole, as they lie where they were inserted.
    @inline(__always)
    private func prefetchEnds(_ start: Int, _ end: Int) {
        for index in start..<end {
            let lengths = headers[index].lengths
            let size = MemTableEntry.headerSize &+ Int(lengths & 0xffff_ffff) &+ Int(lengths &>> 32)
            slot(index).prefetchRest(min(size, 512))
        }
    }

    /// Copies the headers of the entries `[start, end)`.
    ///
    /// Loops apart, because they are short: the cache misses of many entries overlap in them, where the loop that fills a
    /// batch would have room for a dozen in the processor's window. The line behind the header is where most values begin.
    /// - Returns: the greatest of their sequence numbers.
    @inline(__always)
    private func copyHeaders(_ start: Int, _ end: Int) -> SequenceNumber {
        for index in start..<end { slot(index).prefetch() }
        var greatest: UInt64 = 0
        for index in start..<end {
            let header = slot(index).header
            headers[index] = header
            greatest = max(greatest, header.tag)
        }
        return greatest &>> 8
    }
}
