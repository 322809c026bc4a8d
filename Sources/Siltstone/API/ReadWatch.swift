import Synchronization

/// Tells of the first commit that changes what a body has read.
///
/// It follows the feed of changes from before the body's snapshot, and compares each commit behind the snapshot with the
/// body's read set. So no change is lost; changes that the feed has dropped count as one that concerns it.
package final class ReadWatch: Sendable {
    private struct State {
        /// The position of the next commit in the feed.
        var position: Int
        /// What the body has read; nil once a change was found or the watch has ended.
        var reads: ReadIndex?
        var isCancelled = false
    }

    private let store: KeyValueStore
    /// The number of the body's snapshot: commits up to it are no news.
    private let snapshot: SequenceNumber
    private let waiter: Int
    private let state: Locked<State>

    private init(_ store: KeyValueStore, position: Int, snapshot: SequenceNumber, _ reads: ReadSet) {
        self.store = store
        self.snapshot = snapshot
        waiter = store.engine.feed.makeWaiter()
        state = Locked(State(position: position, reads: ReadIndex(reads)))
    }

    deinit { end() }

    /// Runs `body` in a transaction that is never committed, and watches what it has read.
    /// - Throws: ``StoreError`` where the store is closed, or what `body` throws.
    package static func run<R>(
        _ store: KeyValueStore, _ body: (Transaction) throws -> R
    ) throws -> (R, ReadWatch) {
        try store.engine.status.checkOpen()
        // First the position, so that no commit falls between it and the snapshot.
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

    /// Returns after the first commit that changes anything which was read; at once if there was one.
    /// - Throws: `CancellationError` where the task or the watch was cancelled; ``StoreError/Code/closed``.
    package func change() async throws {
        let feed = store.engine.feed
        while true {
            try Task.checkCancellation()
            guard let position = try advance() else { return }
            let waiter = waiter
            await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    feed.wait(waiter, at: position) { continuation.resume() }
                }
            } onCancel: {
                feed.cancel(waiter)
            }
        }
    }

    /// Ends the watch; whoever waits gets `CancellationError`.
    package func cancel() {
        let isFirst = state.withLock { state in
            defer { state.isCancelled = true }
            return !state.isCancelled
        }
        if isFirst { store.engine.feed.cancel(waiter) }
    }

    /// Compares the commits that have come with what was read.
    /// - Returns: the position to wait for, or nil where something was changed.
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
                    if try isChanged(reads, by: records) { state.reads = nil }
                }
            }
        }
    }

    private func isChanged(_ reads: ReadIndex, by records: [CommitRecord]) throws(StoreError) -> Bool {
        for record in records where record.last > snapshot {
            if record.payload == nil { return true }
            var isChanged = false
            try record.forEachChange { isChanged = isChanged || reads.isChanged(by: $0) }
            if isChanged { return true }
        }
        return false
    }

    private func end() {
        store.engine.feed.forget(waiter)
        store.engine.feed.unsubscribe()
    }
}
