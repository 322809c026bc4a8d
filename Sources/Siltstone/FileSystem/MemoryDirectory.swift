/// The target of a name in an ``InMemoryFileSystem``.
enum MemoryNode: Sendable {
    case file(MemoryFileData)
    case directory(MemoryDirectory)

    /// Returns true if two names are links to one file.
    func isSame(as other: MemoryNode) -> Bool {
        guard case (.file(let a), .file(let b)) = (self, other) else { return false }
        return a === b
    }
}

/// The entries of a directory. A tree of directories is one value, which its owner guards.
struct MemoryDirectory: Sendable {
    var entries: [String: MemoryNode] = [:]

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

    /// Runs `body` on the directory that contains the last name of the path of `call`.
    /// - Throws: `ENOENT` or `ENOTDIR` if there is no such directory, `EINVAL` for the root.
    mutating func change(
        _ call: PathCall, _ body: (inout MemoryDirectory, String) throws(FileSystemError) -> Void
    ) throws(FileSystemError) {
        guard let name = call.names.last else { throw call.failure(Platform.invalidArgument) }
        try descend(call, call.names.dropLast()) { (parent) throws(FileSystemError) in try body(&parent, name) }
    }

    /// Runs `body` on the directory to which `names` lead from this one, and stores the changed directories.
    private mutating func descend(
        _ call: PathCall, _ names: ArraySlice<String>, _ body: (inout MemoryDirectory) throws(FileSystemError) -> Void
    ) throws(FileSystemError) {
        guard let name = names.first else { return try body(&self) }
        switch entries[name] {
        case nil: throw call.failure(Platform.noSuchFile)
        case .file: throw call.failure(Platform.notADirectory)
        case .directory(var directory):
            try directory.descend(call, names.dropFirst(), body)
            entries[name] = .directory(directory)
        }
    }
}

/// A call on a path, for its errors, and the names in the path.
package struct PathCall {
    package let operation: String
    package let path: String
    /// The names from the root down, without `.` and `..`.
    package let names: [String]

    package init(_ operation: String, _ path: String) {
        self.operation = operation
        self.path = path
        var names: [String] = []
        for name in path.split(separator: "/") where name != "." {
            if name == ".." { _ = names.popLast() } else { names.append(String(name)) }
        }
        self.names = names
    }

    package func failure(_ number: Int32) -> FileSystemError {
        FileSystemError(operation, path: path, errorNumber: number)
    }
}
