// ``KeyValueReader`` describes each requirement.
extension Snapshot: EngineReader {
    var visible: SequenceNumber? { sequence }

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

    /// Starts a scan.
    public func _makeIterator(
        from: [UInt8]?, to: [UInt8]?, reverse: Bool, limit: Int?
    ) throws(StoreError) -> InlinedIterator {
        try whileOpen { () throws(StoreError) in
            try scans.makeIterator(at: sequence, from: from, to: to, reverse: reverse, limit: limit)
        }
    }

    /// Returns copies of the values of several keys. Suspends if a read would block.
    public func _copyValuesAsync(_ keys: [[UInt8]]) async throws(StoreError) -> [[UInt8]?] {
        try check()
        let values = try await reads.copyValues(of: keys, at: sequence)
        try check()
        return values
    }
}
