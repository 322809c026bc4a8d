import Dispatch
import Siltstone
public import TableKit

/// Tables in a store: what ``SiltstoneDatabaseConfiguration`` opens. One for each open store in a process.
///
/// Serial transactions take turns; reads never wait. A commit that is synced waits for the disk after its turn has ended, so
/// commits of several tasks share a sync.
public final class SiltstoneEngine: TableEngine {
    let store: KeyValueStore
    /// Who uses the engine.
    struct Sharing: Sendable {
        /// Configurations that are neither closed nor gone.
        var uses = 1
        /// Keeps the store open, where the engine has opened it.
        var shared: SharedStore?
    }

    let sharing: Locked<Sharing>
    /// When a commit returns; nil: as the store was opened.
    let durability: Durability?
    let turn = TurnGate()
    let catalogues: CatalogueCache
    let rowNumbers = RowNumbers()

    /// - Throws: `TableErrorCode.corrupt` where the catalogue is damaged.
    init(_ store: KeyValueStore, _ shared: SharedStore?, durability: Durability?) throws {
        self.store = store
        sharing = Locked(Sharing(shared: shared))
        self.durability = durability
        let snapshot = store.snapshot()
        defer { snapshot.release() }
        catalogues = CatalogueCache(try Catalogue.load(from: snapshot, known: nil), since: snapshot.sequence)
        resumeBuilds()
    }

    /// Begins a session that reads the newest state.
    /// - Complexity: O(1).
    public func beginRead() throws -> any TableSession {
        try mappingStoreErrors {
            let snapshot = store.snapshot()
            let catalogue = try catalogues.catalogue(at: snapshot.sequence, in: snapshot)
            return SiltstoneSession(self, snapshot, transaction: nil, catalogue, .read(snapshot))
        }
    }

    /// Begins a transaction. A serial one waits for its turn, and blocks the thread meanwhile.
    public func begin(_ mode: TransactionMode) throws -> any TableSession {
        guard case .serial = mode else { return try mappingStoreErrors { try beginConcurrent() } }
        turn.take()
        return try beginSerial()
    }

    /// Begins a transaction. A serial one suspends until its turn.
    public func begin(_ mode: TransactionMode) async throws -> any TableSession {
        guard case .serial = mode else { return try mappingStoreErrors { try beginConcurrent() } }
        await turn.take()
        return try beginSerial()
    }

    /// Threads for transactions that have the turn.
    private static let threads = DispatchQueue(label: "siltstone.tables", attributes: .concurrent)

    /// Runs `body` in a transaction, on a thread that the turn is handed to directly.
    ///
    /// The transaction needs no thread of the cooperative pool until it has given the turn: these may all be blocked by
    /// synchronous callers who wait for it.
    public func inTransaction<R: Sendable>(
        _ body: @escaping @Sendable (any TableSession) throws -> R
    ) async throws -> R {
        let (result, sequence) = try await withCheckedThrowingContinuation { continuation in
            turn.take {
                SiltstoneEngine.threads.async { continuation.resume(with: Result { try self.runInTurn(body) }) }
            }
        }
        guard let sequence else { return result }
        do { try await store.waitUntilDurable(sequence, durability) } catch { throw error.asTableError }
        return result
    }

    /// Runs `body` in a transaction of the turn, which the caller has, commits and gives the turn.
    /// - Returns: what `body` returns, and the number of the commit; nil where nothing was written.
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

    /// Begins a transaction of the turn, which the caller has; gives the turn back where that fails.
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

    private func beginConcurrent() throws -> SiltstoneSession<Transaction> {
        let transaction = store.begin(isolation: .serializable, durability: .buffered)
        // Read by the transaction itself: so a change of the schema is a conflict.
        let catalogue = try Catalogue.load(from: transaction, known: catalogues.newest)
        return SiltstoneSession(self, transaction, transaction: transaction, catalogue, .concurrent)
    }

    /// Runs work that may wait for the disk on a thread of the store's own.
    public func perform<R: Sendable>(_ work: @escaping @Sendable () throws -> R) async throws -> R {
        try await mappingStoreErrors {
            try await store._onBlockingQueue { () throws(StoreError) in Result { try work() } }.get()
        }
    }

    /// Runs `body` on one state, and watches what it has read.
    ///
    /// Streams of `body`'s queries count as far as they were read before it returned.
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

    /// Runs something with errors of the store as errors of tables.
    func mappingStoreErrors<R>(_ body: () throws -> R) throws -> R {
        do { return try body() } catch let error as StoreError { throw error.asTableError }
    }

    private func mappingStoreErrors<R>(_ body: () async throws -> R) async throws -> R {
        do { return try await body() } catch let error as StoreError { throw error.asTableError }
    }
}

/// Tells of commits that change what a read has seen.
private final class SiltstoneObservation: TableObservation {
    private let watch: ReadWatch

    init(_ watch: ReadWatch) { self.watch = watch }

    func change() async throws {
        do { try await watch.change() } catch let error as StoreError { throw error.asTableError }
    }

    func cancel() { watch.cancel() }
}
