/// The committed changes of a store, in commit order, as an asynchronous sequence without an end.
///
/// It begins when ``KeyValueStore/changes(from:to:since:)`` is called, not with the first iteration; each iterator begins
/// there again, and may have missed by then what the feed does not hold any more. It ends when the store is closed or the
/// task is cancelled. It keeps the store open until it goes.
public struct ChangeSequence: AsyncSequence, Sendable {
    /// An event of the feed.
    public typealias Element = ChangeEvent
    /// What iterating throws.
    public typealias Failure = StoreError

    let subscription: ChangeSubscription

    /// An iterator from the beginning of the subscription.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(subscription) }

    /// Waits for changes. Blocks no thread of the cooperative pool.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private let subscription: ChangeSubscription
        private var cursor: FeedCursor
        private var events: ArraySlice<ChangeEvent> = []

        init(_ subscription: ChangeSubscription) {
            self.subscription = subscription
            cursor = subscription.start
        }

        /// The next event; nil once the store is closed, or the task cancelled.
        /// - Throws: ``StoreError`` where changes of the past cannot be read from the logs.
        public mutating func next() async throws(StoreError) -> ChangeEvent? {
            let engine = subscription.store.engine
            while true {
                if let event = events.popFirst() { return event }
                if Task.isCancelled { return nil }
                switch try await step(engine) {
                case .events(let events): self.events = events[...]
                case .upToDate: await wait(engine.feed)
                case .closed: return nil
                }
            }
        }

        /// As ``next()``: waiting does not depend on where the caller is isolated.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(StoreError) -> ChangeEvent? {
            try await next()
        }

        private mutating func step(_ engine: Engine) async throws(StoreError) -> FeedCursor.Step {
            guard cursor.readsFiles else { return try cursor.step(engine.feed) }
            let before = cursor
            let (after, step) = try await engine.reads.blocking.run { () throws(StoreError) in
                var cursor = before
                let step = try cursor.step(engine.feed)
                return (cursor, step)
            }
            cursor = after
            return step
        }

        private func wait(_ feed: ChangeFeed) async {
            let (waiter, index) = (feed.makeWaiter(), cursor.index)
            await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    feed.wait(waiter, at: index) { continuation.resume() }
                }
            } onCancel: {
                feed.cancel(waiter)
            }
            feed.forget(waiter)
        }
    }
}
