import Dispatch
import Synchronization

extension Engine {
    /// Runs an edit of the manifest, then brings the current version up to date with it.
    ///
    /// A failure of the edit other than for want of space leaves it open what is on disk: the store then takes no more
    /// writes.
    ///
    /// - Parameter wakes: whether writers that wait are woken.
    func commit(
        _ edit: VersionEdit, opened: [UInt64: SegmentReader] = [:], valueFiles: [UInt64: ValueFileReader] = [:],
        wakes: Bool = true, alsoUnderWriteLock body: () -> Void = {}
    ) throws(StoreError) {
        try manifestLock.withLock { () throws(StoreError) in
            try commitLocked(edit, opened: opened, valueFiles: valueFiles, wakes: wakes, alsoUnderWriteLock: body)
        }
    }

    /// As ``commit(_:opened:valueFiles:wakes:alsoUnderWriteLock:)``, for a caller that holds the manifest lock.
    func commitLocked(
        _ edit: VersionEdit, opened: [UInt64: SegmentReader] = [:], valueFiles: [UInt64: ValueFileReader] = [:],
        wakes: Bool = true, alsoUnderWriteLock body: () -> Void = {}
    ) throws(StoreError) {
        guard let manifest else { throw StoreError(.readOnly, "the store is open for reading only", file: directory) }
        let version = try writeLock.withLock { () throws(StoreError) in
            if let failure = state.pointee.failure { throw failure }
            return state.pointee.version
        }
        try settleLocked()
        do { try manifest.append(edit) } catch {
            if error.code != .noSpace { poison(error) }
            throw error
        }
        // Not under the write lock: it takes as long as there are segments. Under the manifest lock nobody else makes a
        // version.
        var files = version.valueFiles
        for number in edit.removedValueFiles { files[number] = nil }
        files.merge(valueFiles) { $1 }
        let next = version.applying(edit, opened: opened, valueFiles: files)
        pageCache.measure(next)
        writeLock.withLock {
            state.pointee.version = next
            body()
            publishView()
            if wakes { writeLock.wakeAll() }
        }
        throttle.update(flushedRuns: configuration.automaticCompaction ? next.levels.first?.count ?? 0 : 0)
        retireViews()
    }

    /// Makes durable what an opening has found, if it has left that: before the first change.
    func settle() throws(StoreError) {
        if isSettled.load(ordering: .acquiring) { return }
        try manifestLock.withLock { () throws(StoreError) in
            // The store may have been closed while this waited, and the manifest may then be another's; or someone else's
            // sync has failed, which is not tried again.
            try writeLock.withLock { () throws(StoreError) in try checkStillWritable() }
            try settleLocked()
        }
    }

    /// As ``settle()``, for a caller that holds the manifest lock.
    private func settleLocked() throws(StoreError) {
        if isSettled.load(ordering: .acquiring) { return }
        do throws(StoreError) { try manifest?.settle() } catch {
            if error.leavesDoubt { poison(error) }
            throw error
        }
        isSettled.store(true, ordering: .releasing)
    }

    /// Makes a file that the manifest names before anything counts on it.
    func createFile(_ file: StoreFile) throws(StoreError) -> any File {
        let path = file.path(in: directory)
        return try storeErrors { () throws(FileSystemError) in
            try fileSystem.retrying { () throws(FileSystemError) in try fileSystem.open(path, .createNew) }
        }
    }

    func syncDirectory() throws(StoreError) {
        try storeErrors { () throws(FileSystemError) in
            try fileSystem.retrying { () throws(FileSystemError) in try fileSystem.syncDirectory(directory) }
        }
    }

    // MARK: The next log

    /// Has the next log made in the background. Under the write lock.
    func prepareLogSoon() {
        guard state.pointee.nextLog == nil, !state.pointee.isPreparingLog, !state.pointee.isClosed else { return }
        state.pointee.isPreparingLog = true
        logQueue.async { self.prepareLog() }
    }

    private func prepareLog() {
        writeLock.withLock { state.pointee.logAttempts.begin() }
        let result = Result { () throws(StoreError) -> LogWriter? in
            try outwaitingFlushes { () throws(StoreError) in try makingSpace(makeLog) }
        }
        let isBulk = writeLock.withLock { state.pointee.active.log.map { isWrittenInBulk($0) } ?? false }
        // The first step is as far as a writer gets before it has the log prepared further.
        if isBulk, case .success(let log) = result { log?.prepare(ahead: Self.logStep) }
        writeLock.withLock {
            state.pointee.isPreparingLog = false
            switch result {
            case .success(let log):
                state.pointee.nextLog = log
                state.pointee.logAttempts.succeed()
            case .failure(let error): state.pointee.logAttempts.fail(error)
            }
            writeLock.wakeAll()
        }
    }

    /// Makes a log, and names it in the manifest before anything is written to it.
    func makeLog() throws(StoreError) -> LogWriter {
        try manifestLock.withLock { () throws(StoreError) in
            guard let manifest else { throw StoreError(.readOnly, "the store is read-only", file: directory) }
            let number = manifest.takeNumber()
            do throws(StoreError) {
                let log = try LogWriter.create(
                    fileSystem, path: StoreFile.log(number).path(in: directory),
                    header: FileHeader(kind: .log, store: identity, number: number), options: .log(configuration))
                try syncDirectory()
                var edit = VersionEdit()
                edit.addedLogs = [number]
                try commitLocked(edit)
                return log
            } catch {
                obsoleteUnlessNamed(.log(number))
                throw error
            }
        }
    }

    /// Removes a file that was in the making, unless a failed edit may have named it. Under the manifest lock.
    func obsoleteUnlessNamed(_ file: StoreFile) {
        let isPoisoned = writeLock.withLock { state.pointee.hasFailed }
        if !isPoisoned { obsolete.remove([file]) }
    }

    // MARK: Value files

    /// Begins a value file, and names it in the manifest before anything refers to it. Under the value lock.
    func startValueFile() throws(StoreError) -> ValueFileAppender {
        try manifestLock.withLock { () throws(StoreError) in
            // The store may have been closed while this waited: its directory may then be another's.
            try writeLock.withLock { () throws(StoreError) in try checkWritable() }
            guard let manifest else { throw StoreError(.readOnly, "the store is read-only", file: directory) }
            let number = manifest.takeNumber()
            do throws(StoreError) {
                let file = try createFile(.values(number))
                let writer = try ValueFileAppender(file: file, number: number, store: identity)
                try writer.sync()
                try syncDirectory()
                let reader = try openValueFile(number)
                var edit = VersionEdit()
                edit.addedValueFiles = [number]
                try commitLocked(edit, valueFiles: [number: reader]) {
                    state.pointee.values = writer
                    state.pointee.begunValues.append(writer)
                }
                return writer
            } catch {
                obsoleteUnlessNamed(.values(number))
                throw error
            }
        }
    }

    func openValueFile(_ number: UInt64) throws(StoreError) -> ValueFileReader {
        try ValueFileReader(
            fileSystem: fileSystem, path: StoreFile.values(number).path(in: directory), number: number,
            store: identity, access: configuration.access, pageCache: pageCache)
    }

    func openSegment(_ info: SegmentInfo) throws(StoreError) -> SegmentReader {
        try SegmentReader(
            fileSystem: fileSystem, path: StoreFile.segment(info.number).path(in: directory), number: info.number,
            store: identity, info: info, access: configuration.access, cache: cache, pageCache: pageCache)
    }

    /// Drops value files that nothing refers to any more.
    func collectValueFiles() throws(StoreError) {
        // Under the value lock no value is on its way from its file into a memtable.
        try valueLock.withLock { () throws(StoreError) in
            try manifestLock.withLock { () throws(StoreError) in
                let unused = writeLock.withLock {
                    var used = Set(state.pointee.version.referencedValueBytes().keys)
                    for table in state.pointee.sealed + [state.pointee.active] { used.formUnion(table.valueFiles) }
                    used.formUnion(state.pointee.relocationTargets)
                    if let values = state.pointee.values { used.insert(values.number) }
                    return Set(state.pointee.version.valueFiles.keys).subtracting(used)
                }
                guard !unused.isEmpty else { return }
                var edit = VersionEdit()
                edit.removedValueFiles = unused.sorted()
                try commitLocked(edit)
                obsolete.remove(unused.map { .values($0) })
            }
        }
    }
}
