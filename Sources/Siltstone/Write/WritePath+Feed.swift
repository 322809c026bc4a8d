extension WritePath {
    /// A point in the history of changes, and the matching position of the feed.
    struct FeedStart {
        /// The position of the next commit.
        var position: Int
        /// The number of the last change before that commit.
        var sequence: SequenceNumber
        /// The live logs, oldest first, with their written lengths.
        var logs: [LogExtent]
    }

    /// Subscribes to the change feed. The caller must call ``ChangeFeed/unsubscribe()`` at the end.
    func subscribeToChanges() -> FeedStart {
        lock.withLock {
            FeedStart(
                position: feed.subscribe(), sequence: state.lastSequence,
                logs: (state.sealed + [state.active]).compactMap(\.extent))
        }
    }

    /// Publishes a change to the feed. Called under the write lock, when the change becomes visible to readers.
    @inline(never)
    func publishToFeed(of change: Record) { feed.publish(change) }
}
