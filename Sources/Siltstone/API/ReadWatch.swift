import Synchronization

/// Reports the first commit that changes what a closure has read.
///
/// It follows the change feed from a position before the closure's snapshot, and compares each commit after the
/// snapshot with the closure's read set. So it misses no change. If the feed has dropped changes, they count as a
/// change of what was read.
package final class ReadWatch: Sendable {
    private struct State {
        /// The position of the next commit in the feed.
        var position: Int
        /// The keys and ranges that the closure has read; nil after a change was found.
        var reads: ReadIndex?
        var isCancelled = false
    }

    private let store: KeyValueStore
    /// The sequence number of the closure's snapshot. Commits up to it are ignored.
    private let snapshot: SequenceNumber
    /// Identifies it in the feed.
    private let waiterID: Int
    private let state: Locked<State>

    private init(_ store: KeyValueStore, position: Int, snapshot: SequenceNumber, _ reads: ReadSet) {
        self.store = store
        self.snapshot = snapshot
        waiterID = store.engine.feed.makeWaiterID()
        state = Locked(State(position: position, reads: ReadIndex(reads)), rank: .callers)
    }

    deinit {
        store.engine.feed.forget(waiterID)
        store.engine.feed.unsubscribe()
    }

    /// Runs `body` in a transaction that is never committed, and watches the keys and ranges that it reads.
    /// - Throws: ``StoreError`` if the store is closed or `body` has ended the transaction; the errors of `body`.
    package static func run<R>(
        _ store: KeyValueStore, _ body: (Transaction) throws -> R
    ) throws -> (R, ReadWatch) {
        try store.engine.status.checkOpen()
        // Takes the position first, so that no commit falls between it and the snapshot.
        let position = store.engine.writes.subscribeToChanges().position
        do {
            let transaction = store.begin()
            defer { transaction.rollback() }
            let result = try body(transaction)
            let reads = try transaction.state.readSet()
            return (result, ReadWatch(store, position: position, snapshot: transaction.sequence, reads))
        } catch {
            store.engine.feed.unsubscribe()
            throw error
        }
    }

    /// Waits for the first commit that changes a key or range that was read. Returns immediately if there was one
    /// already.
    /// - Throws: `CancellationError` if the task or the watch was cancelled; ``StoreError/Code/closed``.
    package func change() async throws {
        let feed = store.engine.feed
        while true {
            try Task.checkCancellation()
            guard let position = try advance() else { return }
            await feed.wait(waiterID, at: position)
        }
    }

    /// Ends the watch. A task that waits in ``change()`` gets `CancellationError`.
    package func cancel() {
        state.withLock { $0.isCancelled = true }
        store.engine.feed.cancel(waiterID)
    }

    /// Compares the commits since the last call with the read set.
    /// - Returns: the position to wait for; nil if something was changed.
    private func advance() throws -> Int? {
        let feed = store.engine.feed
        return try state.withLock { state in
            while true {
                if state.isCancelled { throw CancellationError() }
                guard let reads = state.reads else { return nil }
                switch feed.read(at: state.position) {
                case .upToDate: return state.position
                case .closed:
                    throw StoreError(.closed, "the store was closed", file: store.engine.directory.path)
                case .dropped: state.reads = nil
                case .records(let records, let next):
                    state.position = next
                    // A commit too large for the feed counts as a change.
                    if try records.contains(where: { try $0.last > snapshot && reads.isChanged(by: $0) ?? true }) {
                        state.reads = nil
                    }
                }
            }
        }
    }
}
