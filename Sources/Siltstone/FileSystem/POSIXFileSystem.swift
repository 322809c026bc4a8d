/// The operating system's files.
public struct POSIXFileSystem: FileSystem {
    /// Creates a view of the operating system's files.
    public init() {}

    /// Opens a file (open(2)), closed on exec. Refuses a FIFO, a socket and a device with `ENXIO`.
    public func open(_ path: String, _ mode: FileOpenMode) throws(FileSystemError) -> any File {
        let flags: Platform.OpenFlags =
            switch mode {
            case .read: .readOnly
            case .readWrite: .readWrite
            case .createNew: [.readWrite, .create, .exclusive]
            }
        return try Self.openFile(path, flags)
    }

    /// Opens a regular file or a directory.
    private static func openFile(_ path: String, _ flags: Platform.OpenFlags) throws(FileSystemError) -> POSIXFile {
        let descriptor = Platform.openFile(path, flags)
        guard descriptor >= 0 else { throw failure("open", path) }
        guard !(Platform.status(ofDescriptor: descriptor)?.isSpecial ?? false) else {
            _ = Platform.closeFile(descriptor)
            throw FileSystemError(
                "open", path: path, errorNumber: Platform.noDeviceOrAddress, detail: "no regular file")
        }
        return POSIXFile(path: path, descriptor: descriptor)
    }

    /// Creates a directory (mkdir(2)).
    public func createDirectory(_ path: String) throws(FileSystemError) {
        if Platform.makeDirectory(path) != 0 { throw Self.failure("create directory", path) }
    }

    /// Returns the names in a directory (readdir(3)).
    public func entries(of directory: String) throws(FileSystemError) -> [String] {
        guard let names = Platform.entries(of: directory) else { throw Self.failure("read directory", directory) }
        return names
    }

    /// Returns the attributes at a path, following symbolic links (stat(2)); nil if there is nothing.
    public func attributes(of path: String) throws(FileSystemError) -> FileAttributes? {
        guard let status = Platform.status(ofPath: path) else {
            let failure = Self.failure("stat", path)
            if failure.isMissing { return nil }
            throw failure
        }
        return FileAttributes(size: status.size, isDirectory: status.isDirectory)
    }

    /// Renames a file (rename(2)).
    public func rename(_ source: String, to destination: String) throws(FileSystemError) {
        if Platform.renameFile(source, destination) != 0 { throw Self.failure("rename", source) }
    }

    /// Gives a file a second name (link(2)).
    public func link(_ source: String, to destination: String) throws(FileSystemError) {
        if Platform.linkFile(source, destination) != 0 { throw Self.failure("link", destination) }
    }

    /// Removes a file's name (unlink(2)).
    public func remove(_ path: String) throws(FileSystemError) {
        if Platform.removeFile(path) != 0 { throw Self.failure("remove", path) }
    }

    /// Removes an empty directory (rmdir(2)).
    public func removeDirectory(_ path: String) throws(FileSystemError) {
        if Platform.removeDirectory(path) != 0 { throw Self.failure("remove directory", path) }
    }

    /// Brings a directory's entries to stable storage (fsync(2)).
    public func syncDirectory(_ path: String) throws(FileSystemError) {
        let descriptor = Platform.openFile(path, [.readOnly, .directory])
        guard descriptor >= 0 else { throw Self.failure("open directory", path) }
        defer { _ = Platform.closeFile(descriptor) }  // opened for reading: closing it cannot lose anything
        if Platform.syncDirectory(descriptor) != 0 { throw Self.failure("sync directory", path) }
    }

    /// Takes the lock of a file (flock(2)). The lock ends with the process, and also excludes other handles of this
    /// process.
    public func lock(_ path: String, exclusive: Bool, note: String) throws(FileSystemError) -> any FileLock {
        let file = try Self.openFile(path, exclusive ? [.readWrite, .create] : [.readOnly])
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

/// An advisory lock of a file (flock). ``release()``, or the end of the last reference, clears the note, unlocks and
/// closes the file.
private final class POSIXFileLock: FileLock {
    private let file: POSIXFile
    private let hasNote: Bool

    init(_ file: POSIXFile, hasNote: Bool) {
        self.file = file
        self.hasNote = hasNote
    }

    deinit { release() }

    func release() { file.unlockAndClose(clearingOwner: hasNote) }
}
