import Synchronization

/// The files that make up an open store: the current version, and the manifest that says how it came about.
///
/// Guards, by the manifest lock: the manifest and its writer, file numbers, and the creation of files that the manifest
/// names. Edits are synced one at a time under that lock; a writer of small values takes it only for the first change
/// after an opening (``makeRecoveryDurable()``). The current version is behind a leaf lock, and changes under the manifest
/// lock only.
///
/// Who calls: flushes and compactions (``logAndApply(_:opened:valueFiles:wakes:alsoUnderWriteLock:)``), the making of logs
/// and value files, closing, verification. Locks are taken in the order value, manifest, write: ``install`` takes the
/// write lock under the manifest lock.
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

    /// Runs a change of the version, and has readers see it; the flag says whether writers that wait are woken. The write
    /// path sets it: the change runs under its lock.
    let install = HeapCell<(_ wakes: Bool, _ change: () -> Void) -> Void> { $1() }

    init(_ version: Version, _ manifest: Manifest?, _ directory: StoreDirectory, _ status: StoreStatus) {
        self.directory = directory
        self.status = status
        manifestCell = HeapCell(manifest)
        latest = Locked(version, rank: .leaf)
        recoveryIsDurable = Atomic(!(manifest?.isAsFound ?? false))
        obsolete = ObsoleteFiles(directory: directory.path, fileSystem: directory.fileSystem)
    }

    /// Under the manifest lock.
    private var manifest: Manifest? { manifestCell.value }

    /// The segments and value files as of now.
    var current: Version { latest.withLock { $0 } }

    /// A number that no file has had; durable with the next edit.
    func takeFileNumber() -> UInt64 { lock.withLock { manifest?.takeNumber() ?? 0 } }

    /// Runs `body` on the manifest, with no edit under way; on nil in a store that is open for reading only.
    func withManifest<R>(_ body: (Manifest?) throws(StoreError) -> R) throws(StoreError) -> R {
        try lock.withLock { () throws(StoreError) in try body(manifest) }
    }

    // MARK: Edits

    /// Makes an edit durable, then brings the current version up to date with it.
    ///
    /// A failure of the edit other than a full disk leaves it open what is on disk: the store then refuses writes.
    /// - Parameters:
    ///   - opened: readers of the segments that the edit adds.
    ///   - valueFiles: readers of the value files that it adds.
    ///   - wakes: whether writers that wait are woken.
    ///   - body: what else changes, for everyone else in the same moment.
    func logAndApply(
        _ edit: VersionEdit, opened: [UInt64: SegmentReader] = [:], valueFiles: [UInt64: ValueFileReader] = [:],
        wakes: Bool = true, alsoUnderWriteLock body: () -> Void = {}
    ) throws(StoreError) {
        try lock.withLock { () throws(StoreError) in
            try logAndApplyLocked(edit, opened: opened, valueFiles: valueFiles, wakes: wakes, alsoUnderWriteLock: body)
        }
    }

    /// As ``logAndApply(_:opened:valueFiles:wakes:alsoUnderWriteLock:)``, for a caller that holds the manifest lock.
    private func logAndApplyLocked(
        _ edit: VersionEdit, opened: [UInt64: SegmentReader] = [:], valueFiles: [UInt64: ValueFileReader] = [:],
        wakes: Bool = true, alsoUnderWriteLock body: () -> Void = {}
    ) throws(StoreError) {
        let manifest = try writableManifest()
        if let failure = status.failure { throw failure }
        try makeRecoveryDurableLocked()
        do { try manifest.append(edit) } catch {
            if error.code != .noSpace { status.fail(error) }
            throw error
        }
        // Not under the write lock: it takes as long as there are segments. Under the manifest lock nobody else makes a
        // version.
        let version = current
        var files = version.valueFiles
        for number in edit.removedValueFiles { files[number] = nil }
        files.merge(valueFiles) { $1 }
        let next = version.applying(edit, opened: opened, valueFiles: files)
        directory.pageCache.measure(next)
        install.value(wakes) {
            latest.withLock { $0 = next }
            body()
        }
    }

    private func writableManifest() throws(StoreError) -> Manifest {
        guard let manifest else { throw StoreError(.readOnly, "the store is read-only", file: directory.path) }
        return manifest
    }

    // MARK: Durability of what an opening found

    /// Whether the files that an opening found are durable, and named durably.
    @inline(__always)
    var isRecoveryDurable: Bool { recoveryIsDurable.load(ordering: .acquiring) }

    /// Makes durable what an opening has found, if it has left that: before the first change.
    func makeRecoveryDurable() throws(StoreError) {
        if isRecoveryDurable { return }
        try lock.withLock { () throws(StoreError) in
            // The store may have been closed while this waited, and the manifest may then be another's; or someone else's
            // sync has failed, which is not tried again.
            try status.checkStillWritable()
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

    /// Makes a log, and names it in the manifest before anything is written to it.
    func createLog() throws(StoreError) -> LogWriter {
        try lock.withLock { () throws(StoreError) in
            let number = try writableManifest().takeNumber()
            do throws(StoreError) {
                let log = try directory.createLog(number)
                try directory.sync()
                var edit = VersionEdit()
                edit.addedLogs = [number]
                try logAndApplyLocked(edit)
                return log
            } catch {
                discard([.log(number)])
                throw error
            }
        }
    }

    /// Makes a value file, and names it in the manifest before anything refers to it. Under the value lock.
    /// - Parameter body: takes the file over, when it is named.
    func createValueFile(
        alsoUnderWriteLock body: (ValueFileAppender) -> Void
    ) throws(StoreError) -> ValueFileAppender {
        try lock.withLock { () throws(StoreError) in
            // The store may have been closed while this waited: its directory may then be another's.
            try status.checkWritable()
            let number = try writableManifest().takeNumber()
            do throws(StoreError) {
                let file = try directory.create(.values(number))
                let writer = try ValueFileAppender(file: file, number: number, store: directory.identity)
                try writer.sync()
                try directory.sync()
                let reader = try directory.openValueFile(number)
                var edit = VersionEdit()
                edit.addedValueFiles = [number]
                try logAndApplyLocked(edit, valueFiles: [number: reader]) { body(writer) }
                return writer
            } catch {
                discard([.values(number)])
                throw error
            }
        }
    }

    /// Drops the value files that are not in use. Under the value lock: no value is on its way from its file into a memtable.
    /// - Parameter inUse: the numbers of files that others than segments use, asked under the manifest lock.
    func dropValueFiles(inUse: () -> Set<UInt64>) throws(StoreError) {
        try lock.withLock { () throws(StoreError) in
            // Before the version: what leaves a memtable is in a segment by then.
            let inUse = inUse()
            let version = current
            let unused = Set(version.valueFiles.keys).subtracting(inUse).subtracting(
                version.referencedValueBytes().keys)
            guard !unused.isEmpty else { return }
            var edit = VersionEdit()
            edit.removedValueFiles = unused.sorted()
            try logAndApplyLocked(edit)
            obsolete.remove(unused.map { .values($0) })
        }
    }

    /// Removes files that were in the making, unless a failed edit may have named them.
    func discard(_ files: [StoreFile]) {
        if !status.hasFailed { obsolete.remove(files) }
    }

    // MARK: Closing

    /// Writes down where the log ends, and closes the manifest.
    /// - Parameter closeFiles: closes what the manifest names; nil where there is no log.
    func close(_ closeFiles: () throws(StoreError) -> VersionEdit.Closing?) throws(StoreError) {
        try lock.withLock { () throws(StoreError) in
            guard let closing = try closeFiles(), let manifest else { return }
            var edit = VersionEdit()
            edit.closing = closing
            try manifest.append(edit)
            try manifest.close()
        }
    }

    /// Runs `closeLog` where nothing has been written since the store was closed before: then there is nothing to write.
    /// - Returns: false where something has.
    func closeUnchanged(_ closeLog: () throws(StoreError) -> Bool) throws(StoreError) -> Bool {
        try lock.withLock { () throws(StoreError) in
            guard let manifest, manifest.isAsFound else { return false }
            return try closeLog()
        }
    }

    /// Waits for edits under way.
    func drain() { lock.withLock {} }
}
