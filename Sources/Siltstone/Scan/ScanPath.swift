import Synchronization

/// Owns the state that scans share: the pool of ``Scan`` objects that wait for reuse, and the key ranges that scans
/// have found deleted.
///
/// Guards nothing itself: the pool uses atomics, and ``DeletedRangeCache`` has a leaf lock. Scans call this on any
/// thread. The write path clears the pool after each publication. A scan that has passed many deleted entries takes the
/// write lock for a moment, if the lock is free.
///
/// `ifWriteLockIsFree` is set once, before the first scan.
final class ScanPath: Sendable {
    let reads: ReadPath
    private let pool = ScanPool()
    private let deletedRanges = DeletedRangeCache()

    /// Runs a closure with the number of the last change, under the write lock. Does nothing if the lock is held. The
    /// write path sets it.
    let ifWriteLockIsFree = HeapCell<(_ body: (SequenceNumber) -> Void) -> Void> { _ in }

    init(_ reads: ReadPath) { self.reads = reads }

    /// Returns a ``Scan`` of the current super version, retained, and the newest visible sequence number. The caller
    /// ends it with ``give(_:)``.
    func take() -> (Borrowed<Scan>, SequenceNumber) {
        if let scan = pool.take() {
            // Loaded before the check of the super version, as in `ReadPath.current`.
            let sequence = reads.visible
            if scan.with({ reads.superVersions.isCurrent(Borrowed($0.superVersion)) }) {
                return (scan, sequence)
            }
            scan.release()
        }
        let (superVersion, sequence) = reads.current()
        return (.retaining(Scan(superVersion)), sequence)
    }

    /// Returns a ``Scan`` of ``take()`` to the pool, or releases it.
    func give(_ scan: Borrowed<Scan>) { pool.give(scan) { reads.superVersions.isCurrent($0) } }

    /// Releases the pooled scans, because the write path has published a new super version.
    func superVersionChanged() { pool.clear() }

    // MARK: Deleted ranges

    /// Whether writers must report the keys that they put. Changes under the write lock only.
    @inline(__always)
    var watchesPuts: Bool { deletedRanges.isWatching }

    /// Records a key that is about to be put. The caller holds the write lock, and the change is not visible yet.
    /// - Parameter sequence: the number of the change.
    func notePut(_ key: Bytes, _ sequence: SequenceNumber) { deletedRanges.note(put: key, sequence) }

    /// Records the keys that a batch is about to put. The caller holds the write lock, and the changes are not visible
    /// yet.
    /// - Parameters:
    ///   - payload: the encoded changes.
    ///   - last: the number of the last change.
    func notePuts(of payload: Bytes, last: SequenceNumber) throws(MalformedChange) {
        try deletedRanges.notePuts(of: payload, last: last)
    }

    /// Whether scans must check for deleted ranges.
    @inline(__always)
    var hasDeletedRanges: Bool { deletedRanges.hasRanges }

    /// Whether a scan that leaves one deleted range may reach another.
    var hasSeveralDeletedRanges: Bool { deletedRanges.hasSeveral }

    /// See ``DeletedRangeCache/end(from:visible:)``.
    func endOfDeleted(from key: Bytes, visible: SequenceNumber) -> [UInt8]? {
        deletedRanges.end(from: key, visible: visible)
    }

    /// See ``DeletedRangeCache/end(from:through:seen:)``.
    func endOfDeleted(from start: Bytes, through last: Bytes, seen: SequenceNumber) -> [UInt8]? {
        deletedRanges.end(from: start, through: last, seen: seen)
    }

    /// Records the deleted records that a scan has passed before it reached an entry.
    /// - Parameters:
    ///   - start: the key at which the scan started.
    ///   - last: the last key that it passed.
    ///   - count: the number of records that it passed, all deleted.
    ///   - seen: the last change that it sees.
    func noteDeleted(from start: Bytes, through last: Bytes, passing count: Int, seen: SequenceNumber) {
        if deletedRanges.hasRanges, deletedRanges.grow(from: start, through: last, seen: seen) { return }
        // A scan never waits for a writer. If the lock is held, a later scan can start the watching.
        guard count >= DeletedRangeCache.fewestToWatch else { return }
        ifWriteLockIsFree.value { lastChange in deletedRanges.watch(from: start, last: lastChange) }
    }
}
