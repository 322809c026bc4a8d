import Dispatch
import Synchronization

/// Serves point reads, and owns the state that all readers share: the current super version, the newest visible
/// sequence number and the snapshots.
///
/// Guards the replaced super versions that readers may still use, with a leaf lock. The registry of snapshots has its
/// own lock. Readers of the store take neither. The write path publishes super versions under the write lock. Any
/// thread may read. A thread that has published calls ``retire()`` afterwards.
///
/// Readers must load the super version first and the visible number second. Then a newer record or tombstone that the
/// number sees hides every record that the super version has dropped.
///
/// `republish` is set once, before the first read.
final class ReadPath: Sendable {
    let directory: StoreDirectory
    let status: StoreStatus
    let superVersions: EpochReclaimer
    /// The sequence number of the newest change that readers see.
    let visible: Atomic<SequenceNumber>
    let snapshots = SnapshotRegistry()

    /// Publishes a new super version if the given one is still current and the write lock is free. The write path sets
    /// it.
    let republish = HeapCell<(SuperVersion) -> Void> { _ in }

    /// Super versions that were replaced, and that no call of ``retire()`` has tried to release yet.
    private let replaced = Locked<[EpochReclaimer.Retired]>([], rank: .leaf)
    /// Whether a later call of ``retire()`` is scheduled for super versions that were still in use.
    private let retirementScheduled = Atomic<Bool>(false)
    /// The number of slow reads whose super version lacked some range tombstones, since the last publication.
    private let outdatedReads = Atomic<Int>(0)

    private static let retirementQueue = DispatchQueue(label: "siltstone.retirement", qos: .utility)
    /// Reads of an outdated super version before a new one is published. Making a super version takes as long as some
    /// dozens of these reads.
    private static let outdatedReadsAllowed = 32

    init(
        _ superVersion: SuperVersion, visible: SequenceNumber, _ directory: StoreDirectory, _ status: StoreStatus
    ) {
        self.directory = directory
        self.status = status
        self.visible = Atomic(visible)
        superVersions = EpochReclaimer(superVersion)
    }

    deinit { _ = superVersions.retire(replaced.withLock { $0 }) }

    // MARK: Publishing

    /// Makes memtables, newest first, and a version visible to readers. The caller holds the write lock, and calls
    /// ``retire()`` after releasing it.
    func publish(_ tables: [MemTable], _ version: Version) {
        let next = SuperVersion(tables: tables, version: version, isTight: directory.pageCache.isTight)
        replaced.withLock { $0.append(superVersions.publish(next)) }
    }

    /// Releases replaced super versions: immediately those without readers, and the others by another call 10 ms later.
    /// Must not be called under the write lock, because releasing the last reference to files and memtables may take
    /// long.
    func retire() {
        let retired = replaced.withLock { replaced in
            defer { replaced = [] }
            return replaced
        }
        if superVersions.retire(retired) || retirementScheduled.exchange(true, ordering: .acquiringAndReleasing) {
            return
        }
        // The closure retains this read path until then, but not the engine, which holds the lock of the directory.
        Self.retirementQueue.async {
            // Sleeps instead of using a Dispatch timer, because Dispatch timers use file descriptors.
            Platform.sleep(microseconds: 10_000)
            self.retirementScheduled.store(false, ordering: .releasing)
            self.retire()
        }
    }

    /// Like ``retire()``, but on another thread. The caller is itself a reader, so it must not wait for its own read to
    /// end.
    func retireSoon() { Self.retirementQueue.async { self.retire() } }

    /// Counts a slow read if its super version is outdated, which means that it lacks some range tombstones. After
    /// enough of these reads, publishes a new super version.
    ///
    /// A removal of a range does not publish by itself. Many removals may follow each other, and making a super version
    /// takes time proportional to the number of tombstones. The number of reads allowed grows with it.
    @inline(__always)
    func noteLongRead(_ superVersion: SuperVersion) {
        if _slowPath(superVersion.plan.isOutdated) { countOutdatedRead(superVersion) }
    }

    @inline(never)
    private func countOutdatedRead(_ superVersion: SuperVersion) {
        let limit = Self.outdatedReadsAllowed + superVersion.plan.tombstoneCount / 4
        if outdatedReads.add(1, ordering: .relaxed).newValue >= limit { republish.value(superVersion) }
    }

    /// Resets the count of outdated reads. The caller is about to publish.
    func forgetOutdatedReads() { outdatedReads.store(0, ordering: .relaxed) }

    // MARK: The current super version

    /// Returns the current super version and the newest visible sequence number, for a reader that keeps both for long.
    ///
    /// The super version is still current after `visible` was loaded. Otherwise `visible` could include a large value
    /// whose file is newer than the super version. A compaction could then delete that file while the super version is
    /// in use.
    func current() -> (SuperVersion, SequenceNumber) {
        var superVersion = superVersions.current()
        while true {
            // Loaded after the super version, so that a newer record or tombstone that this number sees hides every
            // record that the super version has dropped.
            let sequence = visible.load(ordering: .acquiring)
            let now = superVersions.current()
            if now === superVersion { return (superVersion, sequence) }
            superVersion = now
        }
    }

    /// Estimates how much a range holds now.
    func estimate(_ range: KeyRange) throws(StoreError) -> RangeEstimate {
        try status.checkOpen()
        return superVersions.current().estimate(range)
    }
}
