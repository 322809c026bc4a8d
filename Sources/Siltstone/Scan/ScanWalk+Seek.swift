extension ScanWalk {
    /// Goes to the first entry that does not come before `key` in the walk's direction, ahead or back, within its ranges.
    mutating func seek(to key: [UInt8]) throws(StoreError) {
        try checkPlace()
        // A walk backward begins below its place.
        var place = direction == .forward ? key : key + [0]
        if ranges != nil {
            guard let range = ranges?.seek(place) else { return finish() }
            enter(range)
        }
        if let nearEnd, isBefore(place, nearEnd) { place = nearEnd }
        guard left > 0 else { return }
        do throws(StoreError) { _ = try stand(at: place, isOnward: false) } catch { try fail(error) }
    }

    /// Goes on to the next range that has records.
    /// - Returns: whether there is one.
    mutating func readNextRange() throws(StoreError) -> Bool {
        while let range = ranges?.next() {
            enter(range)
            if try stand(at: nearEnd, isOnward: true) { return true }
        }
        return false
    }

    private mutating func enter(_ range: KeyRange) {
        nearEnd = range.nearEnd(direction)
        farEnd = range.farEnd(direction)
    }

    /// Has nothing left.
    private mutating func finish() {
        (next, end) = (span.end, span.end)
        isLastSpan = true
    }

    private func isBefore(_ place: [UInt8], _ other: [UInt8]) -> Bool {
        direction == .forward ? place.lexicographicallyPrecedes(other) : other.lexicographicallyPrecedes(place)
    }

    // MARK: Places

    /// Stands at a place of the current range: in the records that were read last, where it is among them, else by a seek of
    /// all sources, which takes as long as some sixty records.
    /// - Parameters:
    ///   - place: forward the first key that counts; backward the first that does not; nil for the first of all.
    ///   - isOnward: whether the place is not before what comes next.
    /// - Returns: whether records follow in the range.
    private mutating func stand(at place: [UInt8]?, isOnward: Bool) throws(StoreError) -> Bool {
        isLastSpan = false
        guard isStarted, let place, let found = placeInSpan(place, isOnward: isOnward) else {
            return try readFirstSpan(place)
        }
        return try goOn(at: found)
    }

    /// The first record from a place on, where the records that were read last hold it.
    private func placeInSpan(_ place: [UInt8], isOnward: Bool) -> RecordPlace? {
        guard span.start != span.end else { return nil }
        return withContiguousBytes(place) { place in
            guard isOnward || !isFrom(span.start, place) || isAt(span.start, place), isFrom(span.end - 1, place)
            else { return nil }
            var low = span.start
            var high = span.end - 1
            while low < high {
                let middle = low + (high - low) / 2
                if isFrom(middle, place) { high = middle } else { low = middle + 1 }
            }
            return low
        }
    }

    /// Whether a record comes from a place on, in this direction.
    private func isFrom(_ record: RecordPlace, _ place: Bytes) -> Bool {
        let order = compareKeys(record.key, place)
        return direction == .forward ? order >= 0 : order < 0
    }

    /// Whether a record is the first that a place can have.
    private func isAt(_ record: RecordPlace, _ place: Bytes) -> Bool {
        direction == .forward && compareKeys(record.key, place) == 0
    }
}
