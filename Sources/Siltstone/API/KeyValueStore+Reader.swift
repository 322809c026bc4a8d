extension KeyValueStore: KeyValueReader {
    /// A snapshot of the store as it is now.
    public func stable() -> Snapshot { snapshot() }

    /// The value of a key, copied.
    public func _copyValue(_ key: UnsafeRawBufferPointer) throws(StoreError) -> [UInt8]? { try engine.get(key) }

    /// Pins the value of a key.
    public func _pin(_ key: UnsafeRawBufferPointer) -> PinnedValue { engine.lend(key) }

    /// Ends a pin.
    @inlinable
    @inline(__always)
    public func _unpin(_ value: PinnedValue) {
        if value.isShared { unpinShared() } else { value.end() }
        // What was pinned lives as long as the engine, and this may be inlined where nothing else keeps that.
        withExtendedLifetime(self) {}
    }

    @usableFromInline
    func unpinShared() { engine.views.leaveShared() }

    /// The long look behind an unclear pin.
    public func _withValue(_ key: UnsafeRawBufferPointer, _ body: (RawSpan) throws -> Void) throws {
        _ = try engine.read(key, sharing: body)
    }

    /// Whether a key has a value.
    public func _contains(_ key: UnsafeRawBufferPointer) throws(StoreError) -> Bool { try engine.contains(key) }

    /// Begins a walk.
    public func _beginWalk(
        from: [UInt8]?, to: [UInt8]?, reverse: Bool, limit: Int?
    ) throws(StoreError) -> InlinedWalk {
        try engine.beginWalk(at: nil, from: from, to: to, reverse: reverse, limit: limit)
    }

    /// Makes a cursor.
    public func _makeCursor(
        from: [UInt8]?, to: [UInt8]?, reverse: Bool, limit: Int?
    ) throws(StoreError) -> Cursor {
        Cursor(try ScanWalk(engine, ScanRange(from: from, to: to, reverse: reverse, limit: limit)))
    }

    /// The value of a key, copied.
    public func _copyValue(waiting key: [UInt8]) async throws(StoreError) -> [UInt8]? {
        try await engine.readWithoutBlocking(key, at: nil, needsValue: true) { $0.map { [UInt8]($0) } }
    }

    /// Whether a key has a value.
    public func _contains(waiting key: [UInt8]) async throws(StoreError) -> Bool {
        try await engine.readWithoutBlocking(key, at: nil, needsValue: false) { $0 != nil }
    }

    /// Starts to read several values.
    public func _beginReading(_ keys: [some Collection<UInt8>]) -> Bool {
        engine.beginReading(keys, at: nil)
    }

    /// Runs work on a thread of the store's own.
    public func _onBlockingQueue<R: Sendable>(
        _ body: @escaping @Sendable () throws(StoreError) -> R
    ) async throws(StoreError) -> R {
        try await engine.onBlockingQueue(body)
    }
}
