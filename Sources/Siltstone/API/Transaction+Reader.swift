extension Transaction: KeyValueReader {
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

    /// Starts a scan.
    public func _makeIterator(
        from: [UInt8]?, to: [UInt8]?, reverse: Bool, limit: Int?
    ) throws(StoreError) -> InlinedIterator {
        try _makeIterator(over: [KeyRange(from: from, to: to)], reverse: reverse, limit: limit)
    }

    /// Makes a cursor.
    public func _makeCursor(
        from: [UInt8]?, to: [UInt8]?, reverse: Bool, limit: Int?
    ) throws(StoreError) -> Cursor {
        try _makeCursor(over: [KeyRange(from: from, to: to)], reverse: reverse, limit: limit)
    }

    /// Starts a scan over several ranges.
    public func _makeIterator(over ranges: [KeyRange], reverse: Bool, limit: Int?) throws(StoreError) -> InlinedIterator
    {
        InlinedIterator(try makeIterator(ranges, reverse, limit))
    }

    /// Makes a cursor over several ranges.
    public func _makeCursor(over ranges: [KeyRange], reverse: Bool, limit: Int?) throws(StoreError) -> Cursor {
        Cursor(try makeIterator(ranges, reverse, limit), keeping: self)
    }

    /// Starts a scan over the snapshot and the transaction's own writes.
    private func makeIterator(_ ranges: [KeyRange], _ reverse: Bool, _ limit: Int?) throws(StoreError)
        -> TransactionIterator
    {
        try TransactionIterator(
            state, snapshot.scans, at: snapshot.sequence, over: ranges, reverse ? .backward : .forward,
            limit: ScanRange.limit(limit))
    }

    /// Returns a copy of the value of a key.
    public func _copyValueAsync(_ key: [UInt8]) async throws(StoreError) -> [UInt8]? {
        if let written = try key.withBytes({ key throws(StoreError) in try state.read(key) }) { return written.value }
        return try await snapshot._copyValueAsync(key)
    }

    /// Whether a key has a value.
    public func _containsAsync(_ key: [UInt8]) async throws(StoreError) -> Bool {
        if let written = try key.withBytes({ key throws(StoreError) in try state.read(key) }) {
            return written.value != nil
        }
        return try await snapshot._containsAsync(key)
    }

    /// Looks up the keys one by one.
    public func _copyValuesAsync(_ keys: [[UInt8]]) async throws(StoreError) -> [[UInt8]?] {
        var values: [[UInt8]?] = []
        for key in keys { values.append(try await _copyValueAsync(key)) }
        return values
    }

    /// Looks up many keys: first in the transaction's own writes, and the others in the snapshot, in one super version.
    public func _withValues(
        _ fill: (KeyGroup) -> Void, _ body: (Int, RawSpan?) -> Bool
    ) throws(StoreError) {
        try state.checkActive()
        try snapshot.withValues(below: { key throws(StoreError) in try state.read(key) }, fill, body)
    }

    /// Estimates how much a range of the store holds. Ignores the transaction's own writes, and adds nothing to its
    /// read set.
    public func _estimate(_ range: KeyRange) throws(StoreError) -> RangeEstimate {
        try state.checkActive()
        return try snapshot._estimate(range)
    }
}

extension Snapshot {
    /// Looks up many keys in one super version, except those that a transaction has written. These are not looked up in
    /// the snapshot, so damage of a value that the transaction has replaced is no error.
    /// - Parameter written: looks up a key among the writes of the transaction.
    @inline(__always)
    func withValues(
        below written: (Bytes) throws(StoreError) -> WriteBuffer.Written?, _ fill: (KeyGroup) -> Void,
        _ body: (Int, RawSpan?) -> Bool
    ) throws(StoreError) {
        var own: [WriteBuffer.Written?] = []
        var (first, next) = (0, 0)
        var failure: StoreError?
        try check()
        try reads.readGroups(
            at: sequence,
            { group in
                fill(group)
                (first, next) = (next, next + group.count)
                own.removeAll(keepingCapacity: true)
                do throws(StoreError) {
                    for index in 0..<group.count { own.append(try written(group[index])) }
                } catch { failure = error }
            },
            // After a failure, no key is looked up, and the first one ends the read.
            skips: { failure != nil || own[$0 - first] != nil }
        ) { index, value in
            if failure != nil { return false }
            guard let written = own[index - first] else { return body(index, value) }
            return unsafe body(index, written.value?.span.bytes)
        }
        if let failure { throw failure }
    }
}
