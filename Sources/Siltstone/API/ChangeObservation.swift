import Dispatch
import Synchronization

/// Hands the committed changes of a store to a closure, for callers without tasks.
///
/// The closure runs on a queue of the observation's own, one call at a time, in commit order. ``cancel()`` or the last
/// reference to the observation ends it; so does closing the store.
public final class ChangeObservation: Sendable {
    private let worker: Worker

    init(_ subscription: ChangeSubscription, _ body: @escaping @Sendable (Result<ChangeEvent, StoreError>) -> Void) {
        worker = Worker(subscription, body)
        worker.start()
    }

    deinit { cancel() }

    /// Ends the observation. The closure is not called again once a call under way has returned.
    public func cancel() { worker.cancel() }

    /// The part that waits for changes; it does not keep the observation, whose end ends it.
    private final class Worker: Sendable {
        private struct State {
            var cursor: FeedCursor
            var subscription: ChangeSubscription?
        }

        private let state: Locked<State>
        private let feed: ChangeFeed
        private let waiter: Int
        private let isCancelled = Atomic<Bool>(false)
        private let queue = DispatchQueue(label: "siltstone.observation")
        private let body: @Sendable (Result<ChangeEvent, StoreError>) -> Void

        init(
            _ subscription: ChangeSubscription, _ body: @escaping @Sendable (Result<ChangeEvent, StoreError>) -> Void
        ) {
            state = Locked(State(cursor: subscription.start, subscription: subscription))
            feed = subscription.store.engine.feed
            waiter = feed.makeWaiter()
            self.body = body
        }

        func start() { queue.async { self.run() } }

        func cancel() {
            isCancelled.store(true, ordering: .relaxed)
            feed.cancel(waiter)
        }

        /// Hands out what there is, and then waits for more. On the queue.
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
                    return feed.wait(waiter, at: index) { self.queue.async { self.run() } }
                case .success(.closed): return end()
                case .failure(let error):
                    body(.failure(error))
                    return end()
                }
            }
            end()
        }

        private func end() {
            feed.forget(waiter)
            // Gives up the store with the subscription, not under the lock.
            let subscription = state.withLock { state in
                defer { state.subscription = nil }
                return state.subscription
            }
            withExtendedLifetime(subscription) {}
        }
    }
}
