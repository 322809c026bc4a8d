import Dispatch
import Siltstone
public import TableKit

/// The tables of a store: the engine of ``SiltstoneDatabaseConfiguration``. One for each open store in a process.
///
/// A transaction lock serializes serial transactions; reads never wait. A commit waits for its sync after it has
/// released the lock, so commits of several tasks share a sync.
public final class SiltstoneEngine: TableEngine {
    let store: KeyValueStore
    /// The users of the engine.
    struct Sharing: Sendable {
        /// The number of configurations that are neither closed nor released.
        var uses = 1
        /// Keeps the store open, if the engine opened it.
        var shared: SharedStore?
    }

    let sharing: Locked<Sharing>
    /// The durability of commits; nil: that of the store.
    let durability: Durability?
    let turn = TurnGate()
    /// Runs the work of tasks that hold the transaction lock. A serial queue gets a thread even if threads that wait for
    /// the lock have used up those of all concurrent queues.
    let turnQueue = DispatchQueue(label: "siltstone.turn")
    let catalogues: CatalogueCache
    let rowNumbers = RowNumbers()
    let rowCounts = RowCounts()

    /// - Throws: `TableErrorCode.corrupt` if the catalogue is damaged.
    init(_ store: KeyValueStore, _ shared: SharedStore?, durability: Durability?) throws {
        self.store = store
        sharing = Locked(Sharing(shared: shared))
        self.durability = durability
        let snapshot = store.snapshot()
        defer { snapshot.release() }
        catalogues = CatalogueCache(try Catalogue.load(from: snapshot, known: nil), since: snapshot.sequence)
        resumeBuilds()
    }

    /// Begins a session that reads the newest snapshot.
    /// - Complexity: O(1).
    public func beginRead() throws -> any TableSession {
        try mappingStoreErrors {
            let snapshot = store.snapshot()
            let catalogue = try catalogues.catalogue(at: snapshot.sequence, in: snapshot)
            return SiltstoneSession(self, snapshot, transaction: nil, catalogue, .read(snapshot))
        }
    }

    /// Begins a transaction. A serial one blocks the thread until it has the transaction lock.
    public func begin(_ mode: TransactionMode) throws -> any TableSession {
        guard case .serial = mode else { return try mappingStoreErrors { try beginConcurrent() } }
        turn.take()
        return try beginSerial()
    }

    /// Begins a transaction. A serial one suspends until it has the transaction lock, or until the task is cancelled.
    public func begin(_ mode: TransactionMode) async throws -> any TableSession {
        guard case .serial = mode else {
            return try await mappingStoreErrors { try await beginConcurrentWithoutBlocking() }
        }
        try await turn.takeUnlessCancelled { $0.resume() }
        do { return try await mappingStoreErrors { try await beginSerialWithoutBlocking() } } catch {
            turn.give()
            throw error
        }
    }

    /// Runs `body` in a transaction, on a queue of the engine, which receives the transaction lock directly.
    ///
    /// A task that is cancelled while it waits for the lock throws `CancellationError`. With the lock, the transaction
    /// goes on to its end.
    ///
    /// The transaction needs no thread of the cooperative pool before it releases the lock: synchronous callers that
    /// wait for the lock may block all of these threads.
    public func inTransaction<R: Sendable>(
        _ body: @escaping @Sendable (any TableSession) throws -> R
    ) async throws -> R {
        let (result, sequence) = try await turn.takeUnlessCancelled { continuation in
            self.turnQueue.async { continuation.resume(with: Result { try self.runInTurn(body) }) }
        }
        guard let sequence else { return result }
        do { try await store.waitUntilDurable(sequence, durability) } catch { throw error.asTableError }
        return result
    }

    /// Runs `body` in a serial transaction, commits, and releases the lock. The caller holds the transaction lock.
    /// - Returns: the result of `body`, and the sequence number of the commit; nil if nothing was written.
    private func runInTurn<R>(_ body: (any TableSession) throws -> R) throws -> (R, UInt64?) {
        let session = try beginSerial()
        do {
            let result = try body(session)
            return (result, try session.commitWithoutWaiting())
        } catch {
            session.rollback()
            throw error
        }
    }

    /// Begins a serial transaction. The caller holds the transaction lock, which is released on failure.
    func beginSerial() throws -> SiltstoneSession<Transaction> {
        do {
            return try mappingStoreErrors {
                let transaction = store.beginExclusive(durability: .buffered)
                let catalogue = try catalogues.catalogue(at: transaction.sequence, in: transaction)
                return SiltstoneSession(self, transaction, transaction: transaction, catalogue, .serial)
            }
        } catch {
            turn.give()
            throw error
        }
    }

    /// As ``beginSerial()``, for tasks. The caller releases the lock on failure.
    private func beginSerialWithoutBlocking() async throws -> SiltstoneSession<Transaction> {
        let transaction = store.beginExclusive(durability: .buffered)
        let catalogue =
            if let known = catalogues.known(at: transaction.sequence) { known } else {
                try await performInTurn {
                    try self.catalogues.catalogue(at: transaction.sequence, in: transaction)
                }
            }
        return SiltstoneSession(self, transaction, transaction: transaction, catalogue, .serial)
    }

    private func beginConcurrent() throws -> SiltstoneSession<Transaction> {
        let transaction = store.begin(isolation: .serializable, durability: .buffered)
        // Read through the transaction, so that a schema change is a conflict.
        let catalogue = try Catalogue.load(from: transaction, known: catalogues.newest)
        return SiltstoneSession(self, transaction, transaction: transaction, catalogue, .concurrent)
    }

    /// As ``beginConcurrent()``, for tasks.
    private func beginConcurrentWithoutBlocking() async throws -> SiltstoneSession<Transaction> {
        let transaction = store.begin(isolation: .serializable, durability: .buffered)
        let known = catalogues.newest
        let stored = try await transaction.get(KeySpace.version)
        let catalogue =
            if try known.isCurrent(stored) { known } else {
                try await perform { try Catalogue.load(from: transaction, known: known) }
            }
        return SiltstoneSession(self, transaction, transaction: transaction, catalogue, .concurrent)
    }

    /// Runs work that may block on the disk: a statement of a serial transaction on a queue of the engine, all other work
    /// on a thread of the store.
    public func perform<R: Sendable>(_ work: @escaping @Sendable () throws -> R) async throws -> R {
        if TransactionScope.current(of: self)?.isSerial == true { return try await performInTurn(work) }
        return try await perform(on: nil, work)
    }

    /// Runs work that may block on the disk, for a task that holds the transaction lock.
    func performInTurn<R: Sendable>(_ work: @escaping @Sendable () throws -> R) async throws -> R {
        try await perform(on: turnQueue, work)
    }

    private func perform<R: Sendable>(
        on queue: DispatchQueue?, _ work: @escaping @Sendable () throws -> R
    ) async throws -> R {
        try await mappingStoreErrors {
            try await BlockingWork.run(on: queue) { () throws(StoreError) in Result { try work() } }.get()
        }
    }

    /// False: a transaction's writes are in memory before its commit.
    public var waitsInTransactions: Bool { false }

    /// Runs work that waits for a statement of the transaction, as ``perform(_:)`` does.
    public func performInTransaction<R: Sendable>(
        _ work: @escaping @Sendable () throws -> R
    ) async throws -> R { try await perform(work) }

    /// Runs `body` on one snapshot and watches the data that it reads.
    ///
    /// Rows of a stream that `body` has not read when it returns are not watched.
    public func observe<R>(_ body: (any TableSession) throws -> R) throws -> (R, any TableObservation) {
        try mappingStoreErrors {
            let (result, watch) = try ReadWatch.run(store) { transaction in
                let catalogue = try Catalogue.load(from: transaction, known: catalogues.newest)
                let session = SiltstoneSession(self, transaction, transaction: nil, catalogue, .observed)
                defer { session.rollback() }
                return try body(session)
            }
            return (result, SiltstoneObservation(watch))
        }
    }

    /// Whether no commit goes on, and the newest snapshot has this sequence number.
    func isNewest(_ sequence: UInt64) -> Bool {
        guard turn.isFree else { return false }
        let snapshot = store.snapshot()
        defer { snapshot.release() }
        return snapshot.sequence == sequence
    }

    /// Runs `body` and converts errors of the store to errors of tables.
    func mappingStoreErrors<R>(_ body: () throws -> R) throws -> R {
        do { return try body() } catch let error as StoreError { throw error.asTableError }
    }

    private func mappingStoreErrors<R>(_ body: () async throws -> R) async throws -> R {
        do { return try await body() } catch let error as StoreError { throw error.asTableError }
    }
}

/// Observes commits that change the data of a read.
private final class SiltstoneObservation: TableObservation {
    private let watch: ReadWatch

    init(_ watch: ReadWatch) { self.watch = watch }

    func change() async throws {
        do { try await watch.change() } catch let error as StoreError { throw error.asTableError }
    }

    func cancel() { watch.cancel() }
}
