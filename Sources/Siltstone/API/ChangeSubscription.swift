/// Keeps a feed running for a subscriber, from the moment when it is made.
final class ChangeSubscription: Sendable {
    let store: KeyValueStore
    /// Where the subscriber begins.
    let start: FeedCursor

    /// - Parameters:
    ///   - since: the number behind which the subscriber begins; nil for now.
    /// - Throws: ``StoreError`` where the store is closed, or a log cannot be opened.
    init(_ store: KeyValueStore, _ range: KeyRange, since: SequenceNumber?) throws(StoreError) {
        self.store = store
        let engine = store.engine
        try engine.status.checkOpen()
        let begin = engine.writes.subscribeToChanges()
        do throws(StoreError) {
            let since = since ?? begin.sequence
            let replay = since < begin.sequence ? try LogReplay(begin.logs, in: engine.directory) : nil
            var start = FeedCursor(
                range: range, since: min(since, begin.sequence), replay: replay, replayEnd: begin.sequence,
                index: begin.position)
            // The store has reached the number once, and lost the changes behind its end in a crash.
            if since > begin.sequence { start.report(lostAfter: begin.sequence, through: since) }
            self.start = start
        } catch {
            engine.feed.unsubscribe()
            throw error
        }
    }

    deinit { store.engine.feed.unsubscribe() }
}
