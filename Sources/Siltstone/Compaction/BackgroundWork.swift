import Dispatch
import Synchronization

/// Runs flushes, compactions, and the other background work of a store.
///
/// Guards four things with atomics and a leaf lock: which work is scheduled, the sequence number at which the store was
/// last idle, the statistics counters, and the set of segments that are not preloaded yet
/// (``SegmentReader/preload(shouldStop:)``). One flush and one compaction run at a time, each on its own serial queue.
/// Both install their output in the version set, and report to the write path, which wakes the writers that wait for
/// them.
///
/// Callers are: ``WritePath`` and ``ValueLog`` (through the closures of ``BackgroundRequests``, which never block),
/// ``PageCache`` (through a closure that only schedules work), ``IdleWatch``, `compact`, the statistics, opening and
/// closing. Work on a queue holds no lock when it starts. It takes the value lock, the manifest lock, the sync lock and
/// the write lock through their owners.
final class BackgroundWork: Sendable {
    let writes: WritePath
    let picker: CompactionPicker
    /// Takes the values that compactions relocate.
    let relocations: ValueLog
    var configuration: Configuration { writes.configuration }
    var status: StoreStatus { writes.status }
    var versions: VersionSet { writes.versions }
    var values: ValueLog { writes.values }
    var reads: ReadPath { writes.reads }
    var directory: StoreDirectory { versions.directory }
    var obsolete: ObsoleteFiles { versions.obsolete }

    // All queues of background work are serial, that of ``PieceWriter`` too. For a concurrent queue, Dispatch watches
    // its threads through file descriptors, and aborts the process if none are left. ``BlockingWork`` has a concurrent
    // queue.

    /// Runs one flush at a time, oldest memtable first, and tidies an idle store. Separate from compactions, because
    /// otherwise writers would wait for a compaction.
    let flushQueue = DispatchQueue(label: "siltstone.flush", qos: .userInitiated)
    /// Creates logs. Separate from flushes, because otherwise writers that need a log would wait for a flush.
    let logQueue = DispatchQueue(label: "siltstone.log", qos: .userInitiated)
    /// Removes the logs of flushed memtables. Separate from flushes, because unlinking a file may wait for write-back
    /// of its pages that has begun, and the next flush would wait too.
    let removalQueue = DispatchQueue(label: "siltstone.removal", qos: .utility)
    /// Runs one compaction at a time, collects value files, and preloads segments.
    let compactionQueue = DispatchQueue(label: "siltstone.compaction", qos: .utility)
    /// Prepares memory and log space for writers, frees disk space, and checks whether the store's files fit into memory.
    let preparationQueue = DispatchQueue(label: "siltstone.preparation", qos: .userInitiated)

    let flushScheduled = Atomic<Bool>(false)
    let compactionScheduled = Atomic<Bool>(false)
    let spaceScheduled = Atomic<Bool>(false)
    /// True while ``IdleWatch`` watches the store.
    let idleWatchScheduled = Atomic<Bool>(false)
    /// The last sequence number when the store was last found idle; `.max` before. ``isIdle`` compares it with the
    /// current one.
    let sequenceWhenIdle = Atomic<SequenceNumber>(.max)
    /// For deferred work, which must not keep this object alive. Its value is nil once the store is gone.
    let reference = OwnerReference<BackgroundWork>()

    private let log = Locked(WorkLog(), rank: .leaf)

    init(_ writes: WritePath) {
        self.writes = writes
        // About the bytes of level 0 when its compaction starts: four full memtables.
        picker = CompactionPicker(levelOneBytes: 4 * writes.configuration.memTableBytes)
        relocations = ValueLog(writes.versions, writes.reads, relocates: true)
        reference.set(self)
        let requests = BackgroundRequests(
            flush: { [unowned self] in scheduleFlush() },
            compaction: { [unowned self] in scheduleCompaction() },
            nextLog: { [unowned self] in logQueue.async { self.writes.prepareLog() } },
            space: { [unowned self] in scheduleSpace() },
            idleWatch: { [unowned self] in watchForIdleness() },
            preparation: { [preparationQueue] work in preparationQueue.async(execute: work) })
        writes.background.value = requests
        values.background.value = requests
        // Called at the first read that may miss the page cache, and then at every 1,024th. Called now if recovery has
        // made such a read, so all else is set before. The page cache may outlive this object. The other closures are
        // unowned: their callers keep this object alive.
        directory.pageCache.whenRequested { [reference] in reference.value?.measureMemorySoon() }
    }

    /// Starts the background work that a newly opened store may need.
    func start() {
        if configuration.readOnly { return }
        // Also collects the value files that the last owner has left behind.
        scheduleFlush()
        scheduleCompaction()
        guard let active = writes.tables.last else { return }
        // The last owner has died, or could not flush on a full disk: its log refers to values that may be dead.
        if active.valueBytes >= LoggedTable.minReleasedBytes { scheduleFlushOfAll() }
        // If recovery replayed much log into the memtable, watches for idleness so that it is flushed. The next opening
        // then need not replay the log again.
        if active.table.byteCount >= configuration.memTableBytes / 16 { watchForIdleness() }
    }

    /// All queues. Closing waits for them in this order, because work on one queue schedules its follow-up work on
    /// later ones. There is one exception: work that frees disk space schedules a flush. A closed store does not begin it
    /// (``WritePath/beginFlush()``).
    var queues: [DispatchQueue] { [flushQueue, removalQueue, logQueue, preparationQueue, compactionQueue] }

    // MARK: Counts

    private struct WorkLog: Sendable {
        var counts = Statistics()
        /// Numbers of the segments that were written, and not preloaded, since ``takeUnpreloadedSegments()`` was last
        /// called. Compactions remove the numbers of their inputs.
        var unpreloadedSegments: Set<UInt64> = []
        /// Segments with values that were kept for snapshots only. No snapshot outlives the process, and neither does
        /// this.
        var heldValues: [UInt64: HeldValues] = [:]
    }

    /// Older versions of large values in a segment, which the merge that wrote it has kept for snapshots.
    struct HeldValues: Sendable {
        var bytes = 0
        /// The snapshots at the time of the merge, ascending.
        var snapshots: [SequenceNumber]
    }

    /// The counts of flushes and compactions since the store was opened. The other fields stay empty.
    var counts: Statistics { log.withLock { $0.counts } }

    /// Counts finished work.
    /// - Parameters:
    ///   - unpreloaded: numbers of segments that were written but not preloaded.
    ///   - removed: numbers of segments that the work has removed from the version.
    func note(unpreloaded: [UInt64] = [], removed: [UInt64] = [], _ change: (inout Statistics) -> Void) {
        log.withLock { log in
            change(&log.counts)
            log.unpreloadedSegments.formUnion(unpreloaded)
            // Otherwise the set of a store that is never idle would grow without bound.
            log.unpreloadedSegments.subtract(removed)
            for number in removed { log.heldValues[number] = nil }
        }
    }

    // MARK: Snapshots

    /// Records the values that a merge has kept for snapshots only.
    func note(held: [UInt64: HeldValues]) {
        if !held.isEmpty { log.withLock { $0.heldValues.merge(held) { $1 } } }
    }

    /// Bytes of values that the segments of a version hold for snapshots only.
    /// - Parameter snapshots: if not nil, counts only segments that hold values for a snapshot that is none of these.
    /// - Returns: the bytes by number of the segment.
    func heldValueBytes(_ version: Version, releasedSince snapshots: [SequenceNumber]? = nil) -> [UInt64: Int] {
        let held = log.withLock { $0.heldValues }
        if held.isEmpty { return [:] }
        let live = Set(version.allSegments.map(\.info.number))
        let released = held.filter { number, values in
            live.contains(number) && !(snapshots.map { Set(values.snapshots).isSubset(of: $0) } ?? false)
        }
        return released.mapValues(\.bytes)
    }

    /// Schedules the compaction that drops what only a released snapshot has seen.
    func snapshotWasReleased() {
        if log.withLock({ !$0.heldValues.isEmpty }) { scheduleCompaction() }
    }

    /// Removes and returns the numbers of the segments that were written but not preloaded.
    func takeUnpreloadedSegments() -> Set<UInt64> {
        log.withLock { log in
            defer { log.unpreloadedSegments = [] }
            return log.unpreloadedSegments
        }
    }

    // MARK: Memory

    /// Schedules a new check of whether the store's files fit into memory.
    func measureMemorySoon() {
        preparationQueue.async { [reference] in reference.value?.measureMemory() }
    }

    private func measureMemory() {
        // Point reads find the result in the super version, so a change needs a new one.
        if directory.pageCache.measure(versions.current) { writes.republish() }
    }
}
