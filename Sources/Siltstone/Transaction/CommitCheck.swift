import Synchronization

/// Decides at a commit whether anything that the transaction has read was changed behind its snapshot: optimistic
/// concurrency control with backward validation (Kung and Robinson, "On optimistic methods for concurrency control",
/// 1981).
///
/// Two steps share the work. ``advance(in:)`` runs without a lock, may read from disk, and covers nearly all changes.
/// ``decide(_:)`` runs under the write lock, right before the commit takes its sequence numbers; it covers the changes
/// that came meanwhile, which are all in memory.
///
/// Used by one commit, on one thread at a time.
final class CommitCheck {
    /// The result of ``decide(_:)``.
    enum Verdict {
        /// Nothing was changed. The commit may go on.
        case unchanged
        case conflict
        /// A flush has moved newer changes out of memory: ``CommitCheck/advance(in:)`` must run again.
        case outdated
    }

    private let reads: ReadSet
    /// No change up to this number is a conflict.
    private var checked: SequenceNumber
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

    /// Whether the first ``advance(in:)`` can be left out.
    var isSmall: Bool { reads.keyCount <= Self.fewKeys && !reads.hasRanges && attempts == 0 }

    /// Whether ``advance(in:)`` would read files.
    func readsFiles(in engine: Engine) -> Bool {
        engine.visible.load(ordering: .acquiring) != checked && engine.views.current().hasSegments(after: checked)
    }

    /// Checks everything that is visible now. Without a lock.
    /// - Returns: false for a conflict.
    func advance(in engine: Engine) throws(StoreError) -> Bool {
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

    private func compare(_ state: borrowing WriteState, in engine: Engine) throws(StoreError) -> Verdict {
        if state.lastSequence == checked { return .unchanged }
        if state.flushedSequence > checked {
            guard attempts > Self.mostAttempts else { return .outdated }
            return try engine.views.current().hasChange(in: reads, after: checked) ? .conflict : .unchanged
        }
        if state.active.table.hasChange(in: reads, after: checked) { return .conflict }
        return state.sealed.contains { $0.table.hasChange(in: reads, after: checked) } ? .conflict : .unchanged
    }
}
