extension Transaction: KeyValueReader {
    /// Returns the transaction itself. Only its own later writes change its state.
    public func stable() -> Transaction { self }

    /// Returns a copy of the value of a key.
    public func _copyValue(_ key: RawSpan) throws(StoreError) -> [UInt8]? {
        switch try key.withBytes({ key throws(StoreError) in try read(key) }) {
        case .unwritten: try snapshot._copyValue(key)
        case .deleted: nil
        case .value(let value): value
        }
    }

    /// Pins the value of a key. The result is unclear if the transaction has written the key.
    public func _pin(_ key: RawSpan) throws(StoreError) -> PinnedValue {
        guard case .unwritten = try key.withBytes({ key throws(StoreError) in try read(key) }) else { return .unclear }
        return try snapshot._pin(key)
    }

    /// Ends a pin.
    public func _unpin(_ value: PinnedValue) { snapshot._unpin(value) }

    /// Takes the slow path, for a key that ``_pin(_:)`` left unclear.
    public func _withValue(_ key: RawSpan, _ body: (RawSpan) throws -> Void) throws {
        switch try key.withBytes({ key throws(StoreError) in try read(key) }) {
        case .unwritten: try snapshot._withValue(key, body)
        case .deleted: return
        case .value(let value): try unsafe body(value.span.bytes)
        }
    }

    /// Whether a key has a value.
    public func _contains(_ key: RawSpan) throws(StoreError) -> Bool {
        switch try key.withBytes({ key throws(StoreError) in try read(key) }) {
        case .unwritten: try snapshot._contains(key)
        case .deleted: false
        case .value: true
        }
    }

    /// Starts a scan.
    public func _beginWalk(
        from: [UInt8]?, to: [UInt8]?, reverse: Bool, limit: Int?
    ) throws(StoreError) -> InlinedWalk {
        InlinedWalk(try walk(ScanRange(from: from, to: to, reverse: reverse, limit: limit)))
    }

    /// Makes a cursor.
    public func _makeCursor(
        from: [UInt8]?, to: [UInt8]?, reverse: Bool, limit: Int?
    ) throws(StoreError) -> Cursor {
        Cursor(try walk(ScanRange(from: from, to: to, reverse: reverse, limit: limit)), keeping: self)
    }

    /// Starts a scan over the snapshot and the transaction's own writes.
    private func walk(_ range: ScanRange) throws(StoreError) -> TransactionWalk {
        try TransactionWalk(state, snapshot.engine.scans, at: snapshot.sequence, range)
    }

    /// Returns a copy of the value of a key.
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

    /// Runs work on a thread of the store that may block.
    public func _onBlockingQueue<R: Sendable>(
        _ body: @escaping @Sendable () throws(StoreError) -> R
    ) async throws(StoreError) -> R {
        try await snapshot._onBlockingQueue(body)
    }

    /// Looks up many keys: first in the transaction's own writes, and the others in the snapshot, in one super version.
    public func _withValues(
        _ fill: (KeyGroup) -> Void, _ body: (Int, RawSpan?) -> Bool
    ) throws(StoreError) {
        try checkActive()
        var own: [WriteBuffer.Lookup] = []
        var (first, next) = (0, 0)
        var failure: StoreError?
        try snapshot._withValues { group in
            fill(group)
            (first, next) = (next, next + group.count)
            own.removeAll(keepingCapacity: true)
            do throws(StoreError) {
                for index in 0..<group.count { own.append(try read(group[index])) }
            } catch { failure = error }
        } _: { index, value in
            if failure != nil { return false }
            switch own[index - first] {
            case .unwritten: return body(index, value)
            case .deleted: return body(index, nil)
            case .value(let value): return unsafe body(index, value.span.bytes)
            }
        }
        if let failure { throw failure }
    }

    /// Estimates how much a range of the store holds. Ignores the transaction's own writes, and adds nothing to its
    /// read set.
    public func _estimate(_ range: KeyRange) throws(StoreError) -> RangeEstimate {
        try checkActive()
        return try snapshot._estimate(range)
    }
}
