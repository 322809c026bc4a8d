/// A transaction as it was at one moment: its snapshot, and the writes that it had made by then.
///
/// The transaction's later writes and rollbacks to savepoints do not change it. Otherwise its reads are reads of the
/// transaction: they are in its read set, and they throw ``StoreError/Code/transactionEnded`` after its end. While it
/// exists, the transaction's next write copies the last few KiB of the earlier ones, as it does for a cursor.
package final class FrozenTransaction: KeyValueReader, TransactionReader {
    let snapshot: Snapshot
    let state: TransactionState
    private let writes: WriteBuffer
    var frozenWrites: WriteBuffer? { writes }

    fileprivate init(_ transaction: Transaction) throws(StoreError) {
        snapshot = transaction.snapshot
        state = transaction.state
        writes = try transaction.state.currentWrites()
    }

    func written(_ key: Bytes) throws(StoreError) -> WriteBuffer.Written? {
        let found = writes.lookup(key)
        if found == nil { try state.noteRead(key) } else { try state.checkActive() }
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
}

extension Transaction {
    /// Returns the present state of the transaction, for reads that go on while it writes.
    /// - Throws: ``StoreError/Code/transactionEnded``.
    /// - Complexity: O(1).
    package func frozen() throws(StoreError) -> FrozenTransaction { try FrozenTransaction(self) }
}
