/// Files in the memory of the process, for tests and for stores that need not outlive the process.
///
/// It behaves as a POSIX file system: a name is a link to a file, an open or mapped file outlives its name, mappings
/// share their bytes with reads and writes. Data lives as long as this object and its open files and mappings, so a
/// sync does nothing. Paths are absolute, or relative to the root; `.` and `..` are supported. `..` drops the preceding
/// name, whether or not that directory exists.
public final class InMemoryFileSystem: FileSystem {
    private let root = Locked(MemoryDirectory(), rank: .directory)
    private let greatestFileSize: Int

    /// Creates an empty file system, which has only the root directory.
    /// - Parameter greatestFileSize: largest size of a file in bytes. Each file reserves that much address space. A
    ///   page takes memory from its first write on, until the file is freed; truncation gives none back.
    public init(greatestFileSize: Int = 16 << 30) {
        self.greatestFileSize = max(greatestFileSize, 4096)
    }

    /// Opens a file, as described at ``FileSystem/open(_:_:)``.
    public func open(_ path: String, _ mode: FileOpenMode) throws(FileSystemError) -> any File {
        let call = PathCall("open", path)
        let data = try root.withLock { root throws(FileSystemError) -> MemoryFileData in
            if mode != .createNew { return try root.file(call) }
            if try root.find(call) != nil { throw call.failure(Platform.fileExists) }
            return try make(call, in: &root)
        }
        return MemoryFile(path: path, data: data, isWritable: mode != .read)
    }

    /// Creates a directory, whose parent must exist.
    public func createDirectory(_ path: String) throws(FileSystemError) {
        let call = PathCall("create directory", path)
        try root.withLock { root throws(FileSystemError) in
            if try root.find(call) != nil { throw call.failure(Platform.fileExists) }
            try root.set(.directory(MemoryDirectory()), at: call)
        }
    }

    /// Returns the names of a directory's entries, in unspecified order.
    public func entries(of directory: String) throws(FileSystemError) -> [String] {
        let call = PathCall("read directory", directory)
        return try root.withLock { root throws(FileSystemError) in
            try root.directory(call).entries.keys.map { String(decoding: $0, as: UTF8.self) }
        }
    }

    /// Returns the attributes of the file or directory at a path; nil if there is none.
    public func attributes(of path: String) throws(FileSystemError) -> FileAttributes? {
        let call = PathCall("stat", path)
        return try root.withLock { root throws(FileSystemError) -> FileAttributes? in
            switch try root.find(call) {
            case .directory: return FileAttributes(size: 0, isDirectory: true)
            case .file(let data): return FileAttributes(size: data.size, isDirectory: false)
            case nil: return nil
            }
        }
    }

    /// Renames a file or a directory, and replaces a file or an empty directory that has the new name.
    public func rename(_ source: String, to destination: String) throws(FileSystemError) {
        let (call, target) = (PathCall("rename", source), PathCall("rename", destination))
        try root.withLock { root throws(FileSystemError) in
            guard let node = try root.find(call) else { throw call.failure(Platform.noSuchFile) }
            if let replaced = try root.find(target) {
                if replaced.isSame(as: node) || call.names == target.names { return }
                try Self.check(node, mayReplace: replaced, call)
            }
            if case .directory = node, target.names.starts(with: call.names) {
                throw call.failure(Platform.invalidArgument)
            }
            try root.set(node, at: target)
            try root.set(nil, at: call)
        }
    }

    /// Checks that a rename of `node` may replace `replaced`. Throws an error of `call` if not.
    private static func check(
        _ node: MemoryNode, mayReplace replaced: MemoryNode, _ call: PathCall
    ) throws(FileSystemError) {
        switch (node, replaced) {
        case (.file, .file): break
        case (.file, .directory): throw call.failure(Platform.isADirectory)
        case (.directory, .file): throw call.failure(Platform.notADirectory)
        case (.directory, .directory(let directory)):
            if !directory.entries.isEmpty { throw call.failure(Platform.directoryNotEmpty) }
        }
    }

    /// Gives a file a second name, which must be free.
    public func link(_ source: String, to destination: String) throws(FileSystemError) {
        let (call, target) = (PathCall("link", source), PathCall("link", destination))
        try root.withLock { root throws(FileSystemError) in
            guard let node = try root.find(call) else { throw target.failure(Platform.noSuchFile) }
            if try root.find(target) != nil { throw target.failure(Platform.fileExists) }
            guard case .file = node else { throw target.failure(Platform.notPermitted) }
            try root.set(node, at: target)
        }
    }

    /// Removes a file's name. An open or mapped file stays readable.
    public func remove(_ path: String) throws(FileSystemError) {
        let call = PathCall("remove", path)
        try root.withLock { root throws(FileSystemError) in
            _ = try root.file(call)
            try root.set(nil, at: call)
        }
    }

    /// Removes an empty directory.
    public func removeDirectory(_ path: String) throws(FileSystemError) {
        let call = PathCall("remove directory", path)
        try root.withLock { root throws(FileSystemError) in
            if try !root.directory(call).entries.isEmpty { throw call.failure(Platform.directoryNotEmpty) }
            try root.set(nil, at: call)
        }
    }

    /// Does nothing but check that the directory exists.
    public func syncDirectory(_ path: String) throws(FileSystemError) { _ = try entries(of: path) }

    /// Takes the lock of a file, as described at ``FileSystem/lock(_:exclusive:note:)``. As with `flock`, the lock
    /// belongs to the returned object, not to the process. A second call in this process conflicts as a call of another
    /// process would.
    public func lock(_ path: String, exclusive: Bool, note: String) throws(FileSystemError) -> any FileLock {
        let call = PathCall("lock", path)
        let data = try root.withLock { root throws(FileSystemError) -> MemoryFileData in
            if exclusive, try root.find(call) == nil { return try make(call, in: &root) }
            return try root.file(call)
        }
        guard data.lock(exclusive: exclusive) else {
            let owner = String(
                decoding: try MemoryFile(path: path, data: data, isWritable: false).readAll(), as: UTF8.self)
            var failure = call.failure(Platform.wouldBlock)
            failure.detail = owner.isEmpty ? "held by another" : "held by \(owner)"
            throw failure
        }
        let lock = MemoryFileLock(data, exclusive: exclusive) { [root] in
            let found = root.withLock { root in
                do { return try root.find(call) } catch { return nil }
            }
            guard case .file(let file) = found else { return false }
            return file === data
        }
        if exclusive {
            let file = MemoryFile(path: path, data: data, isWritable: true)
            try file.truncate(to: 0)
            try file.writeFully(Array(note.utf8), at: 0)
        }
        return lock
    }

    /// Creates an empty file at a path that is free.
    private func make(_ call: PathCall, in root: inout MemoryDirectory) throws(FileSystemError) -> MemoryFileData {
        guard let data = MemoryFileData(capacity: greatestFileSize) else { throw call.failure(Platform.errorNumber) }
        try root.set(.file(data), at: call)
        return data
    }
}

/// A lock of a file. ``release()``, or the end of the last reference, unlocks. It first clears the note of an exclusive
/// owner.
private final class MemoryFileLock: FileLock {
    private let data: Locked<MemoryFileData?>
    private let exclusive: Bool
    private let findsFile: @Sendable () -> Bool

    /// - Parameter findsFile: returns true if the path of the lock leads to the file.
    init(_ data: MemoryFileData, exclusive: Bool, findsFile: @escaping @Sendable () -> Bool) {
        self.data = Locked(data, rank: .file)
        self.exclusive = exclusive
        self.findsFile = findsFile
    }

    deinit { release() }

    func isInPlace() -> Bool { findsFile() }

    func release() {
        guard let data = data.withLock({ $0.take() }) else { return }
        // Only an exclusive owner writes a note, so only that owner clears it.
        if exclusive { data.resize(to: 0, shrinking: true) }
        data.unlock(exclusive: exclusive)
    }
}
