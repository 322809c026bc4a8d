/// Opens a store: turns a directory into a ``RecoveredStore`` (`Docs/Format.md`, "Recovery").
///
/// Checks everything before it changes anything. If it reports damage, the store is still as it was found.
struct StoreOpener {
    /// Path of the store, as ``normalized(_:_:)`` returns it.
    let directory: String
    /// Its file system holds the directory, so that the store's files are always those of one directory.
    var configuration: Configuration
    var fileSystem: any FileSystem { configuration.fileSystem }
    /// The lock of the directory; nil if a read-only store has no lock file, or if the caller already holds the lock.
    var lock: (any FileLock)?
    /// See ``StoreDirectory/segmentAccess``.
    var segmentAccess: FileAccess?

    /// Opens the store at `path`, or creates one.
    static func open(at path: String, _ configuration: Configuration) throws(StoreError) -> RecoveredStore {
        try configuration.validate()
        let directory = normalized(path, configuration.fileSystem)
        var opener = StoreOpener(directory: directory, configuration: configuration)
        try opener.prepareDirectory()
        opener.configuration.fileSystem = try storeErrors(retrying(configuration.fileSystem.holding(directory)))
        // Refuses a foreign directory before it creates anything in it, such as a lock file.
        try opener.refuseForeignDirectory()
        opener.lock = try Self.lock(
            directory, opener.fileSystem, exclusive: !configuration.readOnly, waitsForDropped: true,
            advice: "close it there, or open a checkpoint of it")
        do { return try opener.open() } catch {
            opener.lock?.release()
            throw error
        }
    }

    /// Number of stores of this process, by place, that were dropped without being closed, and will soon release their
    /// locks. An opener of the same store waits for that.
    static let abandonments = Locked<[StorePlace: Int]>([:], rank: .leaf)

    // MARK: The directory

    /// Removes trailing slashes. Makes the path absolute if it is in the operating system's file system, because the
    /// process may change its directory.
    static func normalized(_ path: String, _ fileSystem: any FileSystem) -> String {
        var path = path
        if !path.isEmpty, path.unicodeScalars.first != "/", fileSystem is POSIXFileSystem,
            let current = Platform.currentDirectory
        {
            path = current + "/" + path
        }
        // By scalars: before a combining mark, a slash is no character of its own.
        while path.utf8.count > 1, path.unicodeScalars.last == "/" { path.unicodeScalars.removeLast() }
        return path
    }

    /// Path of the directory that contains `path`, which has no trailing slash.
    static func parent(of path: String) -> String {
        guard let slash = path.unicodeScalars.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// True if there is a directory at `path`; false if there is nothing.
    /// - Throws: ``StoreError/Code/notAStore`` if there is a file.
    static func isDirectory(_ path: String, _ fileSystem: any FileSystem) throws(StoreError) -> Bool {
        let attributes: FileAttributes?
        do throws(FileSystemError) { attributes = try retrying(fileSystem.attributes(of: path)) } catch {
            if error.errorNumber == Platform.notADirectory { return false }
            throw StoreError(error)
        }
        guard let attributes else { return false }
        guard attributes.isDirectory else {
            throw StoreError(.notAStore, "the path is a file; a store is a directory", file: path)
        }
        return true
    }

    /// Creates the directory if the configuration permits it.
    /// - Throws: ``StoreError/Code/notFound`` if it does not exist and may not or cannot be created,
    ///   ``StoreError/Code/notAStore`` if there is a file.
    private func prepareDirectory() throws(StoreError) {
        let path = directory
        guard !path.isEmpty else { throw StoreError(.invalidArgument, "the path of the store is empty") }
        if try Self.isDirectory(path, fileSystem) { return }
        guard configuration.createIfMissing, !configuration.readOnly else {
            throw StoreError(.notFound, "there is no store at this path", file: path)
        }
        if try Self.createDirectory(path, for: "store", fileSystem) { return }
        // Another process has created it in the meantime. The lock decides between the two. If something else is at the
        // path, the next step reports it.
        _ = try Self.isDirectory(path, fileSystem)
    }

    /// Creates a directory, but not its parents.
    /// - Parameter purpose: what will be in the directory, for the error.
    /// - Returns: false if there is something at the path already.
    /// - Throws: ``StoreError/Code/notFound`` if there is no parent.
    static func createDirectory(
        _ path: String, for purpose: String, _ fileSystem: any FileSystem
    ) throws(StoreError) -> Bool {
        do {
            try retrying(fileSystem.createDirectory(path))
            return true
        } catch {
            if error.isExisting { return false }
            guard error.isMissing || error.errorNumber == Platform.notADirectory else { throw StoreError(error) }
            throw StoreError(
                .notFound, "the directory that the \(purpose) should be made in does not exist", file: parent(of: path))
        }
    }

    /// Locks the directory of a store.
    /// - Parameters:
    ///   - exclusive: false for reading only, which several owners may share.
    ///   - purpose: what the owner does, for the lock file.
    ///   - waitsForDropped: true to wait for stores that this process has dropped without closing them.
    ///   - advice: what the caller can do if the store is in use.
    /// - Returns: nil if the lock is not exclusive and there is no lock file.
    /// - Throws: ``StoreError/Code/locked`` if the store is in use. Names the owner, if the lock file does.
    static func lock(
        _ directory: String, _ fileSystem: any FileSystem, exclusive: Bool, purpose: String = "",
        waitsForDropped: Bool = false, advice: String
    ) throws(StoreError) -> (any FileLock)? {
        let path = StoreFile.lock.path(in: directory)
        while true {
            // Looked up before the attempt, because the release may happen right after a failed attempt.
            let dropped = waitsForDropped ? dropped(directory, fileSystem) : nil
            do {
                return try retrying(
                    fileSystem.lock(
                        path, exclusive: exclusive, note: "process \(Platform.processIdentifier)" + purpose))
            } catch {
                // A copy without its lock file, or a store on a read-only medium, can still be read.
                if !exclusive, error.isMissing { return nil }
                guard error.isLocked else { throw StoreError(error) }
                guard let dropped else {
                    throw StoreError(
                        .locked, "the store is in use" + (error.detail.map { ", \($0)" } ?? "") + "; " + advice,
                        file: path, errorNumber: error.errorNumber)
                }
                abandonments.wait { $0[dropped] == nil ? () : nil }
            }
        }
    }

    /// Returns the place of a store if this process has dropped the store, and has not released its lock yet.
    private static func dropped(_ directory: String, _ fileSystem: any FileSystem) -> StorePlace? {
        guard !abandonments.withLock({ $0.isEmpty }) else { return nil }
        let place = StorePlace(directory, fileSystem)
        return abandonments.withLock { $0[place] } == nil ? nil : place
    }

    /// Refuses a directory that is no store. A store has a `CURRENT`, and so have LevelDB and RocksDB. A new store is
    /// created only in a directory that is empty, or that contains only files of an interrupted creation.
    /// - Throws: ``StoreError/Code/notAStore``; ``StoreError/Code/notFound`` if there is no store, and none may be
    ///   created.
    private func refuseForeignDirectory() throws(StoreError) {
        func foreign(_ name: String) -> StoreError {
            StoreError(
                .notAStore, "the directory holds something else (\(name)) and no store; choose another one",
                file: directory)
        }
        let names = try Self.names(in: directory, fileSystem)
        if names.contains(StoreFile.current.name) {
            // A store with a damaged `CURRENT` is told from the database of another program.
            if try OrphanFile.isStore(Set(names.compactMap(StoreFile.init)), in: directory, fileSystem) { return }
            throw foreign(StoreFile.current.name)
        }
        if let other = names.first(where: { StoreFile(name: $0) == nil }) { throw foreign(other) }
        for file in names.compactMap({ StoreFile(name: $0) }) {
            guard try !OrphanFile.isOurs(file, in: directory, fileSystem, store: nil) else { continue }
            // Another process may be creating a store here, and may have renamed or removed the file since the
            // directory was listed. Checks again in that case.
            if try Self.names(in: directory, fileSystem) != names {
                return try refuseForeignDirectory()
            }
            throw foreign(file.name)
        }
        if names.contains(where: { StoreFile(name: $0)?.number != nil }) { return }
        guard configuration.createIfMissing, !configuration.readOnly else {
            throw StoreError(.notFound, "the directory holds no store", file: directory)
        }
    }

    // MARK: Opening

    /// Recovers the store, or creates one if there is no `CURRENT`. The lock is held, unless there is none.
    func open() throws(StoreError) -> RecoveredStore {
        guard let number = try CurrentFile.read(in: directory, fileSystem) else { return try create() }
        let found = try readManifest(number)
        let present = try StoreFile.list(in: directory, fileSystem)
        if let missing = found.state.liveFiles.subtracting(present).min(by: { $0.name < $1.name }) {
            throw .corrupt("the manifest names a file that does not exist", file: missing.path(in: directory))
        }
        let files = storeDirectory(found.header.store)
        let version = try files.open(found.state)
        var recovery = LogRecovery(files, found, version)
        try recovery.readLogs()
        try recovery.checkUnnamedLogs(present, manifest: number)
        return try finish(found, recovery, version, files, present)
    }

    /// All names in a directory, sorted.
    private static func names(in directory: String, _ fileSystem: any FileSystem) throws(StoreError) -> [String] {
        try storeErrors(retrying(fileSystem.entries(of: directory))).sorted()
    }

    /// Reads a manifest to its end.
    /// - Returns: the state of the store that its edits describe, and what is needed to append to it.
    func readManifest(_ number: UInt64) throws(StoreError) -> Manifest.Found {
        let path = StoreFile.manifest(number).path(in: directory)
        var reader: FrameReader
        do {
            reader = try FrameReader(
                fileSystem, path: path, kind: .manifest, store: nil, number: number,
                mapped: configuration.access == .mapped)
        } catch {
            if error.errorNumber == Platform.noSuchFile {
                throw .corrupt("CURRENT names a manifest that does not exist", file: path)
            }
            throw error
        }
        var state = ManifestState()
        var droppedRuns: [[UInt64]] = []
        var edits = 0
        var lastEdit = reader.end
        while let frame = try reader.next() {
            switch frame.kind {
            case .edit: break
            case .close: continue
            case .batch, .link:
                throw .corrupt("a manifest holds a frame of a log", file: path, offset: frame.offset)
            }
            lastEdit = frame.offset
            let edit = try VersionEdit(frame.payload, path: path, offset: frame.offset)
            droppedRuns += state.runsDropped(by: edit)
            try state.apply(edit, path: path, offset: frame.offset)
            edits += 1
        }
        if case .damaged(let fault, let proof) = reader.tail() { throw reader.corruption(fault, proof) }
        guard edits > 0 else {
            throw .corrupt("the manifest does not hold the state of the store", file: path, offset: reader.end)
        }
        try state.checkLastSequence(path: path, offset: lastEdit)
        return Manifest.Found(
            path: path, header: reader.header, state: state, droppedRuns: droppedRuns, edits: edits, end: reader.end,
            proven: reader.syncedMark, lastChecksum: reader.lastChecksum, isClosed: reader.lastKind == .close)
    }

    // MARK: The recovered store

    /// Prepares the recovered store for writing, unless it is read-only. All checks have passed before.
    private func finish(
        _ found: Manifest.Found, _ recovery: LogRecovery, _ version: Version,
        _ files: StoreDirectory, _ present: Set<StoreFile>
    ) throws(StoreError) -> RecoveredStore {
        var manifest: Manifest?
        var obsoleteGroups: [[StoreFile]] = []
        var tables = recovery.tables
        let arenas = makeArenas()
        if !configuration.readOnly {
            // The numbers of orphan files are not used again either.
            let greatest = present.compactMap(\.number).max() ?? 0
            let opened = Manifest(
                found, nextFileNumber: max(found.state.nextFileNumber, greatest + 1), directory: directory,
                fileSystem: fileSystem)
            manifest = opened
            // A store that was closed cleanly is opened without writing and without waiting for the disk.
            let isQuiet = recovery.isAsClosed && orphans(present, opened).isEmpty
            if !isQuiet { try opened.makeRecoveryDurable() }
            tables = try recovery.resumeLogs(opened, arenas)
            if !isQuiet {
                obsoleteGroups = try remove(
                    orphans(present, opened), of: opened.identity, droppedRuns: found.droppedRuns)
            }
        } else if tables.isEmpty {
            // A checkpoint has no logs. The super version of a read-only store still needs a memtable.
            tables = [LoggedTable(table: try MemTable(capacity: 64 << 10, pool: nil), log: nil)]
        }
        guard let active = tables.popLast() else {
            throw StoreError(.corrupt, "the store has no log to write to", file: directory)
        }
        return RecoveredStore(
            directory: files, manifest: manifest, lock: lock, arenas: arenas, version: version,
            state: WriteState(active: active, sealed: tables, lastSequence: recovery.lastSequence),
            obsoleteGroups: obsoleteGroups)
    }

    /// Files with a store file's name that the manifest does not name. A crash may have left them, but they may also be
    /// foreign files.
    private func orphans(_ present: Set<StoreFile>, _ manifest: Manifest) -> Set<StoreFile> {
        var keep = manifest.state.liveFiles
        keep.formUnion([.current, .lock, .manifest(manifest.number)])
        return present.subtracting(keep)
    }

    /// Removes those of the files that belong to this store. Before the call, the manifest that does not name them must
    /// be durable.
    ///
    /// Keeps to the order of the open store, where each edit's segments are removed before the next edit, oldest run
    /// first (``CompactionPlan/obsoleteFiles``). Manifests and logs go first: an older manifest names dropped segments.
    /// Value files go last, because segments refer to them.
    /// - Parameters:
    ///   - store: nil before there is a store. Then a header of any store counts.
    ///   - droppedRuns: see ``Manifest/Found/droppedRuns``.
    /// - Returns: the groups that could not be removed yet.
    private func remove(
        _ files: Set<StoreFile>, of store: StoreIdentity?, droppedRuns: [[UInt64]] = []
    ) throws(StoreError) -> [[StoreFile]] {
        var ours: Set<StoreFile> = []
        for file in files.sorted(by: { $0.name < $1.name }) {
            if try OrphanFile.isOurs(file, in: directory, fileSystem, store: store) { ours.insert(file) }
        }
        let runs = droppedRuns.map { run in run.map { StoreFile.segment($0) }.filter(ours.contains) }
        ours.subtract(runs.joined())
        let others = ours.sorted { ($0.number ?? 0) < ($1.number ?? 0) }
        // Segments that no edit of this manifest has dropped are unfinished, or were dropped before its first edit.
        let unknown = others.filter { $0.headerKind == .segment }
        let values = others.filter { $0.headerKind == .values }
        let obsolete = ObsoleteFiles(directory: directory, fileSystem: fileSystem)
        obsolete.remove(others.filter { $0.headerKind != .segment && $0.headerKind != .values })
        try obsolete.remove(inOrder: ([unknown] + runs + [values]).filter { !$0.isEmpty })
        return obsolete.kept
    }

    // MARK: A new store

    /// Creates an empty store. Removes the files of an interrupted creation first.
    private func create() throws(StoreError) -> RecoveredStore {
        try refuseLostCurrent()
        guard configuration.createIfMissing, !configuration.readOnly else {
            throw StoreError(.notFound, "the directory holds no store", file: directory)
        }
        // Even if the directory already existed: an earlier attempt may have created it and then failed.
        try Self.syncParent(of: directory, fileSystem, ignoresPermission: true)
        let obsoleteGroups = try remove(try StoreFile.list(in: directory, fileSystem).subtracting([.lock]), of: nil)
        let (manifestNumber, logNumber): (UInt64, UInt64) = (1, 2)
        let state = ManifestState(nextFileNumber: 3, logs: [logNumber])
        let identity = StoreIdentity.random()
        let files = storeDirectory(identity)
        let log = try files.createLog(logNumber)
        try log.append(link: LogLink())
        let writer = try Manifest.create(
            number: manifestNumber, state: state, identity: identity, in: directory, fileSystem)
        let manifest = Manifest(
            directory: directory, identity: identity, fileSystem: fileSystem, state: state, number: manifestNumber,
            writer: writer)
        let arenas = makeArenas()
        let table = try MemTable.make(configuration, for: .nothing, arenas)
        return RecoveredStore(
            directory: files, manifest: manifest, lock: lock, arenas: arenas, version: .empty,
            state: WriteState(active: LoggedTable(table: table, log: log), lastSequence: 0), isNew: true,
            obsoleteGroups: obsoleteGroups)
    }

    /// The directory of a store with a known identity, with empty caches.
    private func storeDirectory(_ identity: StoreIdentity) -> StoreDirectory {
        StoreDirectory(
            path: directory, identity: identity, configuration: configuration,
            lock: lock, cache: BlockCache(capacity: configuration.cacheBytes),
            pageCache: PageCache(source: configuration.availableMemory),
            spare: SpareSpace(configuration.fileSystem, directory), segmentAccess: segmentAccess)
    }

    /// The memory for the memtables of a store: one that takes changes, and the sealed ones.
    private func makeArenas() -> ArenaPool {
        ArenaPool(maximumBytes: 2 * configuration.memTableBytes, usualCount: configuration.sealedMemTableLimit + 1)
    }

    /// Makes the name of a directory durable.
    /// - Parameter ignoresPermission: true if the program may have received the directory inside one that it may not
    ///   read. Whoever created the directory is then responsible for its name.
    static func syncParent(
        of path: String, _ fileSystem: any FileSystem, ignoresPermission: Bool = false
    ) throws(StoreError) {
        do throws(FileSystemError) {
            try retrying(fileSystem.syncDirectory(parent(of: path)))
        } catch {
            if ignoresPermission, Platform.isPermission(error.errorNumber) { return }
            throw StoreError(error)
        }
    }

    /// Refuses to create a store if a store lost its `CURRENT`. The files of an interrupted creation contain no
    /// changes, so a file that may contain changes shows that a store was here.
    private func refuseLostCurrent() throws(StoreError) {
        let path = StoreFile.current.path(in: directory)
        let lost = StoreError.corrupt("CURRENT does not exist, but files of a store do", file: path)
        for file in try StoreFile.list(in: directory, fileSystem).sorted(by: { $0.name < $1.name }) {
            switch file {
            case .segment, .values: throw lost
            case .manifest(let number) where number > 1: throw lost
            case .log(let number):
                if try LogRecovery.mayHoldChanges(number, of: nil, in: directory, configuration) { throw lost }
            case .manifest, .current, .temporaryCurrent, .lock, .scratch: continue
            }
        }
    }
}
