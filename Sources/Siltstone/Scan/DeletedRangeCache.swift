import Synchronization

/// The ranges that scans of a store have found deleted (``DeletedRangeSet``).
///
/// While there are some, writers note each key that they put, and scans look for a range where they start and where
/// they meet deleted records. Otherwise both cost one load. The ranges are forgotten when segments change: a flush or a
/// compaction drops most deleted records, and writers then no longer pay for ranges that nobody needs.
///
/// Guarded by a leaf lock. A first range is added under the write lock, too, so that no put escapes its notice.
final class DeletedRangeCache: Sendable {
    private let ranges = Locked(DeletedRangeSet(), rank: .leaf)
    private let filled = Atomic<Bool>(false)

    /// Whether writers must note puts, and scans can skip ranges. Becomes true under the write lock only.
    @inline(__always)
    var hasRanges: Bool { filled.load(ordering: .relaxed) }

    /// See ``DeletedRangeSet/passedCount``.
    var passedCount: Int { ranges.withLock { $0.passedCount } }

    private func withSet<R>(_ body: (inout DeletedRangeSet) -> R) -> R {
        ranges.withLock { set in
            defer { filled.store(!set.isEmpty, ordering: .relaxed) }
            return body(&set)
        }
    }

    /// Forgets all ranges.
    func removeAll() {
        if hasRanges { withSet { $0.removeAll() } }
    }

    // MARK: Writers

    /// Notes a key that is about to be put. The caller holds the write lock, and the change is not visible yet.
    /// - Parameter sequence: the number of the change, or the last one of its batch.
    func note(put key: Bytes, _ sequence: SequenceNumber) { withSet { $0.note(put: key, sequence) } }

    /// Notes the keys that a batch is about to put. The caller holds the write lock, and the changes are not visible
    /// yet.
    /// - Parameters:
    ///   - payload: the encoded changes.
    ///   - last: the number of the last change.
    func notePuts(of payload: Bytes, last: SequenceNumber) throws(MalformedChange) {
        var changes = ChangeReader(payload, firstSequence: 0)
        while let change = try changes.next() {
            if change.kind.isPut { note(put: change.key, last) }
        }
    }

    /// Forgets all ranges, because many keys are about to be put. The caller holds the write lock, and the changes are
    /// not visible yet.
    /// - Parameter last: the number of the last change.
    func forget(through last: SequenceNumber) {
        withSet { set in
            set.removeAll()
            set.notePuts(upTo: last)
        }
    }

    // MARK: Scans

    /// See ``DeletedRangeSet/end(from:_:seen:)``.
    /// - Parameter seen: must be loaded before this call, so that all puts that the scan sees are noted here.
    func end(from position: [UInt8], _ direction: ScanDirection, seen: SequenceNumber) -> [UInt8]? {
        ranges.withLock { $0.end(from: position, direction, seen: seen) }
    }

    /// Adds the run that a scan has passed.
    /// - Parameters:
    ///   - seen: the last change that the scan sees.
    ///   - ifWriteLockIsFree: runs a closure with the number of the last change, under the write lock. Does nothing if
    ///     the lock is held: a scan never waits for a writer, and a later one can add the run.
    func add(_ run: DeletedRun, seen: SequenceNumber, _ ifWriteLockIsFree: ((SequenceNumber) -> Void) -> Void) {
        guard run.count >= DeletedRun.fewest, let bounds = run.bounds() else { return }
        let isAdded = withSet { set in
            // Without ranges, puts are not noted.
            if set.isEmpty { return false }
            set.add(bounds, passing: run.count, seen: seen)
            return true
        }
        if isAdded || run.count < DeletedRangeSet.fewestRecords { return }
        ifWriteLockIsFree { last in
            withSet { set in
                if set.isEmpty { set.notePuts(upTo: last) }
                set.add(bounds, passing: run.count, seen: seen)
            }
        }
    }
}
