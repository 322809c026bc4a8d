extension Transaction: KeyValueReader, TransactionReader {
    var frozenWrites: WriteBuffer? { nil }

    func written(_ key: Bytes) throws(StoreError) -> WriteBuffer.Written? { try state.read(key) }

    /// Returns the transaction itself. Only its own later writes change its state.
    public func stable() -> Transaction { self }

    /// Returns a copy of the value of a key.
    public func _copyValue(_ key: RawSpan) throws(StoreError) -> [UInt8]? {
        if let written = try state.read(key.bytes) { return written.value }
        return try snapshot._copyValue(key)
    }

    /// Pins the value of a key. The result is unclear if the transaction has written the key.
    public func _pin(_ key: RawSpan) throws(StoreError) -> PinnedValue {
        try state.read(key.bytes) == nil ? snapshot._pin(key) : .unclear
    }

    /// Ends a pin.
    public func _unpin(_ value: PinnedValue) { snapshot._unpin(value) }

    /// Takes the slow path, for a key that ``_pin(_:)`` left unclear.
    public func _withValue(_ key: RawSpan, _ body: (RawSpan) throws -> Void) throws {
        guard let written = try state.read(key.bytes) else { return try snapshot._withValue(key, body) }
        if let value = written.value { try unsafe body(value.span.bytes) }
    }

    /// Whether a key has a value.
    public func _contains(_ key: RawSpan) throws(StoreError) -> Bool {
        if let written = try state.read(key.bytes) { return written.value != nil }
        return try snapshot._contains(key)
    }
}
