import Dispatch
import Synchronization

/// Delivers the committed changes of a store to a closure, for callers that do not use tasks.
///
/// The closure runs on a queue of this observation, one call at a time, in commit order. The observation ends with
/// ``cancel()``, with its last reference, after a failure, or when the store is closed.
public final class ChangeObservation: Sendable {
    private let worker: Worker

    init(_ subscription: ChangeSubscription, _ body: @escaping @Sendable (Result<ChangeEvent, StoreError>) -> Void) {
        worker = Worker(subscription, body)
    }

    deinit { cancel() }

    /// Ends the observation. At most one more call of the closure follows: one that is in progress, or about to start.
    public func cancel() { worker.cancel() }

    /// Waits for changes. It does not retain the observation, whose deinitialiser cancels it.
    private final class Worker: Sendable {
        private struct State {
            var cursor: FeedCursor
            /// Keeps the feed running; nil after the end.
            var subscription: ChangeSubscription?
        }

        private let state: Locked<State>
        private let feed: ChangeFeed
        /// Identifies the worker in the feed.
        private let waiterID: Int
        private let isCancelled = Atomic<Bool>(false)
        private let queue = DispatchQueue(label: "siltstone.observation")
        private let body: @Sendable (Result<ChangeEvent, StoreError>) -> Void

        init(
            _ subscription: ChangeSubscription, _ body: @escaping @Sendable (Result<ChangeEvent, StoreError>) -> Void
        ) {
            state = Locked(State(cursor: subscription.start, subscription: subscription), rank: .callers)
            feed = subscription.store.engine.feed
            waiterID = feed.makeWaiterID()
            self.body = body
            queue.async { self.run() }
        }

        func cancel() {
            isCancelled.store(true, ordering: .relaxed)
            feed.cancel(waiterID)
        }

        /// Delivers the available events, and then waits for more. Runs on the queue.
        private func run() {
            while !isCancelled.load(ordering: .relaxed) {
                let step = state.withLock { state in
                    Result { () throws(StoreError) in try state.cursor.step(feed) }
                }
                switch step {
                case .success(.events(let events)):
                    for event in events where !isCancelled.load(ordering: .relaxed) { body(.success(event)) }
                case .success(.upToDate):
                    let index = state.withLock { $0.cursor.index }
                    return feed.wait(waiterID, at: index) { self.queue.async { self.run() } }
                case .success(.closed): return end()
                case .failure(let error):
                    if !isCancelled.load(ordering: .relaxed) { body(.failure(error)) }
                    return end()
                }
            }
            end()
        }

        private func end() {
            feed.forget(waiterID)
            // Releases the subscription, which may be the last owner of the store. This happens outside the lock.
            let subscription = state.withLock { $0.subscription.take() }
            withExtendedLifetime(subscription) {}
        }
    }
}
