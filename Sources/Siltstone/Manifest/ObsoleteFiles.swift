/// Removes files that the manifest names no more, and holds removals back while a checkpoint links files or a
/// verification reads them.
///
/// A file goes as soon as the edit that drops it is durable, a flushed log a moment later. Readers that still have it open
/// or mapped keep its bytes: only the name goes, and the space once the last of them is done.
///
/// Whoever holds files back goes by their names, and so by the directory's lock: it is not given up before the last
/// hold has ended.
final class ObsoleteFiles: Sendable {
    private let directory: String
    private let fileSystem: any FileSystem
    private let state = Locked(State(), rank: .leaf)

    private struct State {
        var holds = 0
        /// Files that are removed once the last hold ends.
        var waiting: [StoreFile] = []
        /// Whether the store closes, and nobody may begin to hold any more.
        var refusesHolds = false
    }

    init(directory: String, fileSystem: any FileSystem) {
        self.directory = directory
        self.fileSystem = fileSystem
    }

    /// Removes files, now or when the last hold ends.
    ///
    /// A failure is not an error of the store: nothing refers to the file, and the next opening tries again.
    func remove(_ files: [StoreFile]) {
        let now = state.withLock { state in
            if state.holds == 0 { return files }
            state.waiting += files
            return []
        }
        unlink(now)
    }

    /// Keeps all files in place while `body` runs.
    /// - Throws: ``StoreError/Code/closed`` where the store closes already; or what `body` throws.
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
            // The hold goes on meanwhile: behind it the directory may be another's.
            unlink(files)
        }
    }

    /// Lets nobody begin to hold any more, and waits for those who do. Again: the same.
    func endHolds() {
        state.withLock { $0.refusesHolds = true }
        state.wait { $0.holds > 0 ? nil : () }
    }

    private func unlink(_ files: [StoreFile]) {
        for file in files {
            do {
                let path = file.path(in: directory)
                try fileSystem.retrying { () throws(FileSystemError) in try fileSystem.remove(path) }
            } catch { continue }  // see `remove`
        }
    }
}
