import Dispatch
import Synchronization

/// Point reads, and what all readers share: the current super version, the newest visible change, the snapshots.
///
/// Guards: the super versions that readers may still use, by a leaf lock; the registry of snapshots has a lock of its own.
/// Readers take none of them. The write path publishes, under its lock; any thread reads; whoever has published retires old
/// super versions afterwards.
///
/// Readers have to ask for the super version first and for the visible number second: what the super version has dropped
/// is then hidden by something that the number sees.
///
/// `republish` is set once, before the first read.
final class ReadPath: Sendable {
    let directory: StoreDirectory
    let status: StoreStatus
    let superVersions: EpochReclaimer
    /// The newest change that readers see.
    let visible: Atomic<SequenceNumber>
    let snapshots = SnapshotRegistry()
    /// Blocking work on behalf of asynchronous readers.
    let blocking: BlockingQueue

    /// Publishes a new super version if the given one is still the current one, and the write lock is free. The write path
    /// sets it.
    let republish = HeapCell<(SuperVersion) -> Void> { _ in }

    /// Super versions that are not current any more, and that nobody has tried to release.
    private let replaced = Locked<[EpochReclaimer.Retired]>([], rank: .leaf)
    /// Whether super versions that are still read are looked at again.
    private let retirementScheduled = Atomic<Bool>(false)
    /// Reads that went the long way as their super version did not know all range tombstones.
    private let outdatedReads = Atomic<Int>(0)

    private static let retirementQueue = DispatchQueue(label: "siltstone.retirement", qos: .utility)
    /// Reads of an outdated super version before a new one is published: that takes as long as some dozens of them.
    private static let fewReads = 32

    init(
        _ superVersion: SuperVersion, visible: SequenceNumber, _ directory: StoreDirectory, _ status: StoreStatus,
        _ blocking: BlockingQueue
    ) {
        self.directory = directory
        self.status = status
        self.blocking = blocking
        self.visible = Atomic(visible)
        superVersions = EpochReclaimer(superVersion)
    }

    deinit { _ = superVersions.retire(replaced.withLock { $0 }) }

    // MARK: Publishing

    /// Has readers see memtables, newest first, and a version. Under the write lock; ``retire()`` comes later.
    func publish(_ tables: [MemTable], _ version: Version) {
        let next = SuperVersion(tables: tables, version: version, isTight: directory.pageCache.isTight)
        replaced.withLock { $0.append(superVersions.publish(next)) }
    }

    /// Releases replaced super versions, now if nobody reads them, and the others soon. Not under the write lock: to give up
    /// the last reference to files and memtables may take long.
    func retire() {
        let retired = replaced.withLock { replaced in
            defer { replaced = [] }
            return replaced
        }
        if superVersions.retire(retired) || retirementScheduled.exchange(true, ordering: .acquiringAndReleasing) {
            return
        }
        // Keeps the read path until then, and nothing that holds the directory.
        Self.retirementQueue.async {
            // Not by a timer of Dispatch, which takes file descriptors, too.
            Platform.sleep(microseconds: 10_000)
            self.retirementScheduled.store(false, ordering: .releasing)
            self.retire()
        }
    }

    /// As ``retire()``, by another thread: the caller still reads, and does not wait for itself.
    func retireSoon() { Self.retirementQueue.async { self.retire() } }

    /// Notes a read that has gone the long way. Once many have gone it because of range tombstones that their super version
    /// does not know, a new one is published.
    ///
    /// Not with each removal of a range: many may come at once, and a super version takes as long to make as there are
    /// tombstones.
    @inline(__always)
    func noteLongRead(_ superVersion: SuperVersion) {
        if _slowPath(superVersion.plan.isOutdated) { noteOutdatedRead(superVersion) }
    }

    @inline(never)
    private func noteOutdatedRead(_ superVersion: SuperVersion) {
        let limit = Self.fewReads + superVersion.plan.tombstoneCount / 4
        if outdatedReads.add(1, ordering: .relaxed).newValue >= limit { republish.value(superVersion) }
    }

    /// Counts outdated reads anew: the caller is about to publish.
    func forgetOutdatedReads() { outdatedReads.store(0, ordering: .relaxed) }

    // MARK: The current super version

    /// The current super version, and what is visible, for a reader that keeps both for long.
    ///
    /// The super version is that of a moment after `visible` was asked for. Otherwise a large value could be visible whose
    /// file is younger than the super version, and which a compaction may take away while the super version lives.
    func current() -> (SuperVersion, SequenceNumber) {
        var superVersion = superVersions.current()
        while true {
            // After the super version: what it has dropped is then hidden by something that this number sees.
            let sequence = visible.load(ordering: .acquiring)
            let now = superVersions.current()
            if now === superVersion { return (superVersion, sequence) }
            superVersion = now
        }
    }

    /// About what a range holds now.
    func estimate(_ range: KeyRange) throws(StoreError) -> RangeEstimate {
        try status.checkOpen()
        return superVersions.current().estimate(range)
    }
}
