import Foundation

extension Directory {
    /// A record in a temporary file, to be renamed.
    private struct StagedFile {
        let id: String
        let temporary: String
        let final: String
    }

    /// Stores records if `condition` allows it for each.
    /// - Parameters:
    ///   - records: several only if `condition` refuses identifiers that exist.
    ///   - condition: whether a record may be stored, given whether one exists.
    /// - Returns: the first identifier that `condition` refuses. Then nothing has changed.
    /// - Throws: ``CRUDRepositoryError/unknownOutcome(reason:)`` if records may have been stored. After other errors
    ///   nothing has changed.
    func write(_ records: [(id: String, record: Data)], where condition: (_ exists: Bool) -> Bool) throws -> String? {
        try prepare()
        var files: [StagedFile] = []
        defer { for file in files { SystemCalls.removeLeftover(file.temporary) } }
        // The slow part needs no lock.
        for (id, record) in records {
            let name = FileName.name(of: id)
            let file = StagedFile(id: id, temporary: path(FileName.temporary()), final: path(name))
            files.append(file)
            try SystemCalls.write(FileName.contents(record, id: id, name: name), to: file.temporary)
        }
        return try changing { directory in
            for file in files where !condition(try SystemCalls.exists(file.final)) { return file.id }
            for (number, file) in files.enumerated() {
                do { try SystemCalls.rename(file.temporary, to: file.final) } catch {
                    try takeBack(files[..<number], in: directory)
                    throw error
                }
            }
            return nil
        }
    }

    /// Removes records if all exist.
    /// - Returns: the first identifier that does not exist. Then nothing has changed.
    /// - Throws: ``CRUDRepositoryError/unknownOutcome(reason:)`` if records may have been removed. After other errors
    ///   nothing has changed.
    func remove(_ ids: [String]) throws -> String? {
        guard try SystemCalls.exists(path) else { return ids.first }
        return try changing { _ in
            let paths = ids.map { path(FileName.name(of: $0)) }
            for (id, path) in zip(ids, paths) where !(try SystemCalls.exists(path)) { return id }
            for (number, path) in paths.enumerated() {
                do { try SystemCalls.remove(path) } catch  where number > 0 {
                    // Renaming the files first could be undone, but it may need space on a full disk.
                    throw unknown("\(number) of \(paths.count) records have been removed.", after: error)
                }
            }
            return nil
        }
    }

    /// Runs `change` under the lock of the directory, then syncs the directory.
    /// - Parameter change: gets the open directory. It returns the identifier that prevents the change, or nil.
    private func changing(_ change: (_ directory: Int32) throws -> String?) throws -> String? {
        // Opened before the change: the error of too many open files must not follow it.
        try SystemCalls.withDirectory(path) { directory in
            let prevents = try locked { try change(directory) }
            if prevents != nil { return prevents }
            do { try SystemCalls.syncDirectory(directory, path) } catch {
                throw unknown("The change may not survive a crash.", after: error)
            }
            return nil
        }
    }

    /// Removes the new records of a batch after another error.
    private func takeBack(_ files: ArraySlice<StagedFile>, in directory: Int32) throws {
        if files.isEmpty { return }
        do {
            for file in files { try SystemCalls.remove(file.final) }
            try SystemCalls.syncDirectory(directory, path)
        } catch {
            throw unknown("A part of the records may be stored.", after: error)
        }
    }

    private func unknown(_ change: String, after error: any Error) -> CRUDRepositoryError {
        .unknownOutcome(reason: "\(change) \(error.localizedDescription)")
    }

    /// Runs `body` under the lock of the directory.
    private func locked<R>(_ body: () throws -> R) throws -> R {
        let descriptor = try SystemCalls.lock(path(FileName.lock))
        defer { SystemCalls.unlock(descriptor) }
        return try body()
    }

    // MARK: Before the first write

    /// Creates the directory. The first time, also makes the name of an existing one durable, and removes files that
    /// other processes have left.
    private func prepare() throws {
        if isPrepared.withLock({ $0 }), try SystemCalls.exists(path) { return }
        try SystemCalls.makeDirectories(path)
        try removeLeftovers()
        isPrepared.withLock { $0 = true }
    }

    /// Removes the temporary files of processes that died while they wrote: those older than a day. Younger ones may
    /// be in use.
    private func removeLeftovers() throws {
        let day = 24 * 60 * 60
        let limit = Int(Date().timeIntervalSince1970) - day
        for name in try SystemCalls.entries(path) where FileName.isTemporary(name) {
            let file = path(name)
            if let time = try SystemCalls.modificationTime(file), time < limit { SystemCalls.removeLeftover(file) }
        }
    }
}
