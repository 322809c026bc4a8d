import Synchronization

/// Scans: the pool of those that wait for the next walk, and the ranges of keys that walks have found deleted.
///
/// Guards nothing itself: the pool works by atomics, and ``DeletedRangeCache`` has a leaf lock. Walks call it on any
/// thread. The write path clears the pool after each publication. A walk that has passed many deleted entries takes the
/// write lock for a moment, where that is free.
///
/// `ifWriteLockIsFree` is set once, before the first walk.
final class ScanPath: Sendable {
    let reads: ReadPath
    let pool = ScanPool()
    let deletedRanges = DeletedRangeCache()

    /// Runs a body with the last change, under the write lock, if nobody has that. The write path sets it.
    let ifWriteLockIsFree = HeapCell<(_ body: (SequenceNumber) -> Void) -> Void> { _ in }

    init(_ reads: ReadPath) { self.reads = reads }

    /// A scan of the current super version, retained, and what is visible.
    func take() -> (Borrowed<Scan>, SequenceNumber) {
        if let scan = pool.take() {
            // Before the look at the super version, as in `ReadPath.current`.
            let sequence = reads.visible.load(ordering: .acquiring)
            if scan.with({ reads.superVersions.isCurrent(Borrowed($0.superVersion)) }) {
                return (scan, sequence)
            }
            scan.release()
        }
        let (superVersion, sequence) = reads.current()
        return (.retaining(Scan(superVersion)), sequence)
    }

    /// Gives a scan back, retained.
    func give(_ scan: Borrowed<Scan>) { pool.give(scan) { reads.superVersions.isCurrent($0) } }

    /// Notes what a walk has passed before it came to an entry.
    /// - Parameters:
    ///   - start: where it began.
    ///   - last: the last key that it passed.
    ///   - count: the records that it passed, all deleted.
    ///   - seen: the last change that it sees.
    func noteDeleted(from start: Bytes, through last: Bytes, passing count: Int, seen: SequenceNumber) {
        if deletedRanges.hasRanges, deletedRanges.grow(from: start, through: last, seen: seen) { return }
        // No walk waits for a writer: the next one may note it as well.
        guard count >= DeletedRangeCache.fewestToWatch else { return }
        ifWriteLockIsFree.value { lastChange in deletedRanges.watch(from: start, last: lastChange) }
    }
}
