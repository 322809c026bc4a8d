import Dispatch
import Synchronization

/// Flushes, compactions, and the other work that a store does behind its callers.
///
/// Guards, by atomics and a leaf lock: what is scheduled, what was counted, and which segments are fresh. One flush and one
/// compaction run at a time, each on a serial queue. The results go to the write path, whose lock wakes the writers that
/// wait for them, and to the version set.
///
/// Who calls: the write path, by ``BackgroundRequests``, which wait for nothing; callers of `compact`; ``IdleWatch``;
/// opening and closing. Work on a queue holds no lock when it begins, and takes the value, the manifest and the write lock
/// through their owners.
final class BackgroundWork: Sendable {
    let configuration: Configuration
    let status: StoreStatus
    let versions: VersionSet
    let values: ValueLog
    let reads: ReadPath
    let writes: WritePath
    let arenas: ArenaPool
    let picker: CompactionPicker
    var directory: StoreDirectory { versions.directory }
    var obsolete: ObsoleteFiles { versions.obsolete }

    /// One flush at a time, oldest memtable first; not behind a compaction, or writers would wait for it.
    let flushQueue = DispatchQueue(label: "siltstone.flush", qos: .userInitiated)
    /// The making of logs; not behind a flush, for which writers would wait then.
    let logQueue = DispatchQueue(label: "siltstone.log", qos: .userInitiated)
    /// The removal of flushed logs. Not behind their flushes, which the next one would wait for: a file of which much is on
    /// its way to the disk goes no sooner than that is there.
    let removalQueue = DispatchQueue(label: "siltstone.removal", qos: .utility)
    /// One compaction at a time.
    let compactionQueue = DispatchQueue(label: "siltstone.compaction", qos: .utility)
    /// The preparation of memory and log for writers. Serial, like all queues but that for blocking work: for a concurrent one
    /// Dispatch watches its threads by file descriptors, and ends the process where there are none left.
    let preparationQueue = DispatchQueue(label: "siltstone.preparation", qos: .userInitiated)

    let flushScheduled = Atomic<Bool>(false)
    let compactionScheduled = Atomic<Bool>(false)
    /// Whether the store is looked at until it is idle.
    let idleWatchScheduled = Atomic<Bool>(false)
    /// The last change when the store last found itself idle.
    let idleSince = Atomic<SequenceNumber>(.max)
    /// For work that is put off, and must not keep the owner.
    let reference = OwnerReference<BackgroundWork>()

    private let log = Locked(WorkLog(), rank: .leaf)

    init(_ writes: WritePath) {
        self.writes = writes
        configuration = writes.configuration
        status = writes.status
        versions = writes.versions
        values = writes.values
        reads = writes.reads
        arenas = writes.arenas
        picker = CompactionPicker(levelOneBytes: 4 * writes.configuration.memTableBytes)
        reference.set(self)
        directory.pageCache.whenMissing { [reference] in reference.value?.measureMemorySoon() }
        let requests = BackgroundRequests(
            flush: { [unowned self] in scheduleFlush() },
            compaction: { [unowned self] in scheduleCompaction() },
            nextLog: { [unowned self] in scheduleNextLog() },
            idleWatch: { [unowned self] in watchForIdleness() },
            preparation: { [preparationQueue] work in preparationQueue.async(execute: work) })
        writes.background = requests
        values.background.value = requests
    }

    /// Begins the work that a store may need which was just opened.
    func start() {
        if configuration.readOnly { return }
        let tables = writes.tables
        if tables.count > 1 { scheduleFlush() }
        scheduleCompaction()
        // What the logs held, where it is much, need not be read again at the next opening.
        if let active = tables.last?.table, active.byteCount >= leastIdleFlush { watchForIdleness() }
    }

    private func scheduleNextLog() { logQueue.async { self.writes.prepareLog() } }

    /// The queues whose work uses the files. In the order in which work on one brings about work on another.
    var queues: [DispatchQueue] { [flushQueue, removalQueue, logQueue, preparationQueue, compactionQueue] }

    // MARK: Counts

    /// Counts of what was done since the store was opened.
    struct Counts: Sendable {
        var flushes = 0
        var flushedBytes = 0
        var flushSeconds = 0.0
        var compactions = 0
        var trivialMoves = 0
        var compactionBytesRead = 0
        var compactionBytesWritten = 0
        var compactionSeconds = 0.0
    }

    private struct WorkLog: Sendable {
        var counts = Counts()
        /// Segments that were written since the last time that segments were preloaded.
        var freshSegments: Set<UInt64> = []
    }

    var counts: Counts { log.withLock { $0.counts } }

    /// Counts work that is done.
    /// - Parameter fresh: segments that were written, and not preloaded.
    func note(fresh: [UInt64] = [], _ change: (inout Counts) -> Void) {
        log.withLock { log in
            change(&log.counts)
            log.freshSegments.formUnion(fresh)
        }
    }

    /// The segments that were written and not preloaded; each is returned once.
    func takeFreshSegments() -> Set<UInt64> {
        log.withLock { log in
            defer { log.freshSegments = [] }
            return log.freshSegments
        }
    }

    // MARK: Memory

    /// Looks again, in the background, whether the store's files fit into memory.
    func measureMemorySoon() {
        preparationQueue.async { [reference] in reference.value?.measureMemory() }
    }

    private func measureMemory() {
        // What readers may count on is part of their super version.
        if directory.pageCache.measure(versions.current) { writes.republish() }
    }
}
