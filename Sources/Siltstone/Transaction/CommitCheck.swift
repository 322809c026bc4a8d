import Synchronization

/// Decides at a commit whether a key or range of the check's set was changed after the snapshot. The set holds what
/// the transaction has read or, under snapshot isolation, what it writes. This is optimistic concurrency control with
/// backward validation (Kung and Robinson, "On optimistic methods for concurrency control", 1981).
///
/// A read set of a few keys is checked under the write lock alone, by lookups in the memtables, if these still hold all
/// changes after the snapshot. Otherwise two steps share the work:
/// - ``advance(_:_:subscribe:)`` takes the write lock only for a moment, to subscribe to the feed. The check itself
///   runs without it, may read from disk, and covers nearly all changes.
/// - ``decide(last:flushed:_:_:)`` runs under the write lock, directly before the commit takes its sequence numbers. It
///   covers the commits that arrived since, which the check reads from the change feed.
///
/// So other writers usually do not wait for the check of a long transaction. Only after eight attempts does it read
/// from disk under the lock.
///
/// Used by one commit, on one thread at a time.
final class CommitCheck {
    /// The result of ``decide(last:flushed:_:_:)``.
    enum Verdict {
        /// Nothing was changed. The commit may continue.
        case unchanged
        /// A key or range of the read set was changed.
        case conflict
        /// The memtables or the feed do not hold all changes that must be compared. ``advance(_:_:subscribe:)`` must
        /// run again.
        case outdated
    }

    /// A position in the change feed, and the index of the read set. The feed holds the commits after the position,
    /// unless it had to drop some.
    private struct Watch {
        var position: Int
        let index: ReadIndex
    }

    private let reads: ReadSet
    /// Changes up to this number are no conflict.
    private var checked: SequenceNumber
    /// Nil before the first ``advance(_:_:subscribe:)``, and after ``end(_:)``.
    private var watch: Watch?
    /// The result of the last ``decide(last:flushed:_:_:)``; ``Verdict/conflict`` after an
    /// ``advance(_:_:subscribe:)`` that found one.
    private(set) var verdict = Verdict.unchanged
    /// The number of calls of ``decide(last:flushed:_:_:)``.
    private var attempts = 0

    /// The largest number of keys for which the check under the lock is cheap enough to be the only one. More keys make
    /// other writers wait longer; fewer make more commits subscribe to the feed. The exact value was not measured.
    private static let fewKeys = 32
    /// The number of attempts after which the check under the lock also reads from disk, so that the commit ends. Other
    /// writers wait for that read, so it is the last resort. The exact value was not measured.
    private static let mostAttempts = 8

    /// - Parameters:
    ///   - reads: with the ranges of scans merged (``ReadSet/mergingScans()``).
    ///   - snapshot: the sequence number of the transaction's snapshot, which stays registered until the commit has
    ///     ended.
    init(_ reads: ReadSet, since snapshot: SequenceNumber) {
        self.reads = reads
        checked = snapshot
    }

    /// Whether ``decide(last:flushed:_:_:)`` is tried first, without ``advance(_:_:subscribe:)``.
    var isSmall: Bool { reads.keyCount <= Self.fewKeys && !reads.hasRanges && attempts == 0 }

    /// Whether ``advance(_:_:subscribe:)`` may have to read files, as of now.
    func readsFiles(_ path: ReadPath) -> Bool {
        path.visible != checked && path.superVersions.current().hasSegments(after: checked)
    }

    /// Checks all visible changes, and starts to follow the later commits. Must not be called under the write lock.
    /// - Parameter subscribe: subscribes to the feed, and returns the position after the last commit. Takes the write
    ///   lock for that.
    /// - Returns: false if there is a conflict.
    func advance(_ path: ReadPath, _ feed: ChangeFeed, subscribe: () -> Int) throws(StoreError) -> Bool {
        // Takes the position in the feed first, so that neither step misses a commit.
        let position = subscribe()
        // The old position is no longer needed.
        if watch != nil { feed.unsubscribe() }
        watch = Watch(position: position, index: watch?.index ?? ReadIndex(reads))
        // The number is loaded first. So the super version holds every change up to it. It may hold newer changes;
        // those of the read set are conflicts, too.
        let sequence = path.visible
        if sequence == checked { return true }
        if try path.superVersions.current().hasChange(in: reads, after: checked) { return false }
        checked = sequence
        return true
    }

    /// Checks the changes since the last step. The caller holds the write lock.
    /// - Parameters:
    ///   - last: the number of the last change to the store.
    ///   - flushed: all changes after this number are still in memtables.
    func decide(
        last: SequenceNumber, flushed: SequenceNumber, _ path: ReadPath, _ feed: ChangeFeed
    ) throws(StoreError) -> Verdict {
        attempts += 1
        verdict = try last == checked ? .unchanged : compare(flushed: flushed, path, feed)
        return verdict
    }

    /// Stops following the commits.
    func end(_ feed: ChangeFeed) {
        if watch != nil { feed.unsubscribe() }
        watch = nil
    }

    /// Compares the changes since the last step in memory, or also on disk after ``mostAttempts``.
    private func compare(
        flushed: SequenceNumber, _ path: ReadPath, _ feed: ChangeFeed
    ) throws(StoreError) -> Verdict {
        let superVersion = path.superVersions.current()
        let verdict = try watch == nil ? compareTables(superVersion, flushed: flushed) : compareCommits(feed)
        guard verdict == .outdated, attempts > Self.mostAttempts else { return verdict }
        return try superVersion.hasChange(in: reads, after: checked) ? .conflict : .unchanged
    }

    /// Compares by lookups in the memtables of the current super version. The caller holds the write lock, so these are
    /// all memtables of the store.
    private func compareTables(_ superVersion: SuperVersion, flushed: SequenceNumber) throws(StoreError) -> Verdict {
        if flushed > checked { return .outdated }
        for table in superVersion.tables where try table.hasChange(in: reads, after: checked) { return .conflict }
        return .unchanged
    }

    /// Compares the commits that the feed holds.
    private func compareCommits(_ feed: ChangeFeed) throws(StoreError) -> Verdict {
        // Works on a copy. So the next call reads from the same position again.
        guard var watch else { return .outdated }
        while true {
            switch feed.read(at: watch.position) {
            case .upToDate, .closed: return .unchanged  // a closed feed, too, has delivered all its records
            case .dropped: return .outdated
            case .records(let records, let next):
                watch.position = next
                for record in records where record.last > checked {
                    guard let isConflict = try watch.index.isChanged(by: record) else { return .outdated }
                    if isConflict { return .conflict }
                }
            }
        }
    }
}
