extension Snapshot: KeyValueReader {
    /// The snapshot itself.
    public func stable() -> Snapshot { self }

    /// The value of a key, copied.
    public func _copyValue(_ key: UnsafeRawBufferPointer) throws(StoreError) -> [UInt8]? {
        try check()
        return try engine.get(key, at: sequence)
    }

    /// Pins the value of a key.
    public func _pin(_ key: UnsafeRawBufferPointer) throws(StoreError) -> PinnedValue {
        try check()
        return engine.lend(key, at: sequence)
    }

    /// Ends a pin.
    public func _unpin(_ value: PinnedValue) { engine.takeBack(value) }

    /// The long look behind an unclear pin.
    public func _withValue(_ key: UnsafeRawBufferPointer, _ body: (RawSpan) throws -> Void) throws {
        try check()
        _ = try engine.read(key, at: sequence, sharing: body)
    }

    /// Whether a key has a value.
    public func _contains(_ key: UnsafeRawBufferPointer) throws(StoreError) -> Bool {
        try check()
        return try engine.contains(key, at: sequence)
    }

    /// Begins a walk.
    public func _beginWalk(
        from: [UInt8]?, to: [UInt8]?, reverse: Bool, limit: Int?
    ) throws(StoreError) -> InlinedWalk {
        try check()
        return try engine.beginWalk(at: self, from: from, to: to, reverse: reverse, limit: limit)
    }

    /// Makes a cursor.
    public func _makeCursor(
        from: [UInt8]?, to: [UInt8]?, reverse: Bool, limit: Int?
    ) throws(StoreError) -> Cursor {
        try check()
        return Cursor(
            try ScanWalk(engine, at: self, ScanRange(from: from, to: to, reverse: reverse, limit: limit)))
    }

    /// The value of a key, copied.
    public func _copyValue(waiting key: [UInt8]) async throws(StoreError) -> [UInt8]? {
        try check()
        return try await engine.readWithoutBlocking(key, at: sequence, needsValue: true) { $0.map { [UInt8]($0) } }
    }

    /// Whether a key has a value.
    public func _contains(waiting key: [UInt8]) async throws(StoreError) -> Bool {
        try check()
        return try await engine.readWithoutBlocking(key, at: sequence, needsValue: false) { $0 != nil }
    }

    /// Starts to read several values.
    public func _beginReading(_ keys: [some Collection<UInt8>]) -> Bool {
        engine.beginReading(keys, at: sequence)
    }

    /// Runs work on a thread of the store's own.
    public func _onBlockingQueue<R: Sendable>(
        _ body: @escaping @Sendable () throws(StoreError) -> R
    ) async throws(StoreError) -> R {
        try await engine.onBlockingQueue(body)
    }
}
