/// Keeps the change feed running for a subscriber while it exists.
final class ChangeSubscription: Sendable {
    let store: KeyValueStore
    /// The position at which the subscriber starts.
    let start: FeedCursor

    /// - Parameters:
    ///   - since: the number of the last change that the subscriber knows; nil to start with the next change.
    /// - Throws: ``StoreError`` if the store is closed, or a log cannot be opened.
    init(_ store: KeyValueStore, _ range: KeyRange, since: SequenceNumber?) throws(StoreError) {
        self.store = store
        let engine = store.engine
        try engine.status.checkOpen()
        let begin = engine.writes.subscribeToChanges()
        do throws(StoreError) {
            let since = since ?? begin.sequence
            let replay = since < begin.sequence ? try LogReplay(begin.logs, in: engine.directory) : nil
            start = FeedCursor(
                range: range, since: since, replay: replay, replayEnd: begin.sequence, index: begin.position)
        } catch {
            engine.feed.unsubscribe()
            throw error
        }
    }

    deinit { store.engine.feed.unsubscribe() }
}
