/// Removes files that the manifest names no more, and holds removals back while a checkpoint links files.
///
/// A file goes as soon as the edit that drops it is durable. Readers that still have it open or mapped keep its bytes:
/// only the name goes, and the space once the last of them is done.
final class ObsoleteFiles: Sendable {
    private struct State {
        var holds = 0
        var waiting: [StoreFile] = []
    }

    private let directory: String
    private let fileSystem: any FileSystem
    private let state = Locked(State())

    init(directory: String, fileSystem: any FileSystem) {
        self.directory = directory
        self.fileSystem = fileSystem
    }

    /// Removes files, now or when the last hold ends.
    ///
    /// A failure is not an error of the store: nothing refers to the file, and the next opening tries again.
    func remove(_ files: [StoreFile]) {
        let now = state.withLock { state in
            if state.holds > 0 {
                state.waiting += files
                return [StoreFile]()
            }
            return files
        }
        unlink(now)
    }

    /// Keeps all files in place until ``endHold()``.
    func beginHold() { state.withLock { $0.holds += 1 } }

    func endHold() {
        let files = state.withLock { state in
            state.holds -= 1
            guard state.holds == 0 else { return [StoreFile]() }
            let files = state.waiting
            state.waiting = []
            return files
        }
        unlink(files)
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
