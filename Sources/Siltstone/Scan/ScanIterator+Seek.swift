extension ScanIterator {
    /// Makes a scan over several ranges, sorted and disjoint, which seeks from one to the next.
    init(
        _ path: ScanPath, at snapshot: SequenceNumber?, over ranges: [KeyRange], _ direction: ScanDirection, limit: Int?
    ) throws(StoreError) {
        var iterator = RangeIterator(ranges, direction)
        let first = iterator.next()
        try self.init(
            path, at: snapshot, direction, stopBound: first?.stopBound(direction), limit: first == nil ? 0 : limit)
        startBound = first?.startBound(direction)
        self.ranges = iterator
    }

    /// Moves to the first entry, in scan order, that does not come before `key`. Moves ahead or back, but only within
    /// the scan's ranges.
    mutating func seek(to key: [UInt8]) throws(StoreError) {
        try checkNotFailed()
        // A backward scan starts with the key below its position, so the position is the successor of `key`.
        var position = direction == .forward ? key : key + [0]
        if ranges != nil {
            ranges?.seek(to: position)
            guard let range = ranges?.next() else { return finish() }
            enter(range)
        }
        if let startBound, isBefore(position, startBound) { position = startBound }
        guard remaining > 0 else { return }
        do throws(StoreError) { _ = try move(to: position, isOnward: false) } catch { try fail(error) }
    }

    /// Moves to the next range that has records.
    /// - Returns: whether there is one.
    mutating func readNextRange() throws(StoreError) -> Bool {
        while let range = ranges?.next() {
            enter(range)
            if try move(to: startBound, isOnward: true) { return true }
        }
        return false
    }

    /// Moves to the start of a range that follows the current one.
    mutating func moveOn(to range: KeyRange) throws(StoreError) {
        enter(range)
        do throws(StoreError) { _ = try move(to: startBound, isOnward: true) } catch { try fail(error) }
    }

    /// Makes a range the current one.
    mutating func enter(_ range: KeyRange) {
        startBound = range.startBound(direction)
        stopBound = range.stopBound(direction)
    }

    /// Ends the scan: no records are left.
    private mutating func finish() {
        (next, rowEnd) = (span.end, span.end)
        isLastRow = true
    }

    /// Whether a position comes before another one, in scan order.
    private func isBefore(_ position: [UInt8], _ other: [UInt8]) -> Bool {
        direction == .forward ? position.lexicographicallyPrecedes(other) : other.lexicographicallyPrecedes(position)
    }

    // MARK: Positions

    /// Moves to a position in the current range. If the current span includes the position, searches the span.
    /// Otherwise seeks in all sources, which takes as long as reading some sixty records.
    /// - Parameters:
    ///   - position: nil for the first key in scan order.
    ///   - isOnward: true if the scan has not passed the position yet.
    /// - Returns: whether the range has records from there on.
    private mutating func move(to position: [UInt8]?, isOnward: Bool) throws(StoreError) -> Bool {
        isLastRow = false
        guard isStarted, let position, let found = recordInSpan(position, isOnward: isOnward) else {
            return try readFirstRow(position)
        }
        return try resume(at: found)
    }

    /// Finds the first record after a position; nil if the current span does not include the position.
    private func recordInSpan(_ position: [UInt8], isOnward: Bool) -> RecordPlace? {
        guard span.start != span.end else { return nil }
        return withContiguousBytes(position) { position in
            guard isOnward || !isPast(span.start, position) || isAt(span.start, position),
                isPast(span.end - 1, position)
            else { return nil }
            let last = span.end - 1 - span.start
            return span.start + (0..<last).partitioningIndex { isPast(span.start + $0, position) }
        }
    }

    /// Whether a record is the first possible one after a position. A backward scan cannot tell, because there is no
    /// largest key below a position.
    private func isAt(_ record: RecordPlace, _ position: Bytes) -> Bool {
        direction == .forward && compareKeys(record.key, position) == 0
    }
}
