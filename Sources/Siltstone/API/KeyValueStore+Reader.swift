// ``KeyValueReader`` describes each requirement. Those with an underscore are public only for its inlined generic code.
extension KeyValueStore: KeyValueReader {
    /// Returns a snapshot of the current state.
    public func stable() -> Snapshot { snapshot() }

    /// Returns a copy of the value of a key.
    public func _copyValue(_ key: RawSpan) throws(StoreError) -> [UInt8]? {
        try reads.get(key.bytes)
    }

    /// Pins the value of a key.
    public func _pin(_ key: RawSpan) -> PinnedValue { reads.pin(key.bytes) }

    /// Ends a pin.
    @inlinable
    @inline(__always)
    public func _unpin(_ value: PinnedValue) {
        if value.isShared { unpinShared() } else { value.end() }
        // Keeps the store alive until here. Pinned bytes are valid only while the engine exists, and once this function
        // is inlined, the compiler may release the last reference to the store earlier.
        withExtendedLifetime(self) {}
    }

    @usableFromInline
    func unpinShared() { reads.unpinShared() }

    /// Runs `body` with the value of a key, if it has one. Readers call this if ``_pin(_:)`` could not decide without
    /// reading a block.
    public func _withValue(_ key: RawSpan, _ body: (RawSpan) throws -> Void) throws {
        _ = try reads.read(key.bytes, sharing: body)
    }

    /// Whether a key has a value.
    public func _contains(_ key: RawSpan) throws(StoreError) -> Bool {
        try reads.contains(key.bytes)
    }

    /// Looks up many keys in the state of one moment.
    public func _withValues(
        _ fill: (KeyGroup) -> Void, _ body: (Int, RawSpan?) -> Bool
    ) throws(StoreError) {
        try reads.readGroups(at: nil, fill, body)
    }

    /// Starts a scan.
    public func _makeIterator(
        from: [UInt8]?, to: [UInt8]?, reverse: Bool, limit: Int?
    ) throws(StoreError) -> InlinedIterator {
        try scans.makeIterator(at: nil, from: from, to: to, reverse: reverse, limit: limit)
    }

    /// Makes a cursor.
    public func _makeCursor(
        from: [UInt8]?, to: [UInt8]?, reverse: Bool, limit: Int?
    ) throws(StoreError) -> Cursor {
        let range = KeyRange(from: from, to: to)
        let direction: ScanDirection = reverse ? .backward : .forward
        return Cursor(try ScanIterator(scans, at: nil, over: range, direction, limit: limit), keeping: engine)
    }

    /// Starts one scan over all of the ranges, which seeks from one to the next.
    public func _makeIterator(over ranges: [KeyRange], reverse: Bool, limit: Int?) throws(StoreError) -> InlinedIterator
    {
        try scans.makeIterator(at: nil, over: ranges, reverse: reverse, limit: limit)
    }

    /// Makes a cursor that seeks from one range to the next.
    public func _makeCursor(over ranges: [KeyRange], reverse: Bool, limit: Int?) throws(StoreError) -> Cursor {
        let direction: ScanDirection = reverse ? .backward : .forward
        return Cursor(try ScanIterator(scans, at: nil, over: ranges, direction, limit: limit), keeping: engine)
    }

    /// Estimates how much a range holds now.
    public func _estimate(_ range: KeyRange) throws(StoreError) -> RangeEstimate {
        try reads.estimate(range)
    }

    /// Returns a copy of the value of a key. Suspends where ``_copyValue(_:)`` blocks.
    public func _copyValueAsync(_ key: [UInt8]) async throws(StoreError) -> [UInt8]? {
        try await reads.readWithoutBlocking(key, at: nil, needsValue: true) { $0.map { [UInt8]($0) } }
    }

    /// Whether a key has a value. Suspends where ``_contains(_:)`` blocks.
    public func _containsAsync(_ key: [UInt8]) async throws(StoreError) -> Bool {
        try await reads.readWithoutBlocking(key, at: nil, needsValue: false) { $0 != nil }
    }

    /// Returns copies of the values of several keys. Reads a snapshot, so that all values are from one moment although
    /// the reads may suspend.
    public func _copyValuesAsync(_ keys: [[UInt8]]) async throws(StoreError) -> [[UInt8]?] {
        try await snapshot()._copyValuesAsync(keys)
    }
}
