import Synchronization

/// The files that make up an open store: the current version, and the manifest that records every change of it.
///
/// The manifest lock guards the manifest and its writer, file numbers, and the creation of logs and value files. Edits
/// are synced one at a time under that lock. A writer of small values takes it only for the first change after an
/// opening (``makeRecoveryDurable()``). A leaf lock guards the current version, which changes only under the manifest
/// lock.
///
/// Callers: flushes and compactions, manual ones too (``logAndApply(_:opened:valueFiles:wakes:alsoUnderWriteLock:)``),
/// the creation of logs and value files, the collection of value files, the first write and `syncAll`
/// (``makeRecoveryDurable()``), checkpoints, verification, closing. Locks are taken in the order value, manifest, sync,
/// write: ``install`` takes the write lock under the manifest lock.
///
/// `install` is set once, before the first edit.
final class VersionSet: Sendable {
    let directory: StoreDirectory
    let status: StoreStatus
    /// Files that no version names any more.
    let obsolete: ObsoleteFiles

    private let lock = ConditionLock(.manifest)
    /// Nil in a store that is open for reading only.
    private let manifestCell: HeapCell<Manifest?>
    private let latest: Locked<Version>
    private let recoveryIsDurable: Atomic<Bool>

    /// Takes the write lock, runs `change`, and publishes the new version to readers. `wakes` says whether waiting
    /// writers are woken. The write path sets this closure.
    let install = HeapCell<(_ wakes: Bool, _ change: () -> Void) -> Void> { $1() }

    /// - Parameter obsoleteGroups: see ``RecoveredStore/obsoleteGroups``.
    init(
        _ version: Version, _ manifest: Manifest?, _ directory: StoreDirectory, _ status: StoreStatus,
        obsoleteGroups: [[StoreFile]] = []
    ) {
        self.directory = directory
        self.status = status
        manifestCell = HeapCell(manifest)
        latest = Locked(version, rank: .leaf)
        recoveryIsDurable = Atomic(!(manifest?.isAsFound ?? false))
        obsolete = ObsoleteFiles(
            directory: directory.path, fileSystem: directory.fileSystem, kept: obsoleteGroups,
            isInPlace: { directory.isInPlace })
        obsolete.syncRemovals.value = ObsoleteFiles.Sync { [unowned self] () throws(StoreError) in
            try lock.withLock { () throws(StoreError) in
                if let failure = status.failure { throw failure }
                try syncNames()
            }
        }
    }

    /// Under the manifest lock.
    private var manifest: Manifest? { manifestCell.value }

    /// The current segments and value files.
    var current: Version { latest.withLock { $0 } }

    /// The current version, and the sequence number of the last change in it; that is nil in a read-only store.
    var currentWithSequence: (version: Version, lastSequence: SequenceNumber?) {
        lock.withLock { (current, manifest?.state.lastSequence) }
    }

    /// Takes a number that no file in the directory has, for a new file. It is durable with the next edit. Returns 0 in a
    /// read-only store.
    func takeFileNumber() throws(StoreError) -> UInt64 {
        try lock.withLock { () throws(StoreError) in manifest == nil ? 0 : try takeFileNumberLocked() }
    }

    /// Same as ``takeFileNumber()``, for a caller that holds the manifest lock.
    private func takeFileNumberLocked() throws(StoreError) -> UInt64 {
        let manifest = try writableManifest()
        // Before a file is made in a directory that may be another store's.
        try checkInPlace()
        return manifest.takeNumber()
    }

    /// Runs `body` on the manifest while no edit is in progress. `body` gets nil in a store that is open for reading
    /// only.
    func withManifest<R>(_ body: (Manifest?) throws(StoreError) -> R) throws(StoreError) -> R {
        try lock.withLock { () throws(StoreError) in try body(manifest) }
    }

    // MARK: Edits

    /// Makes an edit durable, then installs the version that results from it. The names of the files that it adds are
    /// durable before the edit is written.
    ///
    /// After a failed sync, or a failed append for another reason than a full disk, the state on disk is unknown, and
    /// the store refuses writes. An error before the append (no descriptor, no permission) changes nothing.
    /// - Parameters:
    ///   - opened: readers of the segments that the edit adds.
    ///   - valueFiles: readers of the value files that the edit adds.
    ///   - wakes: whether waiting writers are woken.
    ///   - body: makes further changes that become visible together with the new version.
    func logAndApply(
        _ edit: VersionEdit, opened: [SegmentReader] = [], valueFiles: [UInt64: ValueFileReader] = [:],
        wakes: Bool = true, alsoUnderWriteLock body: () -> Void = {}
    ) throws(StoreError) {
        try lock.withLock { () throws(StoreError) in
            try logAndApplyLocked(edit, opened: opened, valueFiles: valueFiles, wakes: wakes, alsoUnderWriteLock: body)
        }
    }

    /// Same as ``logAndApply(_:opened:valueFiles:wakes:alsoUnderWriteLock:)``, for a caller that holds the manifest
    /// lock.
    private func logAndApplyLocked(
        _ edit: VersionEdit, opened: [SegmentReader] = [], valueFiles: [UInt64: ValueFileReader] = [:],
        wakes: Bool = true, alsoUnderWriteLock body: () -> Void = {}
    ) throws(StoreError) {
        let manifest = try writableManifest()
        if let failure = status.failure { throw failure }
        try checkInPlace()
        try makeRecoveryDurableLocked()
        let addsFiles = !opened.isEmpty || !valueFiles.isEmpty || !edit.addedLogs.isEmpty
        // An edit that drops records also makes the removals of earlier edits durable before its own files are removed:
        // after a crash, an old version must not outlive a newer one (``CompactionPlan/obsoleteFiles``).
        if addsFiles || edit.dropsRecords { try syncNames() }
        do { try manifest.append(edit) } catch {
            if error.code != .noSpace { status.fail(error) }
            throw error
        }
        // The new version is built outside the write lock, because that takes time proportional to the number of
        // segments. The manifest lock keeps others from building a version at the same time.
        let version = current
        var files = version.valueFiles
        for number in edit.removedValueFiles { files[number] = nil }
        files.merge(valueFiles) { $1 }
        let next = version.applying(edit, opened: opened, valueFiles: files)
        directory.pageCache.measure(next)
        install.value(wakes) {
            let before = latest.withLock { latest in
                defer { latest = next }
                return latest
            }
            body()
            // Releasing the old version may take leaf locks. So it happens after `latest` is unlocked.
            withExtendedLifetime(before) {}
        }
    }

    /// Checks that the files in the directory are the store's (``StoreDirectory/checkInPlace()``). If they are not, the
    /// store refuses all later writes.
    func checkInPlace() throws(StoreError) {
        do throws(StoreError) { try directory.checkInPlace() } catch {
            status.fail(error)
            throw error
        }
    }

    /// Makes the names of new files durable.
    ///
    /// A failed sync ends all writing, because the names of other files may not be durable either. The kernel reports
    /// the failure only once, so the next sync would succeed. All of these syncs run under the manifest lock, so no
    /// edit follows one that has failed.
    private func syncNames() throws(StoreError) {
        do throws(StoreError) { try directory.sync() } catch {
            if error.leavesDoubt { status.fail(error) }
            throw error
        }
    }

    private func writableManifest() throws(StoreError) -> Manifest {
        guard let manifest else { throw StoreError(.readOnly, "the store is read-only", file: directory.path) }
        return manifest
    }

    // MARK: Durability of the recovered state

    /// True if the files that the opening found, and their names, are durable.
    @inline(__always)
    var isRecoveryDurable: Bool { recoveryIsDurable.load(ordering: .acquiring) }

    /// Makes the recovered state durable if the opening has not done that. Called before the first change and by a
    /// sync.
    func makeRecoveryDurable() throws(StoreError) {
        if isRecoveryDurable { return }
        try lock.withLock { () throws(StoreError) in
            // The store may have been closed while this call waited, and the manifest may belong to another owner now.
            // Or another thread's sync has failed, and a failed sync is not repeated.
            try status.checkStillWritable()
            try checkInPlace()
            try makeRecoveryDurableLocked()
        }
    }

    private func makeRecoveryDurableLocked() throws(StoreError) {
        if isRecoveryDurable { return }
        do throws(StoreError) { try manifest?.makeRecoveryDurable() } catch {
            if error.leavesDoubt { status.fail(error) }
            throw error
        }
        recoveryIsDurable.store(true, ordering: .releasing)
    }

    // MARK: New files

    /// Creates a log, and names it in the manifest before any frame is written to it.
    func createLog() throws(StoreError) -> LogWriter {
        try lock.withLock { () throws(StoreError) in
            let number = try takeFileNumberLocked()
            do throws(StoreError) {
                let log = try directory.createLog(number)
                try logAndApplyLocked(VersionEdit(addedLogs: [number]))
                return log
            } catch {
                discard([.log(number)])
                throw error
            }
        }
    }

    /// Creates a value file, and names it in the manifest before anything refers to it. Under the value lock.
    /// - Parameter body: takes over the file, once the manifest names it.
    func createValueFile(
        alsoUnderWriteLock body: (ValueFileAppender) -> Void
    ) throws(StoreError) -> ValueFileAppender {
        try lock.withLock { () throws(StoreError) in
            // The store may have been closed while this call waited, and its directory may belong to another owner now.
            try status.checkWritable()
            let number = try takeFileNumberLocked()
            do throws(StoreError) {
                let file = try directory.create(.values(number))
                let writer = try ValueFileAppender(
                    file: file, number: number, store: directory.identity, spare: directory.spare)
                try writer.sync()
                let reader = try directory.openValueFile(number, length: writer.length)
                try logAndApplyLocked(VersionEdit(addedValueFiles: [number]), valueFiles: [number: reader]) {
                    body(writer)
                }
                return writer
            } catch {
                discard([.values(number)])
                throw error
            }
        }
    }

    /// Drops the value files that are not in use.
    /// - Parameters:
    ///   - isOrdered: true on the compaction queue, whose segments go before the value files to which they refer. Others
    ///     do nothing while such segments wait for their removal.
    ///   - inUse: returns the numbers of files that others than segments use. Called under the manifest lock.
    func dropValueFiles(isOrdered: Bool, inUse: () -> Set<UInt64>) throws(StoreError) {
        let unused = try lock.withLock { () throws(StoreError) -> [StoreFile] in
            if !isOrdered, !obsolete.hasRemovedInputs { return [] }
            // The manifest lock keeps flushes from moving pointers meanwhile, so the order of the two reads does not
            // matter.
            let inUse = inUse()
            let version = current
            let numbers = version.valueFiles.keys.filter { number in
                version.referencedValueBytes[number] == nil && !inUse.contains(number)
            }
            if !numbers.isEmpty { try logAndApplyLocked(VersionEdit(removedValueFiles: numbers.sorted())) }
            return numbers.sorted().map { .values($0) }
        }
        if unused.isEmpty { return }
        if isOrdered { try obsolete.remove(inOrder: [unused]) } else { obsolete.remove(unused) }
    }

    /// Removes unfinished files. After a failure it keeps them, because the failed edit may have named them. The next
    /// opening removes those that no manifest names.
    func discard(_ files: [StoreFile]) {
        if !status.hasFailed { obsolete.remove(files) }
    }

    // MARK: Closing

    /// Records where the log ends, and closes the manifest. Does nothing after a failure.
    /// - Parameter closeFiles: syncs the values and closes the logs; returns the last edit, or nil if there is no log.
    func close(_ closeFiles: () throws(StoreError) -> VersionEdit?) throws(StoreError) {
        try lock.withLock { () throws(StoreError) in
            // Background work may have failed after the closing began. No edit follows a failed sync, and the next
            // opening recovers from the logs.
            guard !status.hasFailed else { return }
            guard let edit = try closeFiles(), let manifest else { return }
            do throws(StoreError) {
                try manifest.append(edit)
                obsolete.remove(edit.removedLogs.map { .log($0) })
            } catch {
                // All changes are durable. Without the edit, only the next opening has more to do.
                guard error.code == .noSpace else { throw error }
            }
            try manifest.close()
        }
    }

    /// Runs `closeLog` if nothing has been written since recovery, because the manifest then needs no edit.
    /// - Returns: false if the manifest was opened for writing, if there is none, or if `closeLog` returns false.
    func closeUnchanged(_ closeLog: () throws(StoreError) -> Bool) throws(StoreError) -> Bool {
        try lock.withLock { () throws(StoreError) in
            guard let manifest, manifest.isAsFound else { return false }
            return try closeLog()
        }
    }

    /// Waits until the edit in progress is complete.
    func drain() { lock.withLock {} }
}
