package import Dispatch

/// Reads and writes that take effect together, as if no other thread had used the store meanwhile.
///
/// A transaction reads from a snapshot and keeps its writes to itself; its reads see its own writes. Unless another
/// ``Isolation`` is requested, `commit()` checks that no key or range that the transaction has read was changed since,
/// including those that it found empty. Then it applies all writes atomically, also across a crash. If something was
/// changed, it throws ``StoreError/Code/conflict``, and the store does not change. `KeyValueStore.transaction` is
/// easier, because it runs the body again after a conflict:
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
/// Committed transactions with ``Isolation/serializable`` are strictly serializable: their effects are those of one
/// serial order, in which each transaction has its position between its start and the end of its commit. A transaction
/// without writes never conflicts. Other writers, flushes and compactions continue while a transaction is open; it
/// keeps the entries of its snapshot alive.
///
/// A transaction keeps up to 64 MiB of its writes in memory, and more in scratch files in the store's directory. It
/// remembers up to 65,536 keys and 32,768 ranges that it has read, about 48 MiB in total. Above that it merges
/// neighbours, and may then conflict with a change between them.
///
/// One task or thread at a time uses a transaction. It ends with `commit()`, with ``rollback()``, or with its last
/// reference, which rolls it back. Every later read, write and commit throws ``StoreError/Code/transactionEnded``. A
/// scan that has begun may still return the rest of its range.
public final class Transaction: Sendable {
    /// How strictly a transaction is isolated from others.
    public enum Isolation: Sendable, Hashable {
        /// Conflicts with every change of a key or range that the transaction has read, as if transactions ran one
        /// after another.
        case serializable
        /// Conflicts only with changes of keys and ranges that the transaction writes. All reads are from the same
        /// moment. Two transactions that each read what the other writes may both commit (write skew).
        case snapshot
    }

    /// The state that the transaction reads.
    let snapshot: Snapshot
    /// How strictly the transaction is isolated from others.
    public let isolation: Isolation
    /// How durable the writes are when `commit()` returns; nil for the default of the store.
    public let durability: Durability?
    /// Whether the transaction has the store's ``RetryTurn``. If not, its commit waits for the transaction that has it.
    private let hasTurn: Bool
    /// Whether the commit checks for conflicts. If false, the caller ensures that no other writer changes what the
    /// transaction reads or writes.
    private let isChecked: Bool
    /// The writes and reads so far.
    let state: TransactionState

    init(
        _ store: KeyValueStore, isolation: Isolation, durability: Durability?, hasTurn: Bool = false,
        isChecked: Bool = true
    ) {
        snapshot = store.snapshot()
        state = TransactionState(
            checksReads: isolation == .serializable, directory: store.engine.status.directory, store.engine.scratch)
        self.isolation = isolation
        self.durability = durability
        self.hasTurn = hasTurn
        self.isChecked = isChecked
    }

    private var engine: Engine { snapshot.engine }

    /// The sequence number of the newest change that the transaction sees, without its own writes.
    public var sequence: UInt64 { snapshot.sequence }

    /// Whether the transaction can still be used.
    public var isActive: Bool { state.isActive }

    // MARK: Writes

    /// Returns a point to which a savepoint can roll back.
    package func mark() throws(StoreError) -> WriteBuffer.Mark { try state.mark() }

    /// Undoes the writes after a mark. Keeps the read set, because the body may have acted on what it read.
    package func rollBack(to mark: WriteBuffer.Mark) { state.rollBack(to: mark) }

    // MARK: End

    /// Applies all writes, or none.
    /// - Returns: the sequence number of the last write; that of the snapshot if the transaction wrote nothing.
    /// - Throws: ``StoreError``: ``StoreError/Code/conflict`` if another commit has changed what this transaction has
    ///   read or, under ``Isolation/snapshot``, what it writes. Also the errors of `KeyValueStore.write`. The
    ///   transaction has ended in any case.
    /// - Complexity: the cost of the write. If many keys or a range were read, also O(*k* log *k*) for *k* keys. If
    ///   other commits followed the snapshot, also O(log *n*) for each key read and O(*m*) for each range read, in a
    ///   store of *n* entries and a range of *m*, and O(log *k*) for each change that is committed during the check.
    @discardableResult
    public func commit() throws(StoreError) -> UInt64 {
        guard let commit = try end() else { return sequence }
        defer { snapshot.release() }
        if !hasTurn { engine.retryTurn.deferToHolder() }
        let last = try commit.apply(to: engine, mayBlock: true) ?? 0
        try engine.writes.waitUntilDurable(last, durability)
        return last
    }

    /// Applies all writes, or none; see `commit()`. Cancellation does not stop it.
    @discardableResult
    public func commit() async throws(StoreError) -> UInt64 { try await commit(blockingOn: nil) }

    /// As the other asynchronous `commit()`.
    /// - Parameter queue: the queue of the threads that may block. Nil: one that all callers share. A caller that holds
    ///   a lock passes its own, because all threads of the shared one may wait for the lock.
    package func commit(blockingOn queue: DispatchQueue?) async throws(StoreError) -> UInt64 {
        guard let commit = try end() else { return sequence }
        defer { snapshot.release() }
        let engine = engine
        if !hasTurn, engine.retryTurn.isTaken {
            try await BlockingWork.run(on: queue) { engine.retryTurn.deferToHolder() }
        }
        return try await engine.writes.changeWithoutBlocking(durability, on: queue) { mayBlock throws(StoreError) in
            try commit.apply(to: engine, mayBlock: mayBlock)
        }
    }

    /// Drops all writes. Does nothing if the transaction has ended.
    public func rollback() {
        state.drop()
        snapshot.release()
    }

    /// The work that is left when a transaction with writes has ended. It is Sendable, so that a task can pass it to a
    /// thread that may block.
    private struct PendingCommit: Sendable {
        enum Writes: Sendable {
            case batch(WriteBatch)
            /// Writes that are too many for memory.
            case spilled(WriteBuffer)
        }

        let writes: Writes
        /// The keys and ranges that must be unchanged; nil if there are none.
        let reads: ReadSet?
        let snapshot: SequenceNumber

        /// - Returns: the last sequence number of the commit; nil if it must not block and would have to.
        func apply(to engine: Engine, mayBlock: Bool) throws(StoreError) -> SequenceNumber? {
            let check = reads.map { CommitCheck($0, since: snapshot) }
            switch writes {
            case .batch(let batch): return try engine.writes.commit(batch, check, mayBlock: mayBlock)
            case .spilled(let buffer): return mayBlock ? try engine.background.ingest(buffer, check) : nil
            }
        }
    }

    /// Ends the transaction.
    /// - Returns: nil if it wrote nothing.
    private func end() throws(StoreError) -> PendingCommit? {
        let (writes, reads) = try state.end()
        if writes.isEmpty {
            snapshot.release()
            return nil
        }
        let checked =
            switch isolation {
            case _ where !isChecked: ReadSet()
            case .serializable: reads.mergingScans()
            case .snapshot: writes.writtenKeys()
            }
        return PendingCommit(
            writes: writes.batch.isSpilled ? .spilled(writes) : .batch(writes.batch.joined()),
            reads: checked.isEmpty ? nil : checked, snapshot: snapshot.sequence)
    }
}
