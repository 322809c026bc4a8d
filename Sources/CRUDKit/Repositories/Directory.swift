import Foundation

/// A directory of records: the blocking file operations of ``FileSystemRepository``.
///
/// A record is written to a temporary file, synced, and then renamed. Readers see the old record or the new one, also
/// after a crash. Writers check and rename under a lock of the directory, which excludes other processes and other
/// repositories of this one.
struct Directory: Sendable {
    let path: String

    private func path(_ name: String) -> String { "\(path)/\(name)" }

    // MARK: Reading

    /// The record of an identifier; nil if there is none.
    func record(_ id: String) throws -> Data? {
        let name = FileName.name(of: id)
        guard let contents = try SystemCalls.read(path(name)) else { return nil }
        guard FileName.isLong(name) else { return contents }
        guard let parts = FileName.parts(ofLong: contents), haveSameUTF8(parts.id, id) else {
            throw CRUDRepositoryError.databaseError(reason: "The file \(path(name)) is damaged.")
        }
        return parts.record
    }

    /// Whether a record exists.
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

    /// Stores records if `condition` allows it for each.
    /// - Parameter condition: whether a record may be stored, given whether one exists.
    /// - Returns: the first identifier that `condition` refuses. Then nothing has changed.
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
        // The slow part needs no lock.
        let refused: String? = try locked {
            for file in files where !condition(try SystemCalls.exists(file.final)) { return file.id }
            for file in files { try SystemCalls.rename(file.temporary, to: file.final) }
            return nil
        }
        if refused == nil { try SystemCalls.syncDirectory(path) }
        return refused
    }

    /// Removes records if all exist.
    /// - Returns: the first identifier that does not exist. Then nothing has changed.
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

    /// Runs `body` under the lock of the directory.
    private func locked<R>(_ body: () throws -> R) throws -> R {
        let descriptor = try SystemCalls.lock(path(FileName.lock))
        defer { SystemCalls.unlock(descriptor) }
        return try body()
    }
}
