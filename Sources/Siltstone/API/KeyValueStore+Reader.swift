extension KeyValueStore: KeyValueReader {
    /// A snapshot of the store as it is now.
    public func stable() -> Snapshot { snapshot() }

    /// The value of a key, copied.
    public func _copyValue(_ key: RawSpan) throws(StoreError) -> [UInt8]? {
        try key.withBytes { key throws(StoreError) in try reads.get(key) }
    }

    /// Pins the value of a key.
    public func _pin(_ key: RawSpan) -> PinnedValue { key.withBytes { reads.pin($0) } }

    /// Ends a pin.
    @inlinable
    @inline(__always)
    public func _unpin(_ value: PinnedValue) {
        if value.isShared { unpinShared() } else { value.end() }
        // What was pinned lives as long as the engine, and this may be inlined where nothing else keeps that.
        withExtendedLifetime(self) {}
    }

    @usableFromInline
    func unpinShared() { reads.superVersions.leaveShared() }

    /// The long look behind an unclear pin.
    public func _withValue(_ key: RawSpan, _ body: (RawSpan) throws -> Void) throws {
        _ = try key.withBytes { key throws(any Error) in try reads.read(key, sharing: body) }
    }

    /// Whether a key has a value.
    public func _contains(_ key: RawSpan) throws(StoreError) -> Bool {
        try key.withBytes { key throws(StoreError) in try reads.contains(key) }
    }

    /// Looks up many keys on one view.
    public func _withValues(
        _ fill: (KeyGroup) -> Void, _ body: (Int, RawSpan?) -> Bool
    ) throws(StoreError) {
        try reads.readGroups(at: nil, fill, body)
    }

    /// Begins a walk.
    public func _beginWalk(
        from: [UInt8]?, to: [UInt8]?, reverse: Bool, limit: Int?
    ) throws(StoreError) -> InlinedWalk {
        try scans.beginWalk(at: nil, from: from, to: to, reverse: reverse, limit: limit)
    }

    /// Makes a cursor.
    public func _makeCursor(
        from: [UInt8]?, to: [UInt8]?, reverse: Bool, limit: Int?
    ) throws(StoreError) -> Cursor {
        Cursor(
            try ScanWalk(scans, ScanRange(from: from, to: to, reverse: reverse, limit: limit)), keeping: engine)
    }

    /// Begins a walk over all of the ranges, which seeks from one to the next.
    public func _beginWalk(
        over rest: inout ArraySlice<KeyRange>, reverse: Bool, limit: Int?
    ) throws(StoreError) -> InlinedWalk {
        let ranges = Array(rest)
        rest = []
        return try scans.beginWalk(at: nil, over: ranges, reverse: reverse, limit: limit)
    }

    /// Makes a cursor that seeks from one range to the next.
    public func _makeCursor(over ranges: [KeyRange], reverse: Bool, limit: Int?) throws(StoreError) -> Cursor {
        let direction: ScanDirection = reverse ? .backward : .forward
        return Cursor(
            try ScanWalk(scans, at: nil, over: ranges, direction, limit: ScanRange.limit(limit)), keeping: engine
        )
    }

    /// About what a range holds now.
    public func _estimate(_ range: KeyRange) throws(StoreError) -> RangeEstimate {
        try reads.estimate(range)
    }

    /// The value of a key, copied.
    public func _copyValue(waiting key: [UInt8]) async throws(StoreError) -> [UInt8]? {
        try await reads.readWithoutBlocking(key, at: nil, needsValue: true) { $0.map { [UInt8]($0) } }
    }

    /// Whether a key has a value.
    public func _contains(waiting key: [UInt8]) async throws(StoreError) -> Bool {
        try await reads.readWithoutBlocking(key, at: nil, needsValue: false) { $0 != nil }
    }

    /// The values of several keys, copied.
    public func _copyValues(waiting keys: [[UInt8]]) async throws(StoreError) -> [[UInt8]?] {
        try await snapshot()._copyValues(waiting: keys)
    }

    /// Runs work on a thread of the store's own.
    public func _onBlockingQueue<R: Sendable>(
        _ body: @escaping @Sendable () throws(StoreError) -> R
    ) async throws(StoreError) -> R {
        try await reads.blocking.run(body)
    }
}
