// ``KeyValueReader`` describes each requirement.
//
// A read checks before and after it enters a super version that the snapshot is open. A release in between lets a
// compaction drop the versions that the snapshot has kept, and the read would miss them.
//
// Cursors keep the engine alive, and not the snapshot: their super version keeps the records that they see.
extension Snapshot: KeyValueReader {
    /// Runs a read of the snapshot.
    @inline(__always)
    private func whileOpen<R>(_ read: () throws(StoreError) -> R) throws(StoreError) -> R {
        try check()
        let result = try read()
        try check()
        return result
    }

    /// Returns the snapshot itself.
    public func stable() -> Snapshot { self }

    /// Returns a copy of the value of a key.
    public func _copyValue(_ key: RawSpan) throws(StoreError) -> [UInt8]? {
        try whileOpen { () throws(StoreError) in try reads.get(key.bytes, at: sequence) }
    }

    /// Pins the value of a key.
    public func _pin(_ key: RawSpan) throws(StoreError) -> PinnedValue {
        try check()
        let value = reads.pin(key.bytes, at: sequence)
        do {
            try check()
        } catch {
            if !value.isUnclear { reads.unpin(value) }
            throw error
        }
        return value
    }

    /// Ends a pin.
    public func _unpin(_ value: PinnedValue) { reads.unpin(value) }

    /// Runs `body` with the value of a key, if it has one. The slow path, for a key that ``_pin(_:)`` left unclear.
    public func _withValue(_ key: RawSpan, _ body: (RawSpan) throws -> Void) throws {
        try check()
        _ = try reads.read(key.bytes, at: sequence, sharing: body)
        try check()
    }

    /// Whether a key has a value.
    public func _contains(_ key: RawSpan) throws(StoreError) -> Bool {
        try whileOpen { () throws(StoreError) in try reads.contains(key.bytes, at: sequence) }
    }

    /// Looks up many keys in one super version: `fill` appends keys to a group, and `body` gets the index and the value
    /// of each key.
    public func _withValues(
        _ fill: (KeyGroup) -> Void, _ body: (Int, RawSpan?) -> Bool
    ) throws(StoreError) {
        try whileOpen { () throws(StoreError) in try reads.readGroups(at: sequence, fill, body) }
    }

    /// Starts a scan.
    public func _makeIterator(
        from: [UInt8]?, to: [UInt8]?, reverse: Bool, limit: Int?
    ) throws(StoreError) -> InlinedIterator {
        try whileOpen { () throws(StoreError) in
            try scans.makeIterator(at: sequence, from: from, to: to, reverse: reverse, limit: limit)
        }
    }

    /// Makes a cursor.
    public func _makeCursor(
        from: [UInt8]?, to: [UInt8]?, reverse: Bool, limit: Int?
    ) throws(StoreError) -> Cursor {
        let range = KeyRange(from: from, to: to)
        let direction: ScanDirection = reverse ? .backward : .forward
        return try whileOpen { () throws(StoreError) in
            Cursor(try ScanIterator(scans, at: sequence, over: range, direction, limit: limit), keeping: engine)
        }
    }

    /// Starts one scan over all of the ranges, which seeks from one to the next.
    public func _makeIterator(over ranges: [KeyRange], reverse: Bool, limit: Int?) throws(StoreError) -> InlinedIterator
    {
        try whileOpen { () throws(StoreError) in
            try scans.makeIterator(at: sequence, over: ranges, reverse: reverse, limit: limit)
        }
    }

    /// Makes a cursor that seeks from one range to the next.
    public func _makeCursor(over ranges: [KeyRange], reverse: Bool, limit: Int?) throws(StoreError) -> Cursor {
        let direction: ScanDirection = reverse ? .backward : .forward
        return try whileOpen { () throws(StoreError) in
            Cursor(try ScanIterator(scans, at: sequence, over: ranges, direction, limit: limit), keeping: engine)
        }
    }

    /// Estimates how much a range holds now, not at the time of the snapshot. An estimate cannot tell versions apart.
    public func _estimate(_ range: KeyRange) throws(StoreError) -> RangeEstimate {
        try check()
        return try reads.estimate(range)
    }

    /// Returns a copy of the value of a key. Suspends where ``_copyValue(_:)`` blocks.
    public func _copyValueAsync(_ key: [UInt8]) async throws(StoreError) -> [UInt8]? {
        try check()
        let value = try await reads.readWithoutBlocking(key, at: sequence, needsValue: true) {
            $0.map { [UInt8]($0) }
        }
        try check()
        return value
    }

    /// Whether a key has a value. Suspends where ``_contains(_:)`` blocks.
    public func _containsAsync(_ key: [UInt8]) async throws(StoreError) -> Bool {
        try check()
        let isFound = try await reads.readWithoutBlocking(key, at: sequence, needsValue: false) { $0 != nil }
        try check()
        return isFound
    }

    /// Returns copies of the values of several keys. Suspends if a read would block.
    public func _copyValuesAsync(_ keys: [[UInt8]]) async throws(StoreError) -> [[UInt8]?] {
        try check()
        let values = try await reads.copyValues(of: keys, at: sequence)
        try check()
        return values
    }
}
