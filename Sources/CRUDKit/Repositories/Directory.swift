import Foundation

/// A directory of records: what ``FileSystemRepository`` does on the disk. Every call may wait.
///
/// A record comes into being under another name, is brought to stable storage, and is then renamed: readers see the old
/// one or the new one, and after a crash there is one of both. Writers look and rename under a lock of the directory,
/// which keeps out other processes and other repositories of this one.
struct Directory: Sendable {
    let path: String

    private func path(_ name: String) -> String { "\(path)/\(name)" }

    // MARK: Reading

    /// The record of an identifier; nil where there is none.
    func record(_ id: String) throws -> Data? {
        let name = FileName.name(of: id)
        guard let contents = try SystemCalls.read(path(name)) else { return nil }
        guard FileName.isLong(name) else { return contents }
        guard let parts = FileName.parts(ofLong: contents), haveSameUTF8(parts.id, id) else {
            throw CRUDRepositoryError.databaseError(reason: "The file \(path(name)) is damaged.")
        }
        return parts.record
    }

    /// Whether there is a record.
    func exists(_ id: String) throws -> Bool { try SystemCalls.exists(path(FileName.name(of: id))) }

    /// All identifiers, in no order.
    func ids() throws -> [String] {
        var ids: [String] = []
        for name in try SystemCalls.entries(path) {
            if let id = FileName.id(of: name) {
                ids.append(id)
            } else if FileName.isLong(name), let contents = try SystemCalls.read(path(name)) {
                guard let parts = FileName.parts(ofLong: contents) else {
                    throw CRUDRepositoryError.databaseError(reason: "The file \(path(name)) is damaged.")
                }
                ids.append(parts.id)
            }
        }
        return ids
    }

    // MARK: Writing

    /// Stores records, if `condition` allows it for each.
    /// - Parameter condition: whether a record may be stored, by whether there is one.
    /// - Returns: the first identifier for which it may not. Then nothing has changed.
    func write(_ records: [(id: String, record: Data)], where condition: (_ exists: Bool) -> Bool) throws -> String? {
        try SystemCalls.makeDirectories(path)
        var files: [(id: String, temporary: String, final: String)] = []
        defer { for file in files { SystemCalls.removeLeftover(file.temporary) } }
        for (id, record) in records {
            let name = FileName.name(of: id)
            let temporary = path(FileName.temporary())
            files.append((id, temporary, path(name)))
            try SystemCalls.write(FileName.contents(record, id: id, name: name), to: temporary)
        }
        // The slow part is done: only now does anyone have to wait.
        let refused: String? = try locked {
            for file in files where !condition(try SystemCalls.exists(file.final)) { return file.id }
            for file in files { try SystemCalls.rename(file.temporary, to: file.final) }
            return nil
        }
        if refused == nil { try SystemCalls.syncDirectory(path) }
        return refused
    }

    /// Removes records, if all exist.
    /// - Returns: the first identifier that does not. Then nothing has changed.
    func remove(_ ids: [String]) throws -> String? {
        guard try SystemCalls.exists(path) else { return ids.first }
        let missing: String? = try locked {
            let paths = ids.map { path(FileName.name(of: $0)) }
            for (id, path) in zip(ids, paths) where !(try SystemCalls.exists(path)) { return id }
            for path in paths { try SystemCalls.remove(path) }
            return nil
        }
        if missing == nil { try SystemCalls.syncDirectory(path) }
        return missing
    }

    /// Runs `body` while no other writer of the directory does.
    private func locked<R>(_ body: () throws -> R) throws -> R {
        let descriptor = try SystemCalls.lock(path(FileName.lock))
        defer { SystemCalls.unlock(descriptor) }
        return try body()
    }
}
