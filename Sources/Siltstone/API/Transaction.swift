/// Reads and writes that take effect together, as if nobody else had used the store meanwhile.
///
/// A transaction reads from a snapshot and keeps its writes in memory; its reads see its own writes. `commit()` checks
/// that nothing which the transaction has read was changed since, also no key or range that it found empty, and then
/// applies all writes at once, also across a crash. If something was changed, it throws ``StoreError/Code/conflict``,
/// and the store is as it was. `KeyValueStore.transaction` runs the body again then,
/// and is the easier way:
///
/// ```swift
/// try store.transaction { transaction in
///     let balance = try transaction.get("from".utf8)
///     …
///     try transaction.put("from".utf8, less)
///     try transaction.put("to".utf8, more)
/// }
/// ```
///
/// Committed transactions are strictly serializable: they have the effects of one order, in which each takes its place
/// between its begin and the end of its commit. A transaction that wrote nothing never conflicts. Other writers,
/// flushes and compactions go on, however long a transaction stays open; it keeps the entries of its snapshot alive.
///
/// A transaction holds at most 1 GiB of writes (``Limits/batchBytes``), in memory; a write beyond throws
/// ``StoreError/Code/tooLarge``. It remembers up to 65,536 keys and 16,384 ranges that it has read, 32 MiB at most;
/// above that it joins neighbours, and may then conflict with a change between them.
///
/// One task or thread at a time uses a transaction. It ends by `commit()`, by ``rollback()``, or with its last reference,
/// which rolls it back; every later call throws ``StoreError/Code/transactionEnded``.
public final class Transaction: Sendable {
    /// How far a transaction is kept apart from others.
    public enum Isolation: Sendable, Hashable {
        /// Conflicts with every change of a key or range that the transaction has read: as if transactions ran one after
        /// another.
        case serializable
        /// Conflicts only with changes of keys and ranges that the transaction writes. Reads are those of one moment. Two
        /// transactions that each read what the other writes may both commit (write skew).
        case snapshot
    }

    /// The state that the transaction reads from.
    let snapshot: Snapshot
    /// How far the transaction is kept apart from others.
    public let isolation: Isolation
    /// When `commit()` returns; nil: as the store was opened.
    public let durability: Durability?
    /// Whether the transaction holds the store's ``RetryTurn``, so that its commit gives way to nobody.
    private let hasTurn: Bool
    /// Whether the commit looks for conflicts. Without, the caller sees to it that nobody else changes what the transaction
    /// reads or writes.
    private let isChecked: Bool
    /// What it has written and read.
    let state: TransactionState

    init(
        _ store: KeyValueStore, isolation: Isolation, durability: Durability?, hasTurn: Bool = false,
        isChecked: Bool = true
    ) {
        snapshot = store.snapshot()
        state = TransactionState(
            checksReads: isolation == .serializable, directory: store.engine.directory.path)
        self.isolation = isolation
        self.durability = durability
        self.hasTurn = hasTurn
        self.isChecked = isChecked
    }

    private var engine: Engine { snapshot.engine }

    /// The number of the newest change that the transaction sees, its own writes not counted.
    public var sequence: UInt64 { snapshot.sequence }

    /// Whether the transaction can still be used.
    public var isActive: Bool { state.isActive }

    // MARK: Reads

    /// Throws where the transaction has ended.
    func checkActive() throws(StoreError) { try state.checkActive() }

    /// Looks a key up among the transaction's own writes, and adds it to the read set if the store has to be asked.
    func read(_ key: Bytes) throws(StoreError) -> WriteBuffer.Lookup { try state.read(key) }

    // MARK: Writes

    /// Prepares for writes that take so many bytes, so that adding them moves nothing.
    /// - Parameter bytes: of keys and values, and some four for each write.
    package func reserveCapacity(for bytes: Int) throws(StoreError) {
        try state.write { writes throws(StoreError) in writes.reserveCapacity(for: bytes) }
    }

    func put(bytes key: Bytes, _ value: Bytes) throws(StoreError) {
        try state.write { writes throws(StoreError) in try writes.put(key, value) }
    }

    func delete(bytes key: Bytes) throws(StoreError) {
        try state.write { writes throws(StoreError) in try writes.delete(key) }
    }

    func deleteRange(bytes start: Bytes, _ end: Bytes) throws(StoreError) {
        try state.write { writes throws(StoreError) in try writes.deleteRange(start, end) }
    }

    /// The point to which a savepoint rolls back.
    package func mark() throws(StoreError) -> WriteBuffer.Mark { try state.mark() }

    /// Undoes the writes behind a mark. The read set stays: the body may have acted on what it read.
    package func rollBack(to mark: WriteBuffer.Mark) { state.rollBack(to: mark) }

    // MARK: End

    /// Applies all writes, or none.
    /// - Returns: the sequence number of the last write; that of the snapshot where the transaction wrote nothing.
    /// - Throws: ``StoreError``: ``StoreError/Code/conflict`` where another commit has changed what this transaction has
    ///   read, and the errors of `KeyValueStore.write`. The transaction has ended in any case.
    /// - Complexity: O(log n) for each key read that is not the newest, beside the cost of the write.
    @discardableResult
    public func commit() throws(StoreError) -> UInt64 {
        guard let commit = try end() else { return sequence }
        defer { snapshot.release() }
        if !hasTurn { engine.retryTurn.giveWay() }
        let last = try engine.writes.commit(commit.batch, commit.check()) ?? 0
        try engine.writes.waitUntilDurable(last, durability)
        return last
    }

    /// Applies all writes, or none; see `commit()`. Cancellation does not stop it.
    @discardableResult
    public func commit() async throws(StoreError) -> UInt64 {
        guard let commit = try end() else { return sequence }
        defer { snapshot.release() }
        let engine = engine
        if !hasTurn, engine.retryTurn.isTaken {
            try await engine.reads.blocking.run { engine.retryTurn.giveWay() }
        }
        return try await engine.writes.changeWithoutBlocking(durability) { () throws(StoreError) in
            try engine.writes.commit(commit.batch, commit.check(), mayBlock: false)
        } blocking: { () throws(StoreError) in
            try engine.writes.commit(commit.batch, commit.check())
        }
    }

    /// Drops all writes. Does nothing where the transaction has ended.
    public func rollback() {
        state.drop()
        snapshot.release()
    }

    /// What is left to do when a transaction with writes has ended.
    private struct PendingCommit: Sendable {
        let batch: WriteBatch
        /// The keys and ranges that must be unchanged; nil where there are none.
        let reads: ReadSet?
        let snapshot: SequenceNumber

        func check() -> CommitCheck? { reads.map { CommitCheck($0, since: snapshot) } }
    }

    /// Ends the transaction.
    /// - Returns: nil where it wrote nothing.
    private func end() throws(StoreError) -> PendingCommit? {
        let (writes, reads) = try state.end()
        if writes.isEmpty {
            snapshot.release()
            return nil
        }
        let checked =
            switch isolation {
            case _ where !isChecked: ReadSet()
            case .serializable: reads.closed()
            case .snapshot: writes.writtenKeys()
            }
        return PendingCommit(
            batch: writes.batch, reads: checked.isEmpty ? nil : checked, snapshot: snapshot.sequence)
    }
}
