import Synchronization

/// Decides at a commit whether anything that the transaction has read was changed behind its snapshot: optimistic
/// concurrency control with backward validation (Kung and Robinson, "On optimistic methods for concurrency control",
/// 1981).
///
/// A read set of a few keys is checked under the write lock alone, by look-ups in the memtables. For a larger one two
/// steps share the work. ``advance(_:_:subscribe:)`` runs without a lock, may read from disk, and covers nearly all changes.
/// ``decide(last:flushed:_:_:)`` runs under the write lock, right before the commit takes its sequence numbers; it covers the commits
/// that came meanwhile, which the check has followed in the feed of changes. So nobody waits for the check of a long
/// transaction.
///
/// Used by one commit, on one thread at a time.
final class CommitCheck {
    /// The result of ``decide(last:flushed:_:_:)``.
    enum Verdict {
        /// Nothing was changed. The commit may go on.
        case unchanged
        case conflict
        /// The changes to compare have left memory: ``advance(_:_:subscribe:)`` must run again.
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

    /// Whether ``decide(last:flushed:_:_:)`` can do without ``advance(_:_:subscribe:)``.
    var isSmall: Bool { reads.keyCount <= Self.fewKeys && !reads.hasRanges && attempts == 0 }

    /// Whether ``advance(_:_:subscribe:)`` would read files.
    func readsFiles(_ path: ReadPath) -> Bool {
        path.visible.load(ordering: .acquiring) != checked
            && path.superVersions.current().hasSegments(after: checked)
    }

    /// Checks everything that is visible now, and follows the commits behind it. Without a lock.
    /// - Parameter subscribe: subscribes to the feed, and returns the position behind the last commit.
    /// - Returns: false for a conflict.
    func advance(_ path: ReadPath, _ feed: ChangeFeed, subscribe: () -> Int) throws(StoreError) -> Bool {
        // First the position in the feed, so that no commit falls between the two steps.
        let position = subscribe()
        if watch != nil { feed.unsubscribe() }
        watch = Watch(position: position, index: watch?.index ?? ReadIndex(reads))
        // Loaded before the super version, so that this holds every change up to the number. A newer change that it holds
        // as well is as good a conflict.
        let sequence = path.visible.load(ordering: .acquiring)
        if sequence == checked { return true }
        if try path.superVersions.current().hasChange(in: reads, after: checked) {
            verdict = .conflict
            return false
        }
        checked = sequence
        return true
    }

    /// Checks the changes since the last step. Under the write lock.
    /// - Parameters:
    ///   - last: the number of the last change.
    ///   - flushed: no change behind this number has left memory.
    func decide(
        last: SequenceNumber, flushed: SequenceNumber, _ path: ReadPath, _ feed: ChangeFeed
    ) throws(StoreError) -> Verdict {
        attempts += 1
        verdict = try last == checked ? .unchanged : compare(flushed: flushed, path, feed)
        return verdict
    }

    /// Stops to follow the commits.
    func end(_ feed: ChangeFeed) {
        if watch != nil { feed.unsubscribe() }
        watch = nil
    }

    private func compare(
        flushed: SequenceNumber, _ path: ReadPath, _ feed: ChangeFeed
    ) throws(StoreError) -> Verdict {
        let superVersion = path.superVersions.current()
        let verdict = try watch == nil ? compareTables(superVersion, flushed: flushed) : compareCommits(feed)
        guard verdict == .outdated, attempts > Self.mostAttempts else { return verdict }
        return try superVersion.hasChange(in: reads, after: checked) ? .conflict : .unchanged
    }

    /// By look-ups in the memtables, which under the write lock are those of the current super version.
    private func compareTables(_ superVersion: SuperVersion, flushed: SequenceNumber) -> Verdict {
        if flushed > checked { return .outdated }
        return superVersion.tables.contains { $0.hasChange(in: reads, after: checked) } ? .conflict : .unchanged
    }

    /// By the commits that the feed holds.
    private func compareCommits(_ feed: ChangeFeed) throws(StoreError) -> Verdict {
        guard var watch else { return .outdated }
        while true {
            switch feed.read(at: watch.position) {
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
