// The store as a reader of its newest state. ``KeyValueReader`` and ``EngineReader`` describe each requirement. Those with
// an underscore are public only for the generic code of ``KeyValueReader``, which is inlined into other modules.
extension KeyValueStore: EngineReader {
    /// Nil: reads see the newest change.
    var visible: SequenceNumber? { nil }

    /// Checks nothing: there is no snapshot that could have been released.
    func check() {}

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
        if value.end() { finish(value) }
        // Keeps the store alive until here. Pinned bytes are valid only while the engine exists, and once this function
        // is inlined, the compiler may release the last reference to the store earlier.
        withExtendedLifetime(self) {}
    }

    @usableFromInline
    func finish(_ value: PinnedValue) { reads.superVersions.finish(value) }

    /// Runs `body` with the value of a key, if it has one. ``KeyValueReader`` calls this if ``_pin(_:)`` could not decide
    /// without reading a block.
    public func _withValue(_ key: RawSpan, _ body: (RawSpan) throws -> Void) throws {
        _ = try reads.read(key.bytes, sharing: body)
    }

    /// Whether a key has a value.
    public func _contains(_ key: RawSpan) throws(StoreError) -> Bool {
        try reads.contains(key.bytes)
    }

    /// Starts a scan.
    public func _makeIterator(
        from: [UInt8]?, to: [UInt8]?, reverse: Bool, limit: Int?
    ) throws(StoreError) -> InlinedIterator {
        try scans.makeIterator(at: nil, from: from, to: to, reverse: reverse, limit: limit)
    }

    /// Returns copies of the values of several keys. Reads a snapshot, so that all values are from one moment although
    /// the reads may suspend.
    public func _copyValuesAsync(_ keys: [[UInt8]]) async throws(StoreError) -> [[UInt8]?] {
        try await snapshot()._copyValuesAsync(keys)
    }
}
