import Synchronization

/// Owns the state that all readers share: the current super version, the newest visible sequence number and the
/// snapshots. Its extensions serve point reads.
///
/// The super versions (``HazardPointers``) and the registry of snapshots have locks of their own, which few reads take.
/// The write path publishes super versions under the write lock. Any thread may read. A thread that has published calls
/// ``HazardPointers/retire()`` afterwards. A writer that has made a new memtable leaves that to the next flush.
///
/// Readers load the super version first and the visible sequence number second. A flush or a compaction drops a record
/// only if a newer version or a tombstone hides it. A number that is loaded after the super version includes that newer
/// change. A number that is loaded before may be older than it, and the read would miss both.
///
/// `republish` is set once, before the first read.
final class ReadPath: Sendable {
    let directory: StoreDirectory
    let status: StoreStatus
    let superVersions: HazardPointers
    /// The sequence number of the newest change that readers see.
    private let newest: Atomic<SequenceNumber>
    let snapshots = SnapshotRegistry()

    /// Publishes a new super version if the given one is still current and the write lock is free. The write path sets
    /// it.
    let republish = HeapCell<(SuperVersion) -> Void> { _ in }

    /// The number of reads of an outdated super version since such a read has last published a new one.
    private let outdatedReads = Atomic<Int>(0)

    /// Reads of an outdated super version before a new one is published. Making a super version takes as long as some
    /// dozens of these reads.
    private static let outdatedReadsAllowed = 32
    /// One more read is allowed for each this many range tombstones, because they make the new super version more
    /// expensive. An estimate of that price; not tuned by measurement.
    private static let tombstonesPerOutdatedRead = 4

    init(
        _ superVersion: SuperVersion, visible: SequenceNumber, _ directory: StoreDirectory, _ status: StoreStatus
    ) {
        self.directory = directory
        self.status = status
        newest = Atomic(visible)
        superVersions = HazardPointers(superVersion)
    }

    // MARK: The visible sequence number

    /// The sequence number of the newest change that readers see.
    @inline(__always)
    var visible: SequenceNumber { newest.load(ordering: .acquiring) }

    /// Makes all changes up to `last` visible. Their memtables contain them already. The caller holds the write lock.
    @inline(__always)
    func makeVisible(_ last: SequenceNumber) { newest.store(last, ordering: .releasing) }

    // MARK: Snapshots

    /// Registers a snapshot at the newest visible sequence number, and returns that number.
    func registerSnapshot() -> SequenceNumber { snapshots.register { visible } }

    // MARK: Publishing

    /// Makes memtables, newest first, and a version visible to readers. The super version also says whether the store's
    /// files fit into memory (``PageCache/isTight``). The caller holds the write lock.
    func publish(_ tables: [MemTable], _ version: Version) {
        superVersions.publish(SuperVersion(tables: tables, version: version, isTight: directory.pageCache.isTight))
    }

    /// Counts a slow read if its super version is outdated. After enough outdated reads, publishes a new super version.
    ///
    /// A super version is outdated if its ``ReadPlan`` lacks range tombstones that a memtable has received since. Its
    /// point reads then take the slow path. A deletion of a range does not publish by itself, because many may follow
    /// each other, and making a super version takes time proportional to the number of tombstones.
    @inline(__always)
    func noteSlowRead(_ superVersion: SuperVersion) {
        if _slowPath(superVersion.plan.isOutdated) { countOutdatedRead(superVersion) }
    }

    @inline(never)
    private func countOutdatedRead(_ superVersion: SuperVersion) {
        let limit = Self.outdatedReadsAllowed + superVersion.plan.tombstoneCount / Self.tombstonesPerOutdatedRead
        if outdatedReads.add(1, ordering: .relaxed).newValue >= limit { republish.value(superVersion) }
    }

    /// Resets the count of outdated reads. The caller is about to publish.
    func forgetOutdatedReads() { outdatedReads.store(0, ordering: .relaxed) }

    // MARK: The current super version

    /// Returns the current super version and the newest visible sequence number, for a reader that keeps both for long.
    func current() -> (SuperVersion, SequenceNumber) {
        Self.current(superVersion: superVersions.current, visible: { visible })
    }

    /// As ``current()``, with the two loads as parameters, so that a test can write between them.
    ///
    /// The super version is still current after the sequence number was loaded. Otherwise that could include a large
    /// value whose file is newer than the super version. Garbage collection could then delete that file while the super
    /// version is in use. A point read needs no such check, because it reads again (``hasMovedOn(from:_:)``).
    @inline(__always)
    static func current(
        superVersion load: () -> SuperVersion, visible: () -> SequenceNumber
    ) -> (SuperVersion, SequenceNumber) {
        var superVersion = load()
        while true {
            let sequence = visible()
            let now = load()
            if now === superVersion { return (superVersion, sequence) }
            superVersion = now
        }
    }

    /// Estimates the entries and bytes of a range in the current super version.
    func estimate(_ range: KeyRange) throws(StoreError) -> RangeEstimate {
        try status.checkOpen()
        return superVersions.current().estimate(range)
    }
}
