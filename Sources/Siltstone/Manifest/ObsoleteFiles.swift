/// Removes files that the manifest does not name any more. Defers the removals while a checkpoint links files or a
/// verification reads them.
///
/// A file is removed as soon as the edit that drops it is durable; a flushed log follows a moment later. Readers that
/// still have the file open or mapped keep its bytes. Removal takes only the name; the file system frees the space
/// after the last reader.
///
/// A checkpoint or verification reaches files by name, and relies on the directory's lock. So the store releases that
/// lock only after the last hold has ended.
final class ObsoleteFiles: Sendable {
    private let directory: String
    private let fileSystem: any FileSystem
    private let state = Locked(State(), rank: .leaf)

    private struct State {
        /// Number of ``holding(_:)`` calls that are running.
        var holds = 0
        /// Files to remove when the last hold ends.
        var waiting: [StoreFile] = []
        /// True once the store is closing: no new hold may start.
        var refusesHolds = false
    }

    init(directory: String, fileSystem: any FileSystem) {
        self.directory = directory
        self.fileSystem = fileSystem
    }

    /// Removes files, now or when the last hold ends.
    ///
    /// A failure is not an error of the store, because nothing refers to the file, and the next opening tries again.
    func remove(_ files: [StoreFile]) {
        let now = state.withLock { state in
            if state.holds == 0 { return files }
            state.waiting += files
            return []
        }
        unlink(now)
    }

    /// Runs `body`, and keeps all logs, segments and value files in place meanwhile. Replaced manifests are removed.
    /// - Throws: ``StoreError/Code/closed`` if the store is closing already; any error that `body` throws.
    func holding<R>(_ body: () throws(StoreError) -> R) throws(StoreError) -> R {
        let isRefused = state.withLock { state in
            if !state.refusesHolds { state.holds += 1 }
            return state.refusesHolds
        }
        if isRefused { throw StoreError(.closed, "the store is closed; open it again", file: directory) }
        defer { endHold() }
        return try body()
    }

    private func endHold() {
        while true {
            let files = state.withLock { state -> [StoreFile] in
                let isLast = state.holds == 1
                if isLast, !state.waiting.isEmpty {
                    defer { state.waiting = [] }
                    return state.waiting
                }
                state.holds -= 1
                return []
            }
            if files.isEmpty { return state.wakeAll() }
            // Removes the files before it ends the hold, because afterwards the directory may belong to another store.
            unlink(files)
        }
    }

    /// Refuses new holds, and waits until the present ones have ended. A second call does the same.
    func endHolds() {
        state.withLock { $0.refusesHolds = true }
        state.wait { $0.holds > 0 ? nil : () }
    }

    private func unlink(_ files: [StoreFile]) {
        for file in files {
            do {
                let path = file.path(in: directory)
                try retrying(fileSystem.remove(path))
            } catch { continue }  // see `remove`
        }
    }
}
