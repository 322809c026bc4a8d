import Dispatch
import Synchronization

/// The store behind ``KeyValueStore``: the parts, and who guards them.
///
/// Locks, in the order in which they may be taken:
/// 1. `valueLock`: appends to the value file, and the change that refers to it.
/// 2. `manifestLock`: edits of the manifest, each with its sync, and the creation of files. Held by a writer of
///    small values only for the first change after an opening (``settle()``).
/// 3. `writeLock`: the log, the memtable, sequence numbers, the current version. Held for less than a microsecond by a
///    write; never during a sync, but on a full disk while a flushed log is removed.
///
/// 4. That of ``EmptyRanges``: for the few instructions of a look.
///
/// Readers wait for none of the first three (``ViewPublisher``). A walk that has passed many deleted entries takes the write
/// lock for a moment where it is free.
///
/// `@unchecked Sendable`: `state` is guarded by `writeLock`, `manifest` by `manifestLock`, each only touched through the
/// engine's own methods.
final class Engine: @unchecked Sendable {
    let directory: String
    let configuration: Configuration
    let fileSystem: any FileSystem
    let identity: StoreIdentity

    let writeLock = ConditionLock()
    let state: UnsafeMutablePointer<WriteState>
    let manifestLock = ConditionLock()
    var manifest: Manifest?
    /// Whether what the opening found is durable (``settle()``).
    let isSettled: Atomic<Bool>
    let valueLock = ConditionLock()

    let views: ViewPublisher
    let scans = ScanPool()
    /// The newest change that readers see.
    let visible: Atomic<SequenceNumber>
    let snapshots = SnapshotRegistry()
    let retryTurn = RetryTurn()
    let feed: ChangeFeed
    let throttle = WriteThrottle()
    let emptyRanges = EmptyRanges()
    /// Reads that went the long way as their view did not know all range tombstones.
    let outdatedReads = Atomic<Int>(0)
    let cache: BlockCache
    let pageCache: PageCache
    let arenas: ArenaPool
    let picker: CompactionPicker
    let lock: (any FileLock)?
    let obsolete: ObsoleteFiles
    /// Set when the store closes: background work stops at the next record.
    let isStopping = Atomic<Bool>(false)
    /// One flush at a time, oldest memtable first; not behind a compaction, or writers would wait for it.
    let flushQueue = DispatchQueue(label: "siltstone.flush", qos: .userInitiated)
    /// The making of logs; not behind a flush, for which writers would wait then.
    let logQueue = DispatchQueue(label: "siltstone.log", qos: .userInitiated)
    /// The removal of flushed logs. Not behind their flushes, which the next one would wait for: a file of which much is on
    /// its way to the disk goes no sooner than that is there.
    let removalQueue = DispatchQueue(label: "siltstone.removal", qos: .utility)
    /// One compaction at a time.
    let compactionQueue = DispatchQueue(label: "siltstone.compaction", qos: .utility)
    /// The preparation of memory and log for writers. Serial, like all queues but the next: a concurrent one has Dispatch watch
    /// its threads, for which it takes file descriptors, and ends the process where there are none left.
    let preparationQueue = DispatchQueue(label: "siltstone.preparation", qos: .userInitiated)
    /// Looks again at views that were still read.
    static let retirementQueue = DispatchQueue(label: "siltstone.retirement", qos: .utility)
    /// Blocking work on behalf of asynchronous callers.
    let blockingQueue = DispatchQueue(label: "siltstone.blocking", attributes: .concurrent)
    let flushScheduled = Atomic<Bool>(false)
    /// Bytes of its memtable that the flush which goes on has read.
    let flushedBytes = Atomic(0)
    let compactionScheduled = Atomic<Bool>(false)
    /// Whether old views that are still read are to be looked at again.
    let retirementScheduled = Atomic<Bool>(false)

    /// Whether the store is to look whether it is idle.
    let idleWatchScheduled = Atomic<Bool>(false)
    /// The last change when the store last found itself idle.
    let idleSince = Atomic<SequenceNumber>(.max)

    /// For work that is put off, and not to keep the engine.
    let reference = EngineReference()

    /// Set right after the engine is made: its sync refers back to the engine.
    private(set) var commits: GroupCommit?

    init(_ parts: Parts) {
        directory = parts.directory
        configuration = parts.configuration
        fileSystem = parts.configuration.fileSystem
        identity = parts.identity
        manifest = parts.manifest
        isSettled = Atomic(!(parts.manifest?.isAsFound ?? false))
        lock = parts.lock
        cache = parts.cache
        pageCache = parts.pageCache
        arenas = parts.arenas
        feed = ChangeFeed(capacity: parts.configuration.changeFeedBytes)
        obsolete = ObsoleteFiles(directory: parts.directory, fileSystem: parts.configuration.fileSystem)
        picker = CompactionPicker(levelOneBytes: 4 * parts.configuration.memTableBytes)
        state = .allocate(capacity: 1)
        state.initialize(to: parts.state)
        // The segments that the store was opened with hold changes up to here at most.
        state.pointee.flushedSequence = parts.state.lastSequence
        visible = Atomic(parts.state.lastSequence)
        views = ViewPublisher(Self.makeView(parts.state, parts.pageCache))
        throttle.update(
            flushedRuns: configuration.automaticCompaction ? parts.state.version.levels.first?.count ?? 0 : 0)
        reference.set(self)
        pageCache.whenMissing { [reference] in reference.value?.measureMemorySoon() }
        commits = GroupCommit { [unowned self] () throws(StoreError) in try self.syncLogs() }
    }

    deinit {
        _ = views.retire(state.pointee.retired)
        state.deinitialize(count: 1)
        state.deallocate()
    }

    /// What opening a store yields.
    struct Parts {
        var directory: String
        var configuration: Configuration
        var identity: StoreIdentity
        var manifest: Manifest?
        var lock: (any FileLock)?
        var cache: BlockCache
        var pageCache: PageCache
        var arenas: ArenaPool
        var state: WriteState
    }

    static func makeView(_ state: WriteState, _ pageCache: PageCache) -> ReadView {
        ReadView(
            tables: [state.active.table] + state.sealed.reversed().map(\.table), version: state.version,
            isTight: pageCache.isTight)
    }

    /// Publishes what `state` now says. Under the write lock; the old view is retired by background work.
    func publishView() {
        state.pointee.retired.append(views.publish(Self.makeView(state.pointee, pageCache)))
    }

    /// Releases old views, now as far as nobody reads them, and the others soon. Not under the write lock: what a view
    /// kept may take long to give up.
    func retireViews() {
        scans.clear()
        let retired = writeLock.withLock {
            let retired = state.pointee.retired
            state.pointee.retired = []
            return retired
        }
        if views.retire(retired) || retirementScheduled.exchange(true, ordering: .acquiringAndReleasing) { return }
        Self.retirementQueue.async { [reference] in
            // Not by a timer of Dispatch, which takes file descriptors, too.
            Platform.sleep(microseconds: 10_000)
            guard let engine = reference.value else { return }
            engine.retirementScheduled.store(false, ordering: .releasing)
            engine.retireViews()
        }
    }

    /// Throws where the store is closed.
    @inline(__always)
    func checkOpen() throws(StoreError) {
        if isStopping.load(ordering: .relaxed) {
            throw StoreError(.closed, "the store is closed; open it again", file: directory)
        }
    }

    /// Under the write lock: throws where the store takes no writes.
    @inline(__always)
    func checkWritable() throws(StoreError) {
        if state.pointee.isClosed || configuration.readOnly || state.pointee.hasFailed { try refuse() }
    }

    /// Under the write lock, after a wait: throws where the store takes no writes any more. Who has waited is told the
    /// cause itself.
    func checkStillWritable() throws(StoreError) {
        if !state.pointee.isClosed, let failure = state.pointee.failure { throw failure }
        try checkWritable()
    }

    func refuse() throws(StoreError) {
        if state.pointee.isClosed { throw StoreError(.closed, "the store is closed; open it again", file: directory) }
        if configuration.readOnly {
            throw StoreError(.readOnly, "the store is open for reading only", file: directory)
        }
        if let failure = state.pointee.failure {
            throw StoreError(
                .refusesWrites,
                "an earlier write failed, and the store takes no more until it is opened again; reads go on: "
                    + failure.message, file: failure.file ?? directory, offset: failure.offset,
                errorNumber: failure.errorNumber)
        }
    }

    /// Takes note of a failure that leaves the disk's state unknown: no write is taken any more.
    func poison(_ error: StoreError) {
        writeLock.withLock {
            if !state.pointee.hasFailed { state.pointee.failure = error }
            writeLock.wakeAll()
        }
    }
}
