import Synchronization

/// Manages the current value file, which takes large values (WiscKey's value log).
///
/// A store has two of them. One takes the values of writes, the other (``BackgroundWork/relocations``) those that
/// compactions relocate: a compaction need not wait for writers, and values that live long come together. The callers of
/// the first are: writes of large values, checkpoints, syncs and closing. All append inside
/// ``rollingBack(ifRejected:_:)``.
///
/// A writer holds the value lock from the append of a value until the change that refers to it is in a memtable, a
/// compaction until the segments that refer to it are installed. The lock order is value, manifest, sync, write. No
/// writer that holds the value lock waits for a compaction. A leaf lock guards ``Files``, because syncs, collections and
/// releases of preallocated space read them without the value lock.
final class ValueLog: Sendable {
    private struct Files: Sendable {
        /// The file that takes the next value; nil if the next value needs a new file.
        var current: ValueFileAppender?
        /// Bytes at which it is full.
        var fullBytes = 0
        /// Files that the running ``rollingBack(ifRejected:_:)`` has created.
        var created: [ValueFileAppender] = []
        /// Files to which it has appended. No memtable or segment refers to these values yet.
        var appended: Set<UInt64> = []
    }

    /// The value lock.
    private let lock: ConditionLock
    private let relocates: Bool
    private let files = Locked(Files(), rank: .leaf)
    private let versions: VersionSet
    private let reads: ReadPath
    private let configuration: Configuration
    private let status: StoreStatus
    /// The requests to background work. Assigned once, while the store opens, before the first write.
    let background = HeapCell(BackgroundRequests())

    /// - Parameter relocates: true for the values that compactions move.
    init(_ versions: VersionSet, _ reads: ReadPath, relocates: Bool = false) {
        lock = relocates ? ConditionLock(.relocations) : ConditionLock(.values)
        self.relocates = relocates
        self.versions = versions
        self.reads = reads
        configuration = versions.directory.configuration
        status = versions.status
    }

    /// The current file; nil if there is none.
    var current: ValueFileAppender? { files.withLock { $0.current } }

    /// Runs `body` under the value lock. Meanwhile no write is between the append of a value and its change.
    func withLock<R>(_ body: () throws(StoreError) -> R) throws(StoreError) -> R {
        try lock.withLock { () throws(StoreError) in try body() }
    }

    /// Runs a write under the value lock.
    ///
    /// Throws if the store takes no writes. Closing waits for the lock (``drain()``), so no write touches a value file
    /// after the store has released its directory.
    func withLockForWrite<R>(_ body: () throws(StoreError) -> R) throws(StoreError) -> R {
        try lock.withLock { () throws(StoreError) in
            try status.checkWritable()
            return try body()
        }
    }

    /// Waits until running writes of large values have finished.
    func drain() { lock.withLock {} }

    // MARK: Appending

    /// Appends to the current file, and rolls over to a new one if the current file is full or unusable. The caller
    /// holds the value lock.
    func append(_ key: Bytes, _ value: Bytes) throws(StoreError) -> ValuePointer {
        var (writer, full) = files.withLock { ($0.current, $0.fullBytes) }
        if let current = writer, current.size >= full || !current.isUsable {
            current.releaseSpace()
            // Later syncs cover only the new file.
            try sync(current)
            writer = nil
        }
        let values = if let writer { writer } else { try beginFile() }
        // Files from this size on preallocate disk space. The idle watch releases it when the store becomes idle.
        defer { if values.size >= ValueFileWriter.firstStep { background.value.idleWatch() } }
        files.withLock { _ = $0.appended.insert(values.number) }
        // The change's own number is not known yet. No reader needs it; it tells people when the value was written.
        return try values.append(key: key, value: value, sequence: reads.visible, isRelocation: relocates)
    }

    private func beginFile() throws(StoreError) -> ValueFileAppender {
        let full = versions.directory.spare.valueFileBytes(atMost: configuration.valueFileBytes)
        return try versions.createValueFile { writer in
            files.withLock { files in
                (files.current, files.fullBytes) = (writer, full)
                files.created.append(writer)
            }
        }
    }

    /// Runs a write that first appends values. The caller holds the value lock.
    ///
    /// If the write is rejected, exceeds a limit or does not fit on the disk, rolls its values back. Nothing refers to
    /// them, and otherwise each attempt would take more space.
    /// - Parameter isRejected: returns true if the result of `body` says that nothing was written.
    func rollingBack<R>(
        ifRejected isRejected: (R) -> Bool = { _ in false }, _ body: () throws(StoreError) -> R
    ) throws(StoreError) -> R {
        let before = current
        let end = before?.size ?? 0
        defer { files.withLock { ($0.created, $0.appended) = ([], []) } }
        do throws(StoreError) {
            let result = try body()
            if isRejected(result) { rollBack(before, to: end) }
            return result
        } catch {
            // After these errors the change is certainly not in the log. After any other, it may refer to the values.
            if error.code == .noSpace || error.code == .tooLarge { rollBack(before, to: end) }
            throw error
        }
    }

    /// Removes the values of the running write.
    /// - Parameters:
    ///   - before: the current file when the write started; nil if there was none.
    ///   - end: the size of that file at that time, in bytes.
    private func rollBack(_ before: ValueFileAppender?, to end: Int) {
        before?.rollBack(to: end)
        // Files created by this write contain only its values.
        let created = files.withLock { $0.created }
        for values in created { values.rollBack(to: FileHeader.size) }
        // Of the files without values, only the last one is used again. A compaction collects the others.
        let emptyCount = created.count + (end == FileHeader.size ? 1 : 0)
        if emptyCount > 1 { background.value.compaction() }
    }

    // MARK: Syncs

    /// Syncs a value file, so that durable data may refer to its values.
    func sync(_ values: ValueFileAppender) throws(StoreError) {
        try status.requireSuccess { () throws(StoreError) in try values.sync() }
    }

    /// Makes all values durable that changes and compactions have written so far.
    func sync() throws(StoreError) { if let current { try sync(current) } }

    /// Releases the disk space that is preallocated for more values.
    /// - Returns: true if any was released.
    @discardableResult
    func releaseSpace() -> Bool { current?.releaseSpace() ?? false }

    /// Finishes the current file, so that a checkpoint can share it or a compaction can empty it. The next value goes
    /// into a new file.
    /// - Returns: the current version, none of whose files changes any more, and the sequence number of its last change,
    ///   which is nil in a read-only store.
    @discardableResult
    func finishFile() throws(StoreError) -> (version: Version, lastSequence: SequenceNumber?) {
        try finishFile { () throws(StoreError) in versions.currentWithSequence }
    }

    /// Finishes the current file, and runs `body` before the next one can begin.
    func finishFile<R>(before body: () throws(StoreError) -> R) throws(StoreError) -> R {
        try lock.withLock { () throws(StoreError) in
            releaseSpace()
            try sync()
            files.withLock { $0.current = nil }
            return try body()
        }
    }

    /// The current file, and the files of the running write, to whose values neither memtables nor segments may refer yet.
    var filesInUse: Set<UInt64> {
        files.withLock { files in files.appended.union(files.current.map { [$0.number] } ?? []) }
    }
}
