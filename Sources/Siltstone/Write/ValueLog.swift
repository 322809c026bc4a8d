import Synchronization

/// The value file in use, which takes large values (WiscKey's value log).
///
/// Guards, by the value lock: appends to value files, and with them the change that refers to each value. Which file is in
/// use, and which files a write or a compaction has begun, is behind a leaf lock: syncs and reports look at it on any
/// thread.
///
/// Who calls: writes of large values, compactions that move values, checkpoints, syncs, closing. Locks are taken in the order
/// value, manifest, write. Nobody who holds the value lock waits for a compaction, which may need it.
///
/// `background` is set once, before the first write.
final class ValueLog: Sendable {
    private struct Files: Sendable {
        /// Takes the next value; nil until there is one.
        var current: ValueFileAppender?
        /// Files that the write in hand has begun.
        var begun: [ValueFileAppender] = []
        /// Files that a compaction under way has moved values to, and no segment refers to yet.
        var relocationTargets: Set<UInt64> = []
    }

    private let lock = ConditionLock(.values)
    private let files = Locked(Files(), rank: .leaf)
    private let versions: VersionSet
    private let reads: ReadPath
    private let configuration: Configuration
    private let status: StoreStatus
    let background = HeapCell(BackgroundRequests())

    init(_ versions: VersionSet, _ reads: ReadPath) {
        self.versions = versions
        self.reads = reads
        configuration = versions.directory.configuration
        status = versions.status
    }

    /// The file in use; nil where there is none.
    var current: ValueFileAppender? { files.withLock { $0.current } }

    /// Runs `body` with no value on its way from a file into a memtable.
    func withLock<R>(_ body: () throws(StoreError) -> R) throws(StoreError) -> R {
        try lock.withLock { () throws(StoreError) in try body() }
    }

    /// Runs a write under the value lock.
    ///
    /// Throws where the store takes no writes. Closing waits for the lock (``drain()``), so that no value file is touched once
    /// the directory is given up.
    func withLockForWrite<R>(_ body: () throws(StoreError) -> R) throws(StoreError) -> R {
        try lock.withLock { () throws(StoreError) in
            try status.checkWritable()
            return try body()
        }
    }

    /// Waits for writes of large values under way.
    func drain() { lock.withLock {} }

    // MARK: Appending

    /// Appends to the file in use, and begins a new one where needed. Under the value lock.
    /// - Parameter takesSpace: whether disk space may be taken ahead for more values.
    func append(_ key: Bytes, _ value: Bytes, takesSpace: Bool = true) throws(StoreError) -> ValuePointer {
        var writer = current
        if let current = writer, current.size >= configuration.valueFileBytes || !current.isUsable {
            current.releaseSpace()
            // Later syncs know the new file only.
            try sync(current)
            writer = nil
        }
        let values: ValueFileAppender
        if let writer { values = writer } else { values = try beginFile() }
        // Disk space that was taken ahead is given back by whoever finds the store idle.
        defer { if values.size >= ValueFileWriter.firstStep { background.value.idleWatch() } }
        return try values.append(
            key: key, value: value, sequence: reads.visible.load(ordering: .relaxed), takesSpace: takesSpace)
    }

    private func beginFile() throws(StoreError) -> ValueFileAppender {
        try versions.createValueFile { writer in
            files.withLock { files in
                files.current = writer
                files.begun.append(writer)
            }
        }
    }

    /// Runs a write that appends values first. Under the value lock.
    ///
    /// If the write does not fit on the disk, its values are rolled back: nothing refers to them, and they would keep the
    /// very space that is short, each attempt some more.
    func rollingBack<R>(_ body: () throws(StoreError) -> R) throws(StoreError) -> R {
        let before = current
        let end = before?.size ?? FileHeader.size
        defer { files.withLock { $0.begun = [] } }
        do { return try body() } catch {
            guard error.code == .noSpace else { throw error }
            before?.takeBack(to: end)
            // Files begun meanwhile hold nothing but values of this write; only the last of them is used again.
            let begun = files.withLock { $0.begun }
            for values in begun { values.takeBack(to: FileHeader.size) }
            if begun.count > 1 { background.value.compaction() }  // which removes them
            throw error
        }
    }

    // MARK: Syncs

    /// Makes the values in a file durable, so that something durable may refer to them.
    func sync(_ values: ValueFileAppender?) throws(StoreError) {
        guard let values else { return }
        try status.requireSuccess { () throws(StoreError) in try values.sync() }
    }

    /// Makes all values durable that a change or a compaction has written so far.
    func sync() throws(StoreError) { try sync(current) }

    /// Gives back the disk space that is held ahead for more values.
    /// - Returns: whether there was any.
    @discardableResult
    func releaseSpace() -> Bool { current?.releaseSpace() ?? false }

    /// Lets the file in use take no more values, so that a checkpoint can share it, or a compaction empty it.
    /// - Returns: the current version, none of whose files will ever change.
    func finishFile() throws(StoreError) -> Version {
        try lock.withLock { () throws(StoreError) in
            releaseSpace()
            try sync()
            files.withLock { $0.current = nil }
            return versions.current
        }
    }

    // MARK: Garbage

    /// Notes that a compaction has moved a value to a file, to which no segment refers before the compaction is in force.
    /// Under the value lock.
    func noteRelocation(to number: UInt64) { files.withLock { _ = $0.relocationTargets.insert(number) } }

    /// Values that were moved are referred to by segments, or by nothing.
    func endRelocation() { files.withLock { $0.relocationTargets = [] } }

    /// Drops value files that nothing refers to any more.
    /// - Parameter inMemory: the files that changes in memory refer to.
    func collect(inMemory: () -> Set<UInt64>) throws(StoreError) {
        try lock.withLock { () throws(StoreError) in
            try versions.dropValueFiles {
                var used = inMemory()
                files.withLock { files in
                    used.formUnion(files.relocationTargets)
                    if let current = files.current { used.insert(current.number) }
                }
                return used
            }
        }
    }
}
