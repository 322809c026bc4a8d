extension MemTableCursor {
    /// Appends the next records in a direction to a batch. If it appends none, the end is reached.
    /// - Parameters:
    ///   - limit: largest number of records to append; the batch's free capacity is a limit too.
    ///   - visible: the largest visible sequence number. For each key the newest visible version is appended,
    ///     tombstones included; a key without a visible version is skipped. Nil appends all versions, newest first,
    ///     but backward only the newest ones.
    /// - Complexity: O(*n*) in the appended records and the versions newer than `visible`.
    mutating func fill(
        _ batch: inout RecordBatch, _ direction: ScanDirection = .forward, limit: Int, visible: SequenceNumber?
    ) {
        let target = batch.count &+ min(limit, batch.capacity &- batch.count)
        switch (direction, visible) {
        case (.forward, nil): fillAllVersions(&batch, upTo: target)
        case (.forward, let visible?): fillForward(&batch, upTo: target, visible: visible)
        case (.backward, _): fillBackward(&batch, upTo: target, visible: visible ?? .greatest)
        }
    }

    private mutating func fillBackward(_ batch: inout RecordBatch, upTo target: Int, visible: SequenceNumber) {
        while batch.count < target {
            if index == 0 {
                // Copies the leaf of the largest key below the first one of this copy.
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

    /// Appends all versions of each key, newest first. ``older`` keeps the position inside a key between two calls.
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

    /// Prefetches the rest of the entries `[start, end)`, up to 512 bytes of each; ``copyHeaders(_:_:)`` has prefetched
    /// their first lines. For a scan of all versions, because a flush copies complete entries. They lie in the order of
    /// their insertion, which the processor's own prefetching cannot follow.
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
    /// This runs in short loops of its own, so that the cache misses of many entries overlap. In the loop that fills a
    /// batch, only a dozen would fit the processor's instruction window. The line after the header is prefetched too,
    /// because most values start there.
    /// - Returns: the largest of their sequence numbers.
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
