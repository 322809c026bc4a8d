import Synchronization

/// Opens a store: from a directory to a ``RecoveredStore`` (`Docs/Format.md`, "Recovery").
///
/// Everything is checked before anything is changed: damage is reported with the store as it was found.
struct StoreOpener {
    let directory: String
    let configuration: Configuration
    let fileSystem: any FileSystem
    let lock: (any FileLock)?

    /// Opens the store at `path`, or makes one.
    static func open(at path: String, _ configuration: Configuration) throws(StoreError) -> RecoveredStore {
        try configuration.validate()
        let directory = normalized(path, configuration.fileSystem)
        try prepareDirectory(directory, configuration)
        let lock = try takeLock(directory, configuration)
        let opener = StoreOpener(
            directory: directory, configuration: configuration, fileSystem: configuration.fileSystem, lock: lock)
        do { return try opener.open() } catch {
            lock?.release()
            throw error
        }
    }

    /// Stores of this process that were dropped, and whose locks are about to be given up: who opens one again waits.
    static let abandonments = Atomic<Int>(0)

    // MARK: The directory

    /// Without slashes at its end and, in the operating system's files, absolute: the process may change its directory.
    static func normalized(_ path: String, _ fileSystem: any FileSystem) -> String {
        var path = path
        if !path.isEmpty, !path.hasPrefix("/"), fileSystem is POSIXFileSystem, let current = Platform.currentDirectory {
            path = current + "/" + path
        }
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        return path
    }

    static func parent(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// Whether there is a directory; false where there is nothing.
    /// - Throws: ``StoreError/Code/notAStore`` where there is something else.
    static func isDirectory(_ path: String, _ fileSystem: any FileSystem) throws(StoreError) -> Bool {
        let attributes = try storeErrors { () throws(FileSystemError) in
            do throws(FileSystemError) {
                return try fileSystem.retrying { () throws(FileSystemError) in try fileSystem.attributes(of: path) }
            } catch {
                if error.errorNumber == Platform.notADirectory { return nil }
                throw error
            }
        }
        guard let attributes else { return false }
        guard attributes.isDirectory else {
            throw StoreError(.notAStore, "the path is a file; a store is a directory", file: path)
        }
        return true
    }

    /// Makes the directory where that is asked for, and refuses what is no store.
    private static func prepareDirectory(_ path: String, _ configuration: Configuration) throws(StoreError) {
        let fileSystem = configuration.fileSystem
        guard !path.isEmpty else { throw StoreError(.invalidArgument, "the path of the store is empty") }
        if try isDirectory(path, fileSystem) { return }
        guard configuration.createIfMissing, !configuration.readOnly else {
            throw StoreError(.notFound, "there is no store at this path", file: path)
        }
        do {
            try fileSystem.retrying { () throws(FileSystemError) in try fileSystem.createDirectory(path) }
        } catch {
            // Another process has made it meanwhile; the lock decides between the two.
            if error.isExisting, try isDirectory(path, fileSystem) { return }
            if error.isMissing || error.errorNumber == Platform.notADirectory {
                throw StoreError(
                    .notFound, "the directory that the store should be made in does not exist", file: parent(of: path))
            }
            throw StoreError(error)
        }
    }

    private static func takeLock(
        _ directory: String, _ configuration: Configuration
    ) throws(StoreError) -> (any FileLock)? {
        let fileSystem = configuration.fileSystem
        let path = StoreFile.lock.path(in: directory)
        // A directory of something else is told apart before anything, such as a lock file, is put into it.
        try refuseForeignDirectory(directory, configuration)
        while true {
            // A store that this process has dropped gives its lock up once its background work has come to an end. Asked
            // before the attempt: it may come to that end right behind it.
            let mayComeFree = Self.abandonments.load(ordering: .sequentiallyConsistent) > 0
            do {
                return try fileSystem.retrying { () throws(FileSystemError) in
                    try fileSystem.lock(
                        path, exclusive: !configuration.readOnly, note: "process \(Platform.processIdentifier)")
                }
            } catch {
                // A store that was copied without its lock file, or lies on a medium that cannot be written, can be read.
                if configuration.readOnly, error.isMissing { return nil }
                guard error.isLocked else { throw StoreError(error) }
                guard mayComeFree else { throw locked(path, error) }
                Platform.sleep(microseconds: 500)
            }
        }
    }

    private static func locked(_ path: String, _ error: FileSystemError) -> StoreError {
        StoreError(
            .locked,
            "the store is in use" + (error.detail.map { ", \($0)" } ?? "")
                + "; close it there, or open a checkpoint of it", file: path, errorNumber: error.errorNumber)
    }

    /// A store has a `CURRENT`; a new one is only made in a directory that holds nothing, or what is left of making one.
    private static func refuseForeignDirectory(
        _ directory: String, _ configuration: Configuration
    ) throws(StoreError) {
        let fileSystem = configuration.fileSystem
        let names = try Self.names(in: directory, fileSystem)
        if names.contains(StoreFile.current.name) { return }
        if let foreign = names.first(where: { StoreFile(name: $0) == nil }) {
            throw StoreError(
                .notAStore, "the directory holds something else (\(foreign)) and no store; choose another one",
                file: directory)
        }
        for file in names.compactMap({ StoreFile(name: $0) }) {
            guard try !OrphanFile.isOurs(file, in: directory, fileSystem, store: nil) else { continue }
            // Another process may be making a store here, and have renamed or removed the file since it was listed.
            if try Self.names(in: directory, fileSystem) != names {
                return try refuseForeignDirectory(directory, configuration)
            }
            throw StoreError(
                .notAStore, "the directory holds something else (\(file.name)) and no store; choose another one",
                file: directory)
        }
        if names.isEmpty || !names.contains(where: { StoreFile(name: $0)?.number != nil }) {
            guard configuration.createIfMissing, !configuration.readOnly else {
                throw StoreError(.notFound, "the directory holds no store", file: directory)
            }
        }
    }

    // MARK: Opening

    func open() throws(StoreError) -> RecoveredStore {
        guard let number = try CurrentFile.read(in: directory, fileSystem) else { return try create() }
        let found = try readManifest(number)
        let present = try listFiles()
        try checkPresence(found.state, present)
        let files = storeDirectory(found.header.store)
        let version = try files.open(found.state)
        var recovery = LogRecovery(
            directory: files, state: found.state, manifest: (found.path, found.end),
            version: version)
        try recovery.readLogs()
        try recovery.checkUnnamedLogs(present, manifest: number)
        return try finish(found, recovery, version, files, present)
    }

    private func listFiles() throws(StoreError) -> Set<StoreFile> {
        Set(try Self.names(in: directory, fileSystem).compactMap { StoreFile(name: $0) })
    }

    /// All names in a directory, in order.
    private static func names(in directory: String, _ fileSystem: any FileSystem) throws(StoreError) -> [String] {
        try storeErrors { () throws(FileSystemError) in
            try fileSystem.retrying { () throws(FileSystemError) in try fileSystem.entries(of: directory) }
        }.sorted()
    }

    /// Reads a manifest up to its end, and says what it makes of the store.
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
            try state.apply(edit, path: path, offset: frame.offset)
            edits += 1
        }
        if case .damaged(let fault, let proof) = reader.tail() { throw reader.corruption(fault, proof) }
        guard edits > 0 else {
            throw .corrupt("the manifest does not hold the state of the store", file: path, offset: reader.end)
        }
        try state.checkLastSequence(path: path, offset: lastEdit)
        return Manifest.Found(
            path: path, header: reader.header, state: state, edits: edits, end: reader.end, proven: reader.syncedMark,
            lastChecksum: reader.lastChecksum)
    }

    private func checkPresence(_ state: ManifestState, _ present: Set<StoreFile>) throws(StoreError) {
        for file in state.liveFiles.subtracting(present).sorted(by: { $0.name < $1.name }) {
            throw .corrupt("the manifest names a file that does not exist", file: file.path(in: directory))
        }
    }

    // MARK: The recovered store

    private func finish(
        _ found: Manifest.Found, _ recovery: LogRecovery, _ version: Version,
        _ files: StoreDirectory, _ present: Set<StoreFile>
    ) throws(StoreError) -> RecoveredStore {
        var manifest: Manifest?
        var tables = recovery.tables
        let arenas = makeArenas()
        if !configuration.readOnly {
            // Numbers of leftovers are not used again either.
            let greatest = present.compactMap(\.number).max() ?? 0
            let opened = Manifest(
                found, nextFileNumber: max(found.state.nextFileNumber, greatest + 1), directory: directory,
                fileSystem: fileSystem)
            manifest = opened
            // A store that was closed in good order is opened without a write, and without a wait for the disk.
            let isQuiet = recovery.isAsClosed && orphans(present, opened).isEmpty
            if !isQuiet { try opened.makeRecoveryDurable() }
            tables = try recovery.resumeLogs(opened, arenas)
            if !isQuiet { try remove(orphans(present, opened), of: opened.identity) }
        } else if tables.isEmpty {
            tables = [LoggedTable(table: try MemTable(capacity: 64 << 10, pool: nil), log: nil)]
        }
        guard let active = tables.popLast() else {
            throw StoreError(.corrupt, "the store has no log to write to", file: directory)
        }
        return RecoveredStore(
            directory: files, manifest: manifest, lock: lock, arenas: arenas, version: version,
            state: WriteState(active: active, sealed: tables, lastSequence: recovery.lastSequence))
    }

    /// What a crash left behind: nothing that the manifest names, but maybe files that are not this store's.
    private func orphans(_ present: Set<StoreFile>, _ manifest: Manifest) -> Set<StoreFile> {
        var keep = manifest.state.liveFiles
        keep.formUnion([.current, .lock, .manifest(manifest.number)])
        return present.subtracting(keep)
    }

    /// Removes files, as far as they are this store's. What the manifest does not name must be durable.
    private func remove(_ files: Set<StoreFile>, of store: StoreIdentity?) throws(StoreError) {
        var ours: [StoreFile] = []
        for file in files.sorted(by: { $0.name < $1.name }) {
            if try OrphanFile.isOurs(file, in: directory, fileSystem, store: store) { ours.append(file) }
        }
        ObsoleteFiles(directory: directory, fileSystem: fileSystem).remove(ours)
    }

    // MARK: A new store

    private func create() throws(StoreError) -> RecoveredStore {
        try refuseLostCurrent()
        guard configuration.createIfMissing, !configuration.readOnly else {
            throw StoreError(.notFound, "the directory holds no store", file: directory)
        }
        try syncParent()
        try remove(try listFiles().subtracting([.lock]), of: nil)
        var state = ManifestState()
        let manifestNumber: UInt64 = 1
        let logNumber: UInt64 = 2
        state.nextFileNumber = 3
        state.logs = [logNumber]
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
            state: WriteState(active: LoggedTable(table: table, log: log), lastSequence: 0))
    }

    /// The directory of a store whose identity is known, with empty caches.
    private func storeDirectory(_ identity: StoreIdentity) -> StoreDirectory {
        StoreDirectory(
            directory, identity: identity, configuration: configuration,
            cache: BlockCache(capacity: configuration.cacheBytes),
            pageCache: PageCache(source: configuration.availableMemory))
    }

    /// Memory for the memtables of a store.
    private func makeArenas() -> ArenaPool {
        ArenaPool(maximumBytes: 2 * configuration.memTableBytes, usualCount: configuration.sealedMemTableLimit + 1)
    }

    /// Makes the directory's own name durable, whoever made it: an attempt that failed right behind that may have left it.
    private func syncParent() throws(StoreError) {
        do throws(FileSystemError) {
            try fileSystem.retrying { () throws(FileSystemError) in
                try fileSystem.syncDirectory(Self.parent(of: directory))
            }
        } catch {
            // A directory that was given to the program may lie in one that it may not read. Its giver has seen to it.
            if Platform.isPermission(error.errorNumber) { return }
            throw StoreError(error)
        }
    }

    /// A store that lost its `CURRENT` must not be taken for an empty directory. What a crash left of making a store
    /// holds no change.
    private func refuseLostCurrent() throws(StoreError) {
        let path = StoreFile.current.path(in: directory)
        let lost = StoreError.corrupt("CURRENT does not exist, but files of a store do", file: path)
        for file in try listFiles().sorted(by: { $0.name < $1.name }) {
            switch file {
            case .segment, .values: throw lost
            case .manifest(let number) where number > 1: throw lost
            case .log(let number):
                if try LogRecovery.holdsChanges(number, in: directory, configuration) { throw lost }
            case .manifest, .current, .currentInTheMaking, .lock: continue
            }
        }
    }
}
