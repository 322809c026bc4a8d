/// Removes files that the manifest names no more, and holds removals back while a checkpoint links files or a
/// verification reads them.
///
/// A file goes as soon as the edit that drops it is durable, a flushed log a moment later. Readers that still have it open
/// or mapped keep its bytes: only the name goes, and the space once the last of them is done.
///
/// Whoever holds files back goes by their names, and so by the directory's lock: it is not given up before the last
/// hold has ended.
///
/// `@unchecked Sendable`: what is not constant is touched under `lock` only.
final class ObsoleteFiles: @unchecked Sendable {
    private let directory: String
    private let fileSystem: any FileSystem
    private let lock = ConditionLock(.leaf)
    private var holds = 0
    /// What is to be removed once the last hold ends.
    private var waiting: [StoreFile] = []
    /// Whether the store closes, and nobody may begin to hold any more.
    private var refusesHolds = false

    init(directory: String, fileSystem: any FileSystem) {
        self.directory = directory
        self.fileSystem = fileSystem
    }

    /// Removes files, now or when the last hold ends.
    ///
    /// A failure is not an error of the store: nothing refers to the file, and the next opening tries again.
    func remove(_ files: [StoreFile]) {
        let now = lock.withLock {
            if holds == 0 { return files }
            waiting += files
            return []
        }
        unlink(now)
    }

    /// Keeps all files in place while `body` runs.
    /// - Throws: ``StoreError/Code/closed`` where the store closes already; or what `body` throws.
    func holding<R>(_ body: () throws(StoreError) -> R) throws(StoreError) -> R {
        let isRefused = lock.withLock {
            if !refusesHolds { holds += 1 }
            return refusesHolds
        }
        if isRefused { throw StoreError(.closed, "the store is closed; open it again", file: directory) }
        defer { endHold() }
        return try body()
    }

    private func endHold() {
        while true {
            let files = lock.withLock { () -> [StoreFile] in
                defer { waiting = holds == 1 ? [] : waiting }
                if holds == 1, !waiting.isEmpty { return waiting }
                holds -= 1
                lock.wakeAll()
                return []
            }
            if files.isEmpty { return }
            // The hold goes on meanwhile: behind it the directory may be another's.
            unlink(files)
        }
    }

    /// Lets nobody begin to hold any more, and waits for those who do. Again: the same.
    func endHolds() {
        lock.withLock {
            refusesHolds = true
            while holds > 0 { lock.wait() }
        }
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
