/// The target of a name in an ``InMemoryFileSystem``.
enum MemoryNode: Sendable {
    case file(MemoryFileData)
    case directory(MemoryDirectory)

    /// Returns true if both nodes are the same file, under one name or as links. Always false for directories. A rename
    /// of a file to another of its links does nothing.
    func isSame(as other: MemoryNode) -> Bool {
        guard case (.file(let a), .file(let b)) = (self, other) else { return false }
        return a === b
    }
}

/// The entries of a directory. Subdirectories are stored by value, so the owner of the root guards the complete tree.
struct MemoryDirectory: Sendable {
    /// By the UTF-8 bytes of the names, as ``PathCall/names`` has them.
    var entries: [[UInt8]: MemoryNode] = [:]

    /// Returns the node at the path of `call`; nil if there is none.
    /// - Throws: `ENOTDIR` if the path leads through a file.
    func find(_ call: PathCall) throws(FileSystemError) -> MemoryNode? {
        var node = MemoryNode.directory(self)
        for name in call.names {
            guard case .directory(let directory) = node else { throw call.failure(Platform.notADirectory) }
            guard let next = directory.entries[name] else { return nil }
            node = next
        }
        return node
    }

    /// Returns the file at the path of `call`.
    /// - Throws: `ENOENT`, `ENOTDIR` or `EISDIR` if there is none.
    func file(_ call: PathCall) throws(FileSystemError) -> MemoryFileData {
        switch try find(call) {
        case .file(let data): return data
        case .directory: throw call.failure(Platform.isADirectory)
        case nil: throw call.failure(Platform.noSuchFile)
        }
    }

    /// Returns a copy of the directory at the path of `call`.
    /// - Throws: `ENOENT` or `ENOTDIR` if there is none.
    func directory(_ call: PathCall) throws(FileSystemError) -> MemoryDirectory {
        switch try find(call) {
        case .directory(let directory): return directory
        case .file: throw call.failure(Platform.notADirectory)
        case nil: throw call.failure(Platform.noSuchFile)
        }
    }

    /// Sets the node at the path of `call`, or removes it if `node` is nil.
    /// - Throws: `ENOENT` or `ENOTDIR` if there is no directory for it, `EINVAL` for the root.
    mutating func set(_ node: MemoryNode?, at call: PathCall) throws(FileSystemError) {
        try set(node, call.names[...], call)
    }

    private mutating func set(
        _ node: MemoryNode?, _ names: ArraySlice<[UInt8]>, _ call: PathCall
    ) throws(FileSystemError) {
        guard let name = names.first else { throw call.failure(Platform.invalidArgument) }
        guard names.count > 1 else { return entries[name] = node }
        switch entries[name] {
        case nil: throw call.failure(Platform.noSuchFile)
        case .file: throw call.failure(Platform.notADirectory)
        case .directory(var directory):
            try directory.set(node, names.dropFirst(), call)
            entries[name] = .directory(directory)
        }
    }
}

/// The path of a file system call, split into names. Makes the errors of the call.
package struct PathCall {
    /// The name of the call, for errors.
    package let operation: String
    package let path: String
    /// The names from the root down, without `.` and `..`, in UTF-8. Linux compares names by their bytes. Strings would
    /// be equal if they are canonically equivalent, such as "é" and "e" with a combining accent.
    package let names: [[UInt8]]

    package init(_ operation: String, _ path: String) {
        self.operation = operation
        self.path = path
        var names: [[UInt8]] = []
        for name in path.utf8.split(separator: UInt8(ascii: "/")) where !name.elementsEqual(".".utf8) {
            if name.elementsEqual("..".utf8) { _ = names.popLast() } else { names.append(Array(name)) }
        }
        self.names = names
    }

    package func failure(_ number: Int32) -> FileSystemError {
        FileSystemError(operation, path: path, errorNumber: number)
    }
}
