/// The operating system's files.
public struct POSIXFileSystem: FileSystem {
    /// The directories that this view holds open.
    private var held: [HeldDirectory] = []

    /// Creates a view of the operating system's files that holds no directory.
    public init() {}

    /// Returns the place of a file: its name in a directory that is held open, or its path.
    private func place(_ path: String) -> Platform.FilePlace {
        for directory in held {
            if let name = directory.name(of: path) { return .init(directory: directory.descriptor, path: name) }
        }
        return .init(path: path)
    }

    /// Returns the place of a directory, which may be one that is held open.
    private func place(ofDirectory path: String) -> Platform.FilePlace {
        guard let directory = held.first(where: { $0.path == path }) else { return place(path) }
        return .init(directory: directory.descriptor, path: ".")
    }

    /// Opens a file (openat(2)), closed on exec. Refuses a FIFO, a socket and a device with `ENXIO`.
    public func open(_ path: String, _ mode: FileOpenMode) throws(FileSystemError) -> any File {
        let flags: Platform.OpenFlags =
            switch mode {
            case .read: .readOnly
            case .readWrite: .readWrite
            case .createNew: [.readWrite, .create, .exclusive]
            }
        return try openFile(path, flags)
    }

    /// Opens a regular file or a directory.
    private func openFile(_ path: String, _ flags: Platform.OpenFlags) throws(FileSystemError) -> POSIXFile {
        let descriptor = Platform.openFile(place(path), flags)
        guard descriptor >= 0 else { throw Self.failure("open", path) }
        guard !(Platform.status(ofDescriptor: descriptor)?.isSpecial ?? false) else {
            _ = Platform.closeFile(descriptor)
            throw FileSystemError(
                "open", path: path, errorNumber: Platform.noDeviceOrAddress, detail: "no regular file")
        }
        return POSIXFile(path: path, descriptor: descriptor)
    }

    /// Creates a directory (mkdirat(2)).
    public func createDirectory(_ path: String) throws(FileSystemError) {
        if Platform.makeDirectory(place(path)) != 0 { throw Self.failure("create directory", path) }
    }

    /// Returns the names in a directory (readdir(3)).
    public func entries(of directory: String) throws(FileSystemError) -> [String] {
        guard let names = Platform.entries(of: place(ofDirectory: directory)) else {
            throw Self.failure("read directory", directory)
        }
        return names
    }

    /// Returns the attributes at a path, following symbolic links (fstatat(2)); nil if there is nothing.
    public func attributes(of path: String) throws(FileSystemError) -> FileAttributes? {
        guard let status = Platform.status(of: place(path)) else {
            let failure = Self.failure("stat", path)
            if failure.isMissing { return nil }
            throw failure
        }
        return FileAttributes(size: status.size, isDirectory: status.isDirectory)
    }

    /// Renames a file (renameat(2)).
    public func rename(_ source: String, to destination: String) throws(FileSystemError) {
        if Platform.renameFile(place(source), place(destination)) != 0 { throw Self.failure("rename", source) }
    }

    /// Gives a file a second name (linkat(2)).
    public func link(_ source: String, to destination: String) throws(FileSystemError) {
        if Platform.linkFile(place(source), place(destination)) != 0 { throw Self.failure("link", destination) }
    }

    /// Removes a file's name (unlinkat(2)).
    public func remove(_ path: String) throws(FileSystemError) {
        if Platform.removeFile(place(path)) != 0 { throw Self.failure("remove", path) }
    }

    /// Removes an empty directory (unlinkat(2)).
    public func removeDirectory(_ path: String) throws(FileSystemError) {
        if Platform.removeDirectory(place(path)) != 0 { throw Self.failure("remove directory", path) }
    }

    /// Brings a directory's entries to stable storage (fsync(2)).
    public func syncDirectory(_ path: String) throws(FileSystemError) {
        let descriptor = Platform.openFile(place(ofDirectory: path), [.readOnly, .directory])
        guard descriptor >= 0 else { throw Self.failure("open directory", path) }
        defer { _ = Platform.closeFile(descriptor) }  // opened for reading: closing it cannot lose anything
        if Platform.syncDirectory(descriptor) != 0 { throw Self.failure("sync directory", path) }
    }

    /// Returns a view that also holds a directory open, and finds the files in it through its descriptor.
    public func holding(_ directory: String) throws(FileSystemError) -> any FileSystem {
        var view = self
        view.held.insert(try HeldDirectory(directory, place(directory)), at: 0)
        return view
    }

    /// Returns false if the path of a directory that this view holds leads to another one, or nowhere (stat(2)). A process
    /// that has given up the permission to look goes on.
    public func isInPlace() -> Bool { held.allSatisfy { Self.isInPlace($0.path, $0.identity) } }

    /// Returns the size of the disk (statvfs(3)).
    public func space(of directory: String) -> FileSystemSpace? {
        Platform.space(of: place(ofDirectory: directory)).map { .init(total: $0.total, available: $0.available) }
    }

    /// Returns false if a path leads to another file or directory than this one, or nowhere.
    static func isInPlace(_ path: String, _ identity: Platform.FileIdentity?) -> Bool {
        if let status = Platform.status(of: .init(path: path)) { return status.identity == identity }
        return ![Platform.noSuchFile, Platform.notADirectory].contains(Platform.errorNumber)
    }

    /// Takes the lock of a file (flock(2)). The lock ends with the process, and also excludes other handles of this
    /// process.
    public func lock(_ path: String, exclusive: Bool, note: String) throws(FileSystemError) -> any FileLock {
        let file = try openFile(path, exclusive ? [.readWrite, .create] : [.readOnly])
        if Platform.lockFile(file.number, exclusive: exclusive) != 0 {
            var failure = Self.failure("lock", path)
            if failure.errorNumber == Platform.wouldBlock {
                failure.detail = "held by \(try Self.owner(of: file))"
            }
            throw failure
        }
        if exclusive {
            // The note overwrites the old one in one call, so that another process that looks for the owner finds one
            // of the two. Its newline ends the line if the old note was longer. The truncation then removes the rest.
            // `release()` leaves a newline instead of an empty file, so that the block stays allocated and a full disk
            // cannot prevent the next note.
            let line = Array((note + "\n").utf8)
            try file.writeFully(line, at: 0)
            try file.truncate(to: line.count - 1)
        }
        return POSIXFileLock(file, hasNote: exclusive)
    }

    /// Returns the owner of a lock, from the first line of its file.
    ///
    /// An owner writes the line right after it has taken the lock, and clears it before it releases the lock, unless it
    /// dies earlier. Holders of a shared lock write no line. The first number in the line is the process, and a line counts
    /// only if that process is alive. Otherwise the present owner gets a moment to write its own: 10 tries, half a
    /// millisecond apart. Returns `another process` if no line counts.
    private static func owner(of file: POSIXFile) throws(FileSystemError) -> String {
        for _ in 0..<10 {
            let note = String(
                decoding: try file.readAll().prefix(200).prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
            let digits = note.drop { !$0.isASCII || !$0.isNumber }.prefix { $0.isASCII && $0.isNumber }
            if let process = Int32(digits), Platform.isAlive(process: process) { return note }
            Platform.sleep(microseconds: 500)
        }
        return "another process"
    }

    /// Returns the error of the system call that has just failed on this thread.
    static func failure(_ operation: String, _ path: String, offset: Int? = nil) -> FileSystemError {
        FileSystemError(operation, path: path, errorNumber: Platform.errorNumber, offset: offset)
    }
}

/// A directory that is held open.
private final class HeldDirectory: Sendable {
    let path: String
    let descriptor: Int32
    let identity: Platform.FileIdentity

    init(_ path: String, _ place: Platform.FilePlace) throws(FileSystemError) {
        self.path = path
        descriptor = Platform.openFile(place, [.readOnly, .directory])
        guard descriptor >= 0 else { throw POSIXFileSystem.failure("open directory", path) }
        guard let status = Platform.status(ofDescriptor: descriptor) else {
            let failure = POSIXFileSystem.failure("stat", path)
            _ = Platform.closeFile(descriptor)
            throw failure
        }
        identity = status.identity
    }

    deinit { _ = Platform.closeFile(descriptor) }

    /// Returns the name of a file in this directory; nil if the path does not lead directly into it.
    func name(of file: String) -> String? {
        let (file, path) = (file.utf8, path.utf8)
        guard file.count > path.count + 1, file.starts(with: path) else { return nil }
        let slash = file.index(file.startIndex, offsetBy: path.count)
        let name = file[file.index(after: slash)...]
        guard file[slash] == UInt8(ascii: "/"), !name.contains(UInt8(ascii: "/")) else { return nil }
        return String(Substring(name))
    }
}

/// An advisory lock of a file (flock). ``release()``, or the end of the last reference, clears the note, unlocks and
/// closes the file.
private final class POSIXFileLock: FileLock {
    private let file: POSIXFile
    private let hasNote: Bool
    private let identity: Platform.FileIdentity?

    init(_ file: POSIXFile, hasNote: Bool) {
        self.file = file
        self.hasNote = hasNote
        identity = Platform.status(ofDescriptor: file.number)?.identity
    }

    deinit { release() }

    func release() { file.unlockAndClose(clearingOwner: hasNote) }

    func isInPlace() -> Bool { POSIXFileSystem.isInPlace(file.path, identity) }
}
