/// The store behind ``KeyValueStore``. It connects the owners of all state, and closes them.
///
/// | owner | guards |
/// |---|---|
/// | ``StoreStatus`` | the life cycle (open, closing, closed), and the failure that refuses writes |
/// | ``VersionSet`` | the manifest lock: manifest, versions, file numbers |
/// | ``ReadPath`` | super versions, the visible sequence number, snapshots |
/// | ``ScanPath`` | pooled scans, deleted ranges |
/// | ``ValueLog`` | the value lock: the active value file |
/// | ``WritePath`` | the write lock: memtables, logs, sequence numbers |
/// | ``BackgroundWork`` | queues, scheduled work |
///
/// Each owner refers only to owners above it in this table. To call one below, it has a closure that the lower owner
/// has set. A thread takes locks in the order value, manifest, sync, write, and then one leaf lock (``LockRank``).
final class Engine: Sendable {
    let directory: StoreDirectory
    let status: StoreStatus
    let versions: VersionSet
    let reads: ReadPath
    let scans: ScanPath
    let values: ValueLog
    let writes: WritePath
    let background: BackgroundWork
    let feed: ChangeFeed
    let retryTurn = RetryTurn()
    /// Takes the changes of large transactions; nil if they must stay in memory.
    let scratch: ScratchSpace?
    /// The lock of the directory; nil if a read-only store has no lock file, or if a repair holds the lock.
    let lock: (any FileLock)?
    /// Whether opening has created the store.
    let isNew: Bool

    /// Puts the owners together. ``open(at:_:)`` then starts the background work.
    init(_ store: RecoveredStore) {
        directory = store.directory
        lock = store.lock
        isNew = store.isNew
        scratch = ScratchSpace(directory)
        status = StoreStatus(directory: directory.path, isReadOnly: directory.configuration.readOnly)
        versions = VersionSet(
            store.version, store.manifest, directory, status, obsoleteGroups: store.obsoleteGroups)
        let first = SuperVersion(
            tables: store.state.tables, version: store.version, isTight: directory.pageCache.isTight)
        reads = ReadPath(first, visible: store.state.lastSequence, directory, status)
        scans = ScanPath(reads)
        values = ValueLog(versions, reads)
        feed = ChangeFeed(capacity: directory.configuration.changeFeedBytes)
        writes = WritePath(store.state, versions, values, scans, feed, store.arenas)
        background = BackgroundWork(writes)
    }

    /// Opens the store in a directory, or creates one.
    static func open(at path: String, _ configuration: Configuration) throws(StoreError) -> Engine {
        let engine = Engine(try StoreOpener.open(at: path, configuration))
        engine.background.start()
        return engine
    }

    // MARK: Work on the complete store

    /// Writes a copy of the store's current state to another directory, as an independent store.
    func checkpoint(to path: String) throws(StoreError) {
        var writer = CheckpointWriter(
            versions: versions, values: values, relocations: background.relocations, writes: writes)
        try writer.write(to: path)
    }

    /// Reads every byte of the store's files and checks it.
    func verify(progress: ((VerificationProgress) -> Void)?) throws(StoreError) -> VerificationReport {
        try StoreVerifier.verify(versions, writes, progress: progress)
    }
}
