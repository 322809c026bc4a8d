/// The committed changes of a store, in commit order, as an endless asynchronous sequence.
///
/// The subscription starts when ``KeyValueStore/changes(from:to:since:)`` is called, not with the first iteration. Each
/// iterator starts at that position again. It may have missed changes that the feed has dropped by then. The sequence
/// ends when the store is closed or the task is cancelled. It keeps the store open while it exists.
public struct ChangeSequence: AsyncSequence, Sendable {
    /// An event of the feed.
    public typealias Element = ChangeEvent
    /// The error that iterating throws.
    public typealias Failure = StoreError

    let subscription: ChangeSubscription

    /// Makes an iterator at the start of the subscription.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(subscription) }

    /// Waits for changes. Blocks no thread of the cooperative pool.
    public struct AsyncIterator: AsyncIteratorProtocol {
        /// The error that ``next()`` throws.
        public typealias Failure = StoreError

        private let subscription: ChangeSubscription
        private var cursor: FeedCursor
        private var events: ArraySlice<ChangeEvent> = []

        init(_ subscription: ChangeSubscription) {
            self.subscription = subscription
            cursor = subscription.start
        }

        /// Returns the next event; nil after the store was closed or the task was cancelled. Events that were read
        /// before come first.
        /// - Throws: ``StoreError`` if past changes cannot be read from the logs.
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

        private mutating func step(_ engine: Engine) async throws(StoreError) -> FeedCursor.Step {
            guard cursor.readsFiles else { return try cursor.step(engine.feed) }
            let before = cursor
            let (after, step) = try await BlockingWork.run { () throws(StoreError) in
                var cursor = before
                let step = try cursor.step(engine.feed)
                return (cursor, step)
            }
            cursor = after
            return step
        }

        private func wait(_ feed: ChangeFeed) async {
            let waiterID = feed.makeWaiterID()
            await feed.wait(waiterID, at: cursor.index)
            feed.forget(waiterID)
        }
    }
}
