extension WritePath {
    /// A place in the history of changes, and the position of the feed behind it.
    struct FeedStart {
        /// The position of the next commit.
        var position: Int
        /// The number of the last change before that.
        var sequence: SequenceNumber
        /// The logs that are alive, oldest first, as far as they are written.
        var logs: [LogExtent]
    }

    /// Subscribes to the feed of changes. To be ended by ``ChangeFeed/unsubscribe()``.
    func subscribeToChanges() -> FeedStart {
        lock.withLock {
            FeedStart(
                position: feed.subscribe(), sequence: state.lastSequence,
                logs: (state.sealed + [state.active]).compactMap(\.extent))
        }
    }

    /// Tells the feed of a change. Under the write lock, when readers see it.
    @inline(never)
    func tellFeed(of change: Record) { feed.publish(change) }
}
