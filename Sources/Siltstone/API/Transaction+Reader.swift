extension Transaction: KeyValueReader {
    /// The transaction itself. Its own later writes do move it.
    public func stable() -> Transaction { self }

    /// The value of a key, copied.
    public func _copyValue(_ key: UnsafeRawBufferPointer) throws(StoreError) -> [UInt8]? {
        switch try read(key) {
        case .unwritten: try snapshot._copyValue(key)
        case .deleted: nil
        case .value(let value): value
        }
    }

    /// Pins the value of a key that the transaction has not written.
    public func _pin(_ key: UnsafeRawBufferPointer) throws(StoreError) -> PinnedValue {
        guard case .unwritten = try read(key) else { return .unclear }
        return try snapshot._pin(key)
    }

    /// Ends a pin.
    public func _unpin(_ value: PinnedValue) { snapshot._unpin(value) }

    /// The long look behind an unclear pin.
    public func _withValue(_ key: UnsafeRawBufferPointer, _ body: (RawSpan) throws -> Void) throws {
        switch try read(key) {
        case .unwritten: try snapshot._withValue(key, body)
        case .deleted: return
        case .value(let value): try body(value.span.bytes)
        }
    }

    /// Whether a key has a value.
    public func _contains(_ key: UnsafeRawBufferPointer) throws(StoreError) -> Bool {
        switch try read(key) {
        case .unwritten: try snapshot._contains(key)
        case .deleted: false
        case .value: true
        }
    }

    /// Begins a walk.
    public func _beginWalk(
        from: [UInt8]?, to: [UInt8]?, reverse: Bool, limit: Int?
    ) throws(StoreError) -> InlinedWalk {
        InlinedWalk(
            try TransactionWalk(self, ScanRange(from: from, to: to, reverse: reverse, limit: limit)))
    }

    /// Makes a cursor.
    public func _makeCursor(
        from: [UInt8]?, to: [UInt8]?, reverse: Bool, limit: Int?
    ) throws(StoreError) -> Cursor {
        Cursor(try TransactionWalk(self, ScanRange(from: from, to: to, reverse: reverse, limit: limit)))
    }

    /// The value of a key, copied.
    public func _copyValue(waiting key: [UInt8]) async throws(StoreError) -> [UInt8]? {
        switch try withContiguousBytes(key, { bytes throws(StoreError) in try read(bytes) }) {
        case .unwritten: try await snapshot._copyValue(waiting: key)
        case .deleted: nil
        case .value(let value): value
        }
    }

    /// Whether a key has a value.
    public func _contains(waiting key: [UInt8]) async throws(StoreError) -> Bool {
        switch try withContiguousBytes(key, { bytes throws(StoreError) in try read(bytes) }) {
        case .unwritten: try await snapshot._contains(waiting: key)
        case .deleted: false
        case .value: true
        }
    }

    /// Starts to read several values.
    public func _beginReading(_ keys: [some Collection<UInt8>]) -> Bool { snapshot._beginReading(keys) }

    /// Runs work on a thread of the store's own.
    public func _onBlockingQueue<R: Sendable>(
        _ body: @escaping @Sendable () throws(StoreError) -> R
    ) async throws(StoreError) -> R {
        try await snapshot._onBlockingQueue(body)
    }
}
