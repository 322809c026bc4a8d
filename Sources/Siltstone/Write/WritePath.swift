import Synchronization

/// Writes: from a change to the log, the memtable and the readers, and to stable storage.
///
/// Guards, by the write lock: ``WriteState``, which is the active and the sealed memtables with their logs, sequence
/// numbers, and what is known of background work. A write holds the lock for less than a microsecond, and never during a
/// sync; on a full disk it waits under it while a flushed log is removed. The lock's condition wakes those who wait for
/// room, for background work or for a log.
///
/// Who calls: `KeyValueStore` and transactions; background work, through `WritePath+Background.swift`. Locks are taken in
/// the order value, manifest, write; whoever holds the write lock may take a leaf lock: the log's space, the end of the value
/// file, the deleted ranges, the feed of changes.
///
/// `background` is set once, before the first write.
final class WritePath: Sendable {
    let configuration: Configuration
    let status: StoreStatus
    let versions: VersionSet
    let values: ValueLog
    let reads: ReadPath
    let scans: ScanPath
    let deletedRanges: DeletedRangeCache
    let feed: ChangeFeed
    let arenas: ArenaPool
    /// Blocking work on behalf of asynchronous writers.
    let blocking: BlockingQueue

    let lock = ConditionLock(.write)
    private let cell: HeapCell<WriteState>
    /// Bytes of its memtable that the flush under way has read.
    let flushProgress = Atomic(0)
    /// Syncs that writers share. Set by the initialiser: its sync refers back to the write path.
    private let commitCell = HeapCell<GroupCommit?>(nil)
    private let requests = HeapCell(BackgroundRequests())

    init(
        _ state: WriteState, _ versions: VersionSet, _ values: ValueLog, _ scans: ScanPath, _ feed: ChangeFeed,
        _ arenas: ArenaPool
    ) {
        configuration = versions.directory.configuration
        status = versions.status
        self.versions = versions
        self.values = values
        self.scans = scans
        reads = scans.reads
        deletedRanges = scans.deletedRanges
        self.feed = feed
        self.arenas = arenas
        blocking = reads.blocking
        cell = HeapCell(state)
        noteRuns(versions.current)
        commitCell.value = GroupCommit { [unowned self] () throws(StoreError) in try self.syncLogs() }
        status.whenFailed { [unowned self] in wakeAll() }
        versions.install.value = { [unowned self] wakes, change in install(wakes: wakes, change) }
        reads.republish.value = { [unowned self] superVersion in republish(replacing: superVersion) }
        scans.ifWriteLockIsFree.value = { [unowned self] body in ifLockIsFree { body(self.state.lastSequence) } }
    }

    /// Under the write lock.
    var state: WriteState {
        // No coroutines, which would copy the state first.
        @inline(__always) unsafeAddress { unsafe cell.place }
        @inline(__always) unsafeMutableAddress { unsafe cell.mutablePlace }
    }

    var commits: GroupCommit? { commitCell.value }

    /// What this and the value log ask of background work.
    var background: BackgroundRequests {
        get { requests.value }
        set { requests.value = newValue }
    }

    /// Wakes everyone who waits for the state to change.
    func wakeAll() { lock.withLock { lock.wakeAll() } }

    private func ifLockIsFree(_ body: () -> Void) {
        guard lock.tryLock() else { return }
        defer { lock.unlock() }
        body()
    }

    // MARK: Publishing

    /// Has readers see what the state and the current version now say. Under the write lock.
    func publish() { reads.publish(state.tables, versions.current) }

    /// Runs a change of the version, and has readers see it.
    private func install(wakes: Bool, _ change: () -> Void) {
        lock.withLock {
            change()
            publish()
            noteRuns(versions.current)
            if wakes { lock.wakeAll() }
        }
        retire()
    }

    /// Publishes again, with range tombstones that the super version does not know.
    private func republish(replacing superVersion: SuperVersion) {
        ifLockIsFree {
            reads.forgetOutdatedReads()
            guard !status.isClosed, reads.superVersions.isCurrent(Borrowed(superVersion)) else { return }
            publish()
            scans.pool.clear()
            reads.retireSoon()
        }
    }

    /// Gives up what only replaced super versions need. Not under the write lock.
    func retire() {
        scans.pool.clear()
        reads.retire()
    }

    /// Slows writers by the flushed runs of a version. Under the write lock.
    private func noteRuns(_ version: Version) {
        state.controller.update(
            flushedRuns: configuration.automaticCompaction ? version.levels.first?.count ?? 0 : 0)
    }
}
