import Siltstone

/// Copies the tree of a disk, including changes that are not durable.
struct DiskCopy {
    /// Makes the memory of a file.
    let makeMemory: () throws(FileSystemError) -> MemoryFileData

    private var files: [ObjectIdentifier: SimulatedInode] = [:]
    private var directories: [ObjectIdentifier: SimulatedDirectory] = [:]
    private var changes: [ObjectIdentifier: EntryChange] = [:]
    private var dependent: [EntryChange] = []

    init(makeMemory: @escaping () throws(FileSystemError) -> MemoryFileData) { self.makeMemory = makeMemory }

    /// Copies a directory and everything below it into an empty one.
    mutating func copy(_ source: SimulatedDirectory, to target: SimulatedDirectory) throws(FileSystemError) {
        directories[ObjectIdentifier(source)] = target
        for (name, node) in source.durable { target.load(name, try copy(node)) }
        for change in source.pending { try copy(change, to: target) }
    }

    private mutating func copy(_ node: SimulatedNode) throws(FileSystemError) -> SimulatedNode {
        switch node {
        case .file(let inode):
            if let known = files[ObjectIdentifier(inode)] { return .file(known) }
            let copy = inode.copy(into: try makeMemory())
            files[ObjectIdentifier(inode)] = copy
            return .file(copy)
        case .directory(let directory):
            if let known = directories[ObjectIdentifier(directory)] { return .directory(known) }
            let copy = SimulatedDirectory()
            try self.copy(directory, to: copy)
            return .directory(copy)
        }
    }

    private mutating func copy(_ change: EntryChange, to target: SimulatedDirectory) throws(FileSystemError) {
        var node: SimulatedNode?
        if let changed = change.node { node = try copy(changed) }
        changes[ObjectIdentifier(change)] = target.set(change.name, node)
        if change.prerequisite != nil { dependent.append(change) }
    }

    /// Links dependent changes after all have been copied.
    func connect() {
        for change in dependent {
            guard let needed = change.prerequisite, !needed.isDurable else { continue }
            changes[ObjectIdentifier(change)]?.prerequisite = changes[ObjectIdentifier(needed)]
        }
    }
}
