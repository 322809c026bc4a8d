extension ScanIterator {
    /// Moves to the first entry, in scan order, that does not come before `key`. Moves ahead or back, but only within
    /// the scan's ranges.
    mutating func seek(to key: [UInt8]) throws(StoreError) {
        try checkPlace()
        // A backward scan starts below its position, so the position is the first key above `key`.
        var place = direction == .forward ? key : key + [0]
        if ranges != nil {
            ranges?.skip(before: place)
            guard let range = ranges?.next() else { return finish() }
            enter(range)
        }
        if let nearEnd, isBefore(place, nearEnd) { place = nearEnd }
        guard left > 0 else { return }
        do throws(StoreError) { _ = try move(to: place, isOnward: false) } catch { try fail(error) }
    }

    /// Moves to the next range that has records.
    /// - Returns: whether there is one.
    mutating func readNextRange() throws(StoreError) -> Bool {
        while let range = ranges?.next() {
            enter(range)
            if try move(to: nearEnd, isOnward: true) { return true }
        }
        return false
    }

    /// Moves to the start of a range that follows the current one.
    mutating func moveOn(to range: KeyRange) throws(StoreError) {
        enter(range)
        do throws(StoreError) { _ = try move(to: nearEnd, isOnward: true) } catch { try fail(error) }
    }

    /// Makes a range the current one.
    mutating func enter(_ range: KeyRange) {
        nearEnd = range.nearEnd(direction)
        farEnd = range.farEnd(direction)
    }

    /// Ends the scan: no records are left.
    private mutating func finish() {
        (next, end) = (span.end, span.end)
        isLastSpan = true
    }

    /// Whether a position comes before another one, in scan order.
    private func isBefore(_ place: [UInt8], _ other: [UInt8]) -> Bool {
        direction == .forward ? place.lexicographicallyPrecedes(other) : other.lexicographicallyPrecedes(place)
    }

    // MARK: Positions

    /// Moves to a position in the current range. If the span of records that was read last includes the position, this
    /// finds it there. Otherwise it seeks all sources, which takes as long as reading some sixty records.
    /// - Parameters:
    ///   - place: in a forward scan the first key to visit; in a backward scan the first key above those to visit; nil
    ///     for the start of the scan.
    ///   - isOnward: whether the position does not come before the next record.
    /// - Returns: whether the range has records from there on.
    private mutating func move(to place: [UInt8]?, isOnward: Bool) throws(StoreError) -> Bool {
        isLastSpan = false
        guard isStarted, let place, let found = placeInSpan(place, isOnward: isOnward) else {
            return try readFirstSpan(place)
        }
        return try resume(at: found)
    }

    /// Finds the first record from a position on; nil if the span of records that was read last does not include the
    /// position.
    private func placeInSpan(_ place: [UInt8], isOnward: Bool) -> RecordPlace? {
        guard span.start != span.end else { return nil }
        return withContiguousBytes(place) { place in
            guard isOnward || !isFrom(span.start, place) || isAt(span.start, place), isFrom(span.end - 1, place)
            else { return nil }
            let last = span.end - 1 - span.start
            return span.start + (0..<last).partitioningIndex { isFrom(span.start + $0, place) }
        }
    }

    /// Whether a record is exactly at a position, so that no earlier record can be. Always false in a backward scan,
    /// whose positions are exclusive.
    private func isAt(_ record: RecordPlace, _ place: Bytes) -> Bool {
        direction == .forward && compareKeys(record.key, place) == 0
    }
}
