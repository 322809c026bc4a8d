import Foundation

/// The files of a store that this process creates in a directory. Removes them after a failure.
///
/// Others may create a store in the same directory at the same time. The caller holds the lock of a store that it has
/// created itself while it removes the files.
struct NewFiles {
    private let path: String
    /// Whether this process made the directory.
    private let madeDirectory: Bool
    /// The earlier names.
    private let before: Set<String>

    /// Makes the directory if there is none. After a failure, opening the store reports the same one.
    /// - Parameter path: the directory.
    init(in path: String) {
        self.path = path
        // With the rights that the engine gives it.
        do {
            try System.makeDirectory(path, mode: 0o755)
            madeDirectory = true
        } catch { madeDirectory = false }
        before = Self.names(path)
    }

    /// Removes the new files of a store without changes. Failures are ignored, because the caller throws an earlier
    /// error.
    func remove() {
        // A process killed in between leaves what an interrupted creation leaves. The lock comes last: without it,
        // another process may create its own files.
        let names = Self.names(path).subtracting(before)
        let files = names.filter { $0.hasSuffix(".manifest") || $0.hasSuffix(".log") }.sorted()
        for name in ["CURRENT"] + files + ["LOCK"] where names.contains(name) { System.removeFile(path + "/" + name) }
        removeEmptyDirectory()
    }

    /// Removes the directory if this process made it and nothing is in it.
    func removeEmptyDirectory() {
        if madeDirectory { System.removeEmptyDirectory(path) }
    }

    private static func names(_ path: String) -> Set<String> {
        do { return Set(try FileManager.default.contentsOfDirectory(atPath: path)) } catch { return [] }
    }
}
