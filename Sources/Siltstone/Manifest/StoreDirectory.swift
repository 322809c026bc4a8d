/// The directory of an open store: creates its files, opens them, and makes their names durable.
///
/// Has no lock of its own: the caches guard themselves.
struct StoreDirectory: Sendable {
    let path: String
    /// The identity that every file of the store carries.
    let identity: StoreIdentity
    /// Its file system holds the directory (``FileSystem/holding(_:)``).
    let configuration: Configuration
    /// The lock of the directory; nil if there is none, or if a repair holds the lock.
    let lock: (any FileLock)?
    let cache: BlockCache
    let pageCache: PageCache
    let spare: SpareSpace
    /// How segments are read, if not as the other files.
    var segmentAccess: FileAccess?
    var fileSystem: any FileSystem { configuration.fileSystem }

    func path(of file: StoreFile) -> String { file.path(in: path) }

    /// True if the path of the store still leads to the directory that it has opened, and to the lock file in it. If not,
    /// the directory was moved, removed or replaced, or its files were, and may belong to another store by now. So this is
    /// checked before a file is made, renamed or removed.
    var isInPlace: Bool { fileSystem.isInPlace() && lock?.isInPlace() ?? true }

    /// Throws unless the directory and its lock file are in place.
    func checkInPlace() throws(StoreError) {
        if isInPlace { return }
        throw StoreError(
            .inputOutput,
            "the store's directory, or the lock file in it, was moved, removed or replaced while the store was open; "
                + "what was written since may be lost, and nothing more is written: close the store, and open the one "
                + "that is at the path now, or put the directory back first", file: path)
    }

    /// Creates a file. The manifest must name it before anyone relies on it.
    func create(_ file: StoreFile) throws(StoreError) -> any File {
        let path = path(of: file)
        return try storeErrors(retrying(fileSystem.open(path, .createNew)))
    }

    /// Makes the names of new files durable. See ``FileSystem/syncNames(in:)`` for its errors.
    func sync() throws(StoreError) { try fileSystem.syncNames(in: path) }

    /// Creates a log. Its name is not durable yet.
    func createLog(_ number: UInt64) throws(StoreError) -> LogWriter {
        try LogWriter.create(
            fileSystem, path: path(of: .log(number)),
            header: FileHeader(kind: .log, store: identity, number: number), options: .log(configuration, spare))
    }

    // MARK: Opening

    /// Opens a segment, and checks it against its entry in the manifest.
    func openSegment(_ info: SegmentInfo) throws(StoreError) -> SegmentReader {
        try SegmentReader(
            fileSystem: fileSystem, path: path(of: .segment(info.number)), number: info.number, store: identity,
            info: info, access: segmentAccess ?? configuration.access, cache: cache, pageCache: pageCache)
    }

    /// Opens a value file.
    /// - Parameter length: that of the file's writer; nil if the file has none.
    func openValueFile(_ number: UInt64, length: ValueFileLength? = nil) throws(StoreError) -> ValueFileReader {
        try ValueFileReader(
            fileSystem: fileSystem, path: path(of: .values(number)), number: number, store: identity,
            access: configuration.access, length: length, pageCache: pageCache)
    }

    /// Opens the segments and value files that a manifest names.
    func open(_ state: ManifestState) throws(StoreError) -> Version {
        let placed = state.segments.values.sorted { $0.info.number < $1.info.number }
        let segments = try placed.map { placed throws(StoreError) in (placed, try openSegment(placed.info)) }
        var values: [UInt64: ValueFileReader] = [:]
        for number in state.valueFiles { values[number] = try openValueFile(number) }
        return Version(segments: segments, valueFiles: values)
    }
}

extension LogWriter.Options {
    /// Options of the store's log. The capacity covers a memtable's changes and the largest batch. It reserves address
    /// space, not disk space.
    static func log(_ configuration: Configuration, _ spare: SpareSpace) -> LogWriter.Options {
        LogWriter.Options(
            writing: configuration.logWriting,
            capacity: 4 * configuration.memTableBytes + Limits.batchBytes + (64 << 20), spare: spare)
    }
}
