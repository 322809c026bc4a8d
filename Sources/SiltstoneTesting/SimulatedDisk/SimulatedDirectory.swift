import Foundation
import Siltstone

/// What a name on a simulated disk stands for.
enum SimulatedNode {
    case file(SimulatedInode)
    case directory(SimulatedDirectory)

    /// Whether two names stand for the same.
    func isSame(as other: SimulatedNode) -> Bool {
        switch (self, other) {
        case (.file(let a), .file(let b)): a === b
        case (.directory(let a), .directory(let b)): a === b
        default: false
        }
    }
}

/// A change of one entry that no sync of its directory has covered.
///
/// `@unchecked Sendable`: used under the lock of the file system alone.
final class EntryChange: @unchecked Sendable {
    /// Where the entry is. Weak, as the directory holds its changes.
    private(set) weak var directory: SimulatedDirectory?
    let name: String
    /// What the name stands for then; nil where it is gone.
    let node: SimulatedNode?
    /// For the old name of a renamed file, the change that gives it the new one: it never goes alone, as then the file
    /// would have no name at all, which no file system does.
    var prerequisite: EntryChange?
    /// Whether it is on stable storage.
    fileprivate(set) var isDurable = false

    init(_ directory: SimulatedDirectory, _ name: String, _ node: SimulatedNode?, after prerequisite: EntryChange?) {
        self.directory = directory
        self.name = name
        self.node = node
        self.prerequisite = prerequisite
    }
}

/// A directory of a simulated disk.
///
/// `@unchecked Sendable`: used under the lock of the file system alone.
final class SimulatedDirectory: @unchecked Sendable {
    /// As processes see it.
    private(set) var entries: [String: SimulatedNode] = [:]
    private(set) var durable: [String: SimulatedNode] = [:]
    /// What no sync has covered, in the order in which it was done.
    private(set) var pending: [EntryChange] = []

    /// Changes an entry.
    /// - Returns: the change, which is not durable yet.
    @discardableResult
    func set(_ name: String, _ node: SimulatedNode?, after prerequisite: EntryChange? = nil) -> EntryChange {
        entries[name] = node
        let change = EntryChange(self, name, node, after: prerequisite)
        pending.append(change)
        return change
    }

    /// Adds what is on stable storage from the start.
    func load(_ name: String, _ node: SimulatedNode) {
        entries[name] = node
        durable[name] = node
    }

    /// Brings all changes to stable storage.
    func sync() {
        for change in pending { change.prerequisite.map { $0.directory?.settle($0) } }
        for change in pending { change.isDurable = true }
        durable = entries
        pending = []
    }

    /// Brings one change to stable storage, because another one is there that depends on it.
    private func settle(_ change: EntryChange) {
        guard !change.isDurable, let index = pending.firstIndex(where: { $0 === change }) else { return }
        durable[change.name] = change.node
        change.isDurable = true
        pending.removeAll { $0 === change }
        // Older changes of the same name have been overtaken.
        for older in pending[..<index] where older.name == change.name { older.isDurable = true }
        pending = pending.filter { !$0.isDurable }
    }

    /// What is found after a crash.
    /// - Parameter happened: whether a change that is not durable has happened.
    func survivors(_ happened: (EntryChange) -> Bool) -> [String: SimulatedNode] {
        var entries = durable
        for change in pending where happened(change) { entries[change.name] = change.node }
        return entries
    }
}

/// Walking paths.
extension SimulatedDirectory {
    /// What is at the path of `call`; nil where nothing is.
    /// - Throws: `ENOTDIR` where the path leads through a file.
    func find(_ call: PathCall) throws(FileSystemError) -> SimulatedNode? {
        try find(call, call.names[...])
    }

    private func find(_ call: PathCall, _ names: ArraySlice<String>) throws(FileSystemError) -> SimulatedNode? {
        var node = SimulatedNode.directory(self)
        for name in names {
            guard case .directory(let directory) = node else { throw call.failure(ENOTDIR) }
            guard let next = directory.entries[name] else { return nil }
            node = next
        }
        return node
    }

    /// The directory that holds the last name of the path of `call`, and that name.
    /// - Throws: `ENOENT` or `ENOTDIR` where there is no such directory, `EINVAL` for the root.
    func parent(_ call: PathCall) throws(FileSystemError) -> (SimulatedDirectory, String) {
        guard let name = call.names.last else { throw call.failure(EINVAL) }
        switch try find(call, call.names.dropLast()) {
        case .directory(let directory): return (directory, name)
        case .file: throw call.failure(ENOTDIR)
        case nil: throw call.failure(ENOENT)
        }
    }

    /// The file at the path of `call`.
    /// - Throws: `EISDIR` where it is a directory, `ENOENT` where nothing is.
    func file(_ call: PathCall) throws(FileSystemError) -> SimulatedInode {
        switch try find(call) {
        case .file(let inode): return inode
        case .directory: throw call.failure(EISDIR)
        case nil: throw call.failure(ENOENT)
        }
    }

    /// The directory at the path of `call`.
    /// - Throws: `ENOTDIR` where it is a file, `ENOENT` where nothing is.
    func directory(_ call: PathCall) throws(FileSystemError) -> SimulatedDirectory {
        switch try find(call) {
        case .directory(let directory): return directory
        case .file: throw call.failure(ENOTDIR)
        case nil: throw call.failure(ENOENT)
        }
    }
}
