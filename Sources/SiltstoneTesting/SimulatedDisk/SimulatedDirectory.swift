import Foundation
import Siltstone

/// The file or directory under a name of a simulated disk.
enum SimulatedNode {
    case file(SimulatedInode)
    case directory(SimulatedDirectory)

    /// Whether two names mean the same file or directory.
    func isSame(as other: SimulatedNode) -> Bool {
        switch (self, other) {
        case (.file(let a), .file(let b)): a === b
        case (.directory(let a), .directory(let b)): a === b
        default: false
        }
    }
}

/// A change of a directory entry before a sync of the directory.
///
/// `@unchecked Sendable`: used under the file system's lock only.
final class EntryChange: @unchecked Sendable {
    /// The directory of the entry. Weak, because the directory retains its changes.
    private(set) weak var directory: SimulatedDirectory?
    let name: String
    /// The file or directory under the name after the change; nil if the name is removed.
    let node: SimulatedNode?
    /// For the removal of a renamed file's old name: the change that adds its new name. The removal never survives
    /// alone, because the file would then have no name, which no file system allows.
    var prerequisite: EntryChange?
    /// Whether the change is on stable storage.
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
/// `@unchecked Sendable`: used under the file system's lock only.
final class SimulatedDirectory: @unchecked Sendable {
    /// The entries that processes see.
    private(set) var entries: [String: SimulatedNode] = [:]
    private(set) var durable: [String: SimulatedNode] = [:]
    /// Changes since the last sync, in order.
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

    /// Adds an entry that is on stable storage from the start.
    func load(_ name: String, _ node: SimulatedNode) {
        entries[name] = node
        durable[name] = node
    }

    /// Makes all changes durable.
    func sync() {
        for change in pending { change.prerequisite.map { $0.directory?.settle($0) } }
        for change in pending { change.isDurable = true }
        durable = entries
        pending = []
    }

    /// Makes one change durable because a durable change depends on it.
    private func settle(_ change: EntryChange) {
        guard !change.isDurable, let index = pending.firstIndex(where: { $0 === change }) else { return }
        durable[change.name] = change.node
        change.isDurable = true
        pending.removeAll { $0 === change }
        // Replaces older changes of the same name.
        for older in pending[..<index] where older.name == change.name { older.isDurable = true }
        pending = pending.filter { !$0.isDurable }
    }

    /// The entries after a crash.
    /// - Parameter happened: whether a change that is not durable survives.
    func survivors(_ happened: (EntryChange) -> Bool) -> [String: SimulatedNode] {
        var entries = durable
        for change in pending where happened(change) { entries[change.name] = change.node }
        return entries
    }
}

/// Path look-ups.
extension SimulatedDirectory {
    /// The file or directory at the path of `call`; nil if it does not exist.
    /// - Throws: `ENOTDIR` if the path leads through a file.
    func find(_ call: PathCall) throws(FileSystemError) -> SimulatedNode? {
        try find(call, call.names[...])
    }

    private func find(_ call: PathCall, _ names: ArraySlice<[UInt8]>) throws(FileSystemError) -> SimulatedNode? {
        var node = SimulatedNode.directory(self)
        for name in names {
            guard case .directory(let directory) = node else { throw call.failure(ENOTDIR) }
            guard let next = directory.entries[String(decoding: name, as: UTF8.self)] else { return nil }
            node = next
        }
        return node
    }

    /// The parent directory of the path of `call`, and the last name.
    /// - Throws: `ENOENT` or `ENOTDIR` if the directory does not exist, `EINVAL` for the root.
    func parent(_ call: PathCall) throws(FileSystemError) -> (SimulatedDirectory, String) {
        guard let name = call.names.last else { throw call.failure(EINVAL) }
        switch try find(call, call.names.dropLast()) {
        case .directory(let directory): return (directory, String(decoding: name, as: UTF8.self))
        case .file: throw call.failure(ENOTDIR)
        case nil: throw call.failure(ENOENT)
        }
    }

    /// The file at the path of `call`.
    /// - Throws: `EISDIR` for a directory, `ENOENT` if it does not exist.
    func file(_ call: PathCall) throws(FileSystemError) -> SimulatedInode {
        switch try find(call) {
        case .file(let inode): return inode
        case .directory: throw call.failure(EISDIR)
        case nil: throw call.failure(ENOENT)
        }
    }

    /// The directory at the path of `call`.
    /// - Throws: `ENOTDIR` for a file, `ENOENT` if it does not exist.
    func directory(_ call: PathCall) throws(FileSystemError) -> SimulatedDirectory {
        switch try find(call) {
        case .directory(let directory): return directory
        case .file: throw call.failure(ENOTDIR)
        case nil: throw call.failure(ENOENT)
        }
    }
}
