import Synchronization

/// Takes each change to the log, to the memtable, to readers and to stable storage (`WritePath+Change.swift`).
/// This file has the lock, and the publication of super versions.
///
/// The write lock guards ``WriteState``: the active and the sealed memtables with their logs, sequence numbers, and the
/// state of background work. A small write holds the lock for less than a microsecond, unless it reserves space, seals
/// the memtable, or reads from disk. A conditional write reads from disk under the lock if its first result is outdated,
/// a conflict check after eight outdated results. No write holds the lock during a sync. The lock has a condition
/// variable, on which threads wait for room, for background work or for a log.
///
/// Callers are: `KeyValueStore`, transactions, subscriptions to changes, background work, checkpoints, verification,
/// reports and closing. The lock order is value, manifest, sync, write (``LockRank``). A holder of the write lock may
/// take a leaf lock, such as those of the log's space, the end of the value file, the deleted ranges and the change
/// feed.
///
/// `background` is set once, before the first write.
final class WritePath: Sendable {
    let configuration: Configuration
    let status: StoreStatus
    let versions: VersionSet
    let values: ValueLog
    let reads: ReadPath
    let scans: ScanPath
    let feed: ChangeFeed
    /// The memory for memtables.
    let arenas: ArenaPool

    /// The write lock, and the condition variable of the threads that wait for a change of the state.
    let lock = ConditionLock(.write)
    private let cell: HeapCell<WriteState>
    /// Bytes of its memtable that the running flush has read.
    private let flushProgress = Atomic(0)
    /// Group commit: one sync serves several writers. Set in the initializer, because its closure refers to the write
    /// path.
    private let commitCell = HeapCell<GroupCommit?>(nil)
    /// The requests to background work. ``ValueLog`` holds a copy of them.
    let background = HeapCell(BackgroundRequests())

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
        self.feed = feed
        self.arenas = arenas
        cell = HeapCell(state)
        noteRuns(versions.current)
        commitCell.value = GroupCommit { [unowned self] () throws(StoreError) in try self.syncLogs() }
        status.whenFailed { [unowned self] in wakeAll() }
        versions.install.value = { [unowned self] wakes, change in install(wakes: wakes, change) }
        reads.republish.value = { [unowned self] superVersion in republish(replacing: superVersion) }
        scans.ifWriteLockIsFree.value = { [unowned self] body in ifLockIsFree { body(self.state.lastSequence) } }
    }

    /// The state. The caller holds the write lock.
    var state: WriteState {
        // Addressors instead of coroutine accessors, which would copy the state first (Docs/RawMemory.md).
        @inline(__always) unsafeAddress { unsafe cell.place }
        @inline(__always) unsafeMutableAddress { unsafe cell.mutablePlace }
    }

    var commits: GroupCommit? { commitCell.value }

    /// Wakes all threads that wait for a change of the state.
    func wakeAll() { lock.withLock { lock.wakeAll() } }

    /// Changes the state under the write lock, and wakes all threads that wait for a change of it.
    func changeAndWake(_ change: (inout WriteState) -> Void) {
        lock.withLock {
            change(&state)
            lock.wakeAll()
        }
    }

    private func ifLockIsFree(_ body: () -> Void) {
        guard lock.tryLock() else { return }
        defer { lock.unlock() }
        body()
    }

    // MARK: Publishing

    /// Publishes a super version of the memtables and the current version. The caller holds the write lock. A writer
    /// that makes a new memtable leaves ``retire()`` to the next flush. Other callers see to it themselves.
    func publish() { reads.publish(state.tables, versions.current) }

    /// Applies a change of the version under the write lock, and publishes it to readers.
    private func install(wakes: Bool, _ change: () -> Void) {
        lock.withLock {
            change()
            publish()
            scans.deletedRanges.removeAll()
            noteRuns(versions.current)
            if wakes { lock.wakeAll() }
        }
        retire()
    }

    /// Publishes a super version that contains the range tombstones written since `superVersion` was made, and resets the
    /// count of outdated reads that led to this call. If the lock is taken, does neither. If `superVersion` is no longer
    /// current, only resets the count.
    private func republish(replacing superVersion: SuperVersion) {
        ifLockIsFree {
            reads.forgetOutdatedReads()
            guard !status.isClosed, reads.superVersions.isCurrent(Borrowed(superVersion)) else { return }
            publish()
            scans.superVersionChanged()
            reads.superVersions.retireSoon()
        }
    }

    /// Releases resources that only replaced super versions need. The caller must not hold the write lock, because the
    /// release of a super version may take long. ``republish(replacing:)`` leaves that part to a queue.
    func retire() {
        scans.superVersionChanged()
        reads.superVersions.retire()
    }

    // MARK: The delay of writers

    /// Bytes of its memtable that the running flush has read.
    var flushedBytes: Int { flushProgress.load(ordering: .relaxed) }

    /// Records that a flush begins to read its memtable. A flush that found the disk full, and made space, calls this
    /// again.
    func beginFlushProgress() { flushProgress.store(0, ordering: .relaxed) }

    /// Records that the running flush has read more bytes.
    func addFlushProgress(_ bytes: Int) { flushProgress.add(bytes, ordering: .relaxed) }

    /// Adjusts the delay of writers to the compactions that a version needs. The caller holds the write lock.
    private func noteRuns(_ version: Version) {
        guard configuration.automaticCompaction else { return }
        let all = version.valueFiles.values.reduce(0) { $0 + $1.length.bytes }
        // The usual garbage: a quarter, and the values to which memtables refer or have referred.
        let usual = Double(version.liveValueBytes) / 4 + 4 * Double(configuration.valueFileBytes)
        state.controller.update(
            flushedRuns: version.levels.first?.count ?? 0,
            garbage: Double(all - version.liveValueBytes) / usual)
    }
}
