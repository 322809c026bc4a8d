/// A transaction as it was at one moment: its snapshot, and the writes that it had made by then.
///
/// The transaction's later writes and rollbacks to savepoints do not change it. Otherwise its reads are reads of the
/// transaction: they are in its read set, and they throw ``StoreError/Code/transactionEnded`` after its end. While it
/// exists, the transaction's next write copies the earlier ones, as it does for a cursor.
package final class FrozenTransaction: KeyValueReader {
    private let transaction: Transaction
    private let writes: WriteBuffer

    fileprivate init(_ transaction: Transaction) throws(StoreError) {
        self.transaction = transaction
        writes = try transaction.state.currentWrites()
    }

    private var snapshot: Snapshot { transaction.snapshot }

    /// Looks up a key among the writes. If it is not there, the store must be read, so this adds the key to the
    /// transaction's read set.
    private func written(_ key: Bytes) throws(StoreError) -> WriteBuffer.Written? {
        let found = writes.lookup(key)
        if found == nil { try transaction.state.noteRead(key) } else { try transaction.state.checkActive() }
        return found
    }

    // MARK: Reads
    // ``KeyValueReader`` describes each requirement.

    package func stable() -> FrozenTransaction { self }

    package func _copyValue(_ key: RawSpan) throws(StoreError) -> [UInt8]? {
        if let written = try written(key.bytes) { return written.value }
        return try snapshot._copyValue(key)
    }

    package func _pin(_ key: RawSpan) throws(StoreError) -> PinnedValue {
        try written(key.bytes) == nil ? snapshot._pin(key) : .unclear
    }

    package func _unpin(_ value: PinnedValue) { snapshot._unpin(value) }

    package func _withValue(_ key: RawSpan, _ body: (RawSpan) throws -> Void) throws {
        guard let written = try written(key.bytes) else { return try snapshot._withValue(key, body) }
        if let value = written.value { try unsafe body(value.span.bytes) }
    }

    package func _contains(_ key: RawSpan) throws(StoreError) -> Bool {
        if let written = try written(key.bytes) { return written.value != nil }
        return try snapshot._contains(key)
    }

    package func _withValues(
        _ fill: (KeyGroup) -> Void, _ body: (Int, RawSpan?) -> Bool
    ) throws(StoreError) {
        try transaction.state.checkActive()
        try snapshot.withValues(below: { key throws(StoreError) in try written(key) }, fill, body)
    }

    package func _makeIterator(
        from: [UInt8]?, to: [UInt8]?, reverse: Bool, limit: Int?
    ) throws(StoreError) -> InlinedIterator {
        try _makeIterator(over: [KeyRange(from: from, to: to)], reverse: reverse, limit: limit)
    }

    package func _makeCursor(
        from: [UInt8]?, to: [UInt8]?, reverse: Bool, limit: Int?
    ) throws(StoreError) -> Cursor {
        try _makeCursor(over: [KeyRange(from: from, to: to)], reverse: reverse, limit: limit)
    }

    package func _makeIterator(
        over ranges: [KeyRange], reverse: Bool, limit: Int?
    ) throws(StoreError) -> InlinedIterator {
        InlinedIterator(try makeIterator(ranges, reverse, limit))
    }

    package func _makeCursor(over ranges: [KeyRange], reverse: Bool, limit: Int?) throws(StoreError) -> Cursor {
        Cursor(try makeIterator(ranges, reverse, limit), keeping: self)
    }

    private func makeIterator(_ ranges: [KeyRange], _ reverse: Bool, _ limit: Int?) throws(StoreError)
        -> TransactionIterator
    {
        try TransactionIterator(
            transaction.state, snapshot.scans, at: snapshot.sequence, over: ranges, reverse ? .backward : .forward,
            limit: ScanRange.limit(limit), seeing: writes)
    }

    package func _estimate(_ range: KeyRange) throws(StoreError) -> RangeEstimate {
        try transaction._estimate(range)
    }

    package func _copyValueAsync(_ key: [UInt8]) async throws(StoreError) -> [UInt8]? {
        if let written = try key.withBytes({ key throws(StoreError) in try written(key) }) { return written.value }
        return try await snapshot._copyValueAsync(key)
    }

    package func _containsAsync(_ key: [UInt8]) async throws(StoreError) -> Bool {
        if let written = try key.withBytes({ key throws(StoreError) in try written(key) }) {
            return written.value != nil
        }
        return try await snapshot._containsAsync(key)
    }

    package func _copyValuesAsync(_ keys: [[UInt8]]) async throws(StoreError) -> [[UInt8]?] {
        var values: [[UInt8]?] = []
        for key in keys { values.append(try await _copyValueAsync(key)) }
        return values
    }
}

extension Transaction {
    /// Returns the present state of the transaction, for reads that go on while it writes.
    /// - Throws: ``StoreError/Code/transactionEnded``.
    /// - Complexity: O(1).
    package func frozen() throws(StoreError) -> FrozenTransaction { try FrozenTransaction(self) }
}
