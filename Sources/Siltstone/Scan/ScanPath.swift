import Synchronization

/// Owns the state that scans share: the pool of ``Scan`` objects that wait for reuse, and the key ranges that scans
/// have found deleted.
///
/// Guards nothing itself: the pool uses atomics, and ``DeletedRangeCache`` has a leaf lock. Scans call this on any
/// thread. The write path clears the pool after a publication. A writer that makes a new memtable publishes too, but
/// leaves the clearing to the next flush. A scan that has passed many deleted entries takes the write lock for a
/// moment, if the lock is free.
///
/// `ifWriteLockIsFree` is set once, before the first scan.
final class ScanPath: Sendable {
    let reads: ReadPath
    private let pool = ScanPool()
    let deletedRanges = DeletedRangeCache()

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

    /// Adds a run of deleted records that a scan has passed to the ranges that later scans skip.
    /// - Parameter seen: the last change that the scan sees.
    func add(_ run: DeletedRun, seen: SequenceNumber) { deletedRanges.add(run, seen: seen, ifWriteLockIsFree.value) }
}

/// ``Scan`` objects that wait for reuse. Making one takes some twenty allocations, which is as long as a short scan.
///
/// The pool is cleared after a publication (``ScanPath``), because a waiting scan keeps the memory and the files of its
/// super version alive.
final class ScanPool: Sendable {
    /// A power of two, because ``ownSlot`` masks thread numbers with it.
    private static let slotCount = 8

    /// The pooled scans, one in each slot. Each slot has its own cache line.
    private let slots = AtomicBorrowedRow<Scan>(count: slotCount)

    deinit { clear() }

    /// The slot of the calling thread. Few other threads share it.
    @inline(__always)
    private var ownSlot: Int { (ThreadNumbers.shared.current ?? 0) & (Self.slotCount - 1) }

    /// Takes a pooled scan, of any super version. The caller owns it from now on.
    func take() -> Borrowed<Scan>? { slots.exchange(nil, at: ownSlot) }

    /// Adds a scan that is not in use, or releases it if its slot is taken.
    /// - Parameters:
    ///   - scan: owned by the caller before this call, and by the pool afterwards.
    ///   - isCurrent: returns whether a super version is the current one.
    func give(_ scan: Borrowed<Scan>, isCurrent: (Borrowed<SuperVersion>) -> Bool) {
        let (superVersion, isUsable) = scan.with { scan in
            let superVersion = Borrowed(scan.superVersion)
            guard !scan.hasFailed, isCurrent(superVersion) else { return (superVersion, false) }
            scan.rest()
            return (superVersion, true)
        }
        guard isUsable else { return scan.release() }
        let slot = ownSlot
        guard slots.fill(scan, at: slot) else { return scan.release() }
        // The publisher of the next super version clears the pool after publishing. Either it finds this scan, or the
        // check here sees the new super version. While the scan is in its slot, its super version is alive, so no other
        // can have the same address.
        if !isCurrent(superVersion) { slots.exchange(nil, at: slot)?.release() }
    }

    /// Releases all pooled scans.
    func clear() {
        for slot in 0..<Self.slotCount { slots.exchange(nil, at: slot)?.release() }
    }
}

/// The state that scans of one super version share one after the other: its merge, and what the last scan has opened.
/// ``ScanPool`` keeps it between scans. Used by one thread at a time.
final class Scan {
    /// Keeps alive the memtables and segments that the merge reads.
    let superVersion: SuperVersion
    /// Over all memtables and runs of ``superVersion``.
    let merge: MergingCursor
    /// The error that ended a scan. Afterwards the position of the merge is unknown, so this object is not reused.
    var failure: StoreError? { didSet { hasFailed = failure != nil } }
    /// Whether ``failure`` is set. Reading ``failure`` itself would copy it.
    private(set) var hasFailed = false
    /// The last run of deleted records that the scan has passed, for the scan of a transaction.
    var lastRun: DeletedRun?
    /// Storage for a ``ScanIterator`` at a fixed address. Loops that are inlined into callers cannot hold the iterator.
    let iteratorStorage = HeapSlot<ScanIterator>()
    /// The value file that the last value was read from, so that the next value need not look for it.
    let recentValueFile = HeapCell(RecentValueFile())

    init(_ superVersion: SuperVersion) {
        self.superVersion = superVersion
        merge = MergingCursor(superVersion.sources())
    }

    /// Releases the memory that the last scan used. The super version stays.
    func rest() {
        merge.rest()
        lastRun = nil
        recentValueFile.value = RecentValueFile()
    }
}
