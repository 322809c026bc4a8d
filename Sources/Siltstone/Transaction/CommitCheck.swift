import Synchronization

/// Decides at a commit whether anything that the transaction has read was changed behind its snapshot: optimistic
/// concurrency control with backward validation (Kung and Robinson, "On optimistic methods for concurrency control",
/// 1981).
///
/// A read set of a few keys is checked under the write lock alone, by look-ups in the memtables. For a larger one two
/// steps share the work. ``advance(in:)`` runs without a lock, may read from disk, and covers nearly all changes.
/// ``decide(_:in:)`` runs under the write lock, right before the commit takes its sequence numbers; it covers the commits
/// that came meanwhile, which the check has followed in the feed of changes. So nobody waits for the check of a long
/// transaction.
///
/// Used by one commit, on one thread at a time.
final class CommitCheck {
    /// The result of ``decide(_:in:)``.
    enum Verdict {
        /// Nothing was changed. The commit may go on.
        case unchanged
        case conflict
        /// The changes to compare have left memory: ``advance(in:)`` must run again.
        case outdated
    }

    /// A position in the feed of changes. All commits behind it are there.
    private struct Watch {
        var position: Int
        let index: ReadIndex
    }

    private let reads: ReadSet
    /// No change up to this number is a conflict.
    private var checked: SequenceNumber
    private var watch: Watch?
    private(set) var verdict = Verdict.unchanged
    private var attempts = 0

    /// Keys up to which the check under the lock is cheap enough to be the only one.
    private static let fewKeys = 32
    /// Attempts after which the check under the lock also reads from disk, so that the commit comes to an end.
    private static let mostAttempts = 8

    /// - Parameters:
    ///   - reads: closed (``ReadSet/closed()``).
    ///   - snapshot: the number of the transaction's snapshot, which stays registered until the commit is done.
    init(_ reads: ReadSet, since snapshot: SequenceNumber) {
        self.reads = reads
        checked = snapshot
    }

    /// Whether ``decide(_:in:)`` can do without ``advance(in:)``.
    var isSmall: Bool { reads.keyCount <= Self.fewKeys && !reads.hasRanges && attempts == 0 }

    /// Whether ``advance(in:)`` would read files.
    func readsFiles(in engine: Engine) -> Bool {
        engine.visible.load(ordering: .acquiring) != checked && engine.views.current().hasSegments(after: checked)
    }

    /// Checks everything that is visible now, and follows the commits behind it. Without a lock.
    /// - Returns: false for a conflict.
    func advance(in engine: Engine) throws(StoreError) -> Bool {
        // First the position in the feed, so that no commit falls between the two steps.
        let position = engine.subscribeToChanges().position
        if watch != nil { engine.feed.unsubscribe() }
        watch = Watch(position: position, index: watch?.index ?? ReadIndex(reads))
        // Loaded before the view, so that the view holds every change up to this number. A newer change that the view
        // holds as well is as good a conflict.
        let sequence = engine.visible.load(ordering: .acquiring)
        if sequence == checked { return true }
        if try engine.views.current().hasChange(in: reads, after: checked) {
            verdict = .conflict
            return false
        }
        checked = sequence
        return true
    }

    /// Checks the changes since the last step. Under the write lock.
    func decide(_ state: borrowing WriteState, in engine: Engine) throws(StoreError) -> Verdict {
        attempts += 1
        verdict = try compare(state, in: engine)
        return verdict
    }

    /// Stops to follow the commits.
    func end(in engine: Engine) {
        if watch != nil { engine.feed.unsubscribe() }
        watch = nil
    }

    private func compare(_ state: borrowing WriteState, in engine: Engine) throws(StoreError) -> Verdict {
        if state.lastSequence == checked { return .unchanged }
        let verdict = try watch == nil ? compareTables(state) : compareCommits(in: engine)
        guard verdict == .outdated, attempts > Self.mostAttempts else { return verdict }
        return try engine.views.current().hasChange(in: reads, after: checked) ? .conflict : .unchanged
    }

    /// By look-ups in the memtables.
    private func compareTables(_ state: borrowing WriteState) -> Verdict {
        if state.flushedSequence > checked { return .outdated }
        if state.active.table.hasChange(in: reads, after: checked) { return .conflict }
        return state.sealed.contains { $0.table.hasChange(in: reads, after: checked) } ? .conflict : .unchanged
    }

    /// By the commits that the feed holds.
    private func compareCommits(in engine: Engine) throws(StoreError) -> Verdict {
        guard var watch else { return .outdated }
        while true {
            switch engine.feed.read(at: watch.position) {
            case .upToDate, .closed: return .unchanged
            case .dropped: return .outdated
            case .records(let records, let next):
                watch.position = next
                for record in records where record.last > checked {
                    if record.payload == nil { return .outdated }
                    var isConflict = false
                    try record.forEachChange { isConflict = isConflict || watch.index.isChanged(by: $0) }
                    if isConflict { return .conflict }
                }
            }
        }
    }
}
