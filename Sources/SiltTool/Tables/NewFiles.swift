import Foundation

/// The files that appear in a directory from now on. Removes those of a new store after a failure.
struct NewFiles {
    private let path: String
    /// The earlier names; nil if the directory did not exist.
    private let before: Set<String>?

    /// - Parameter path: the directory; it need not exist.
    init(in path: String) {
        self.path = path
        before = Self.names(path)
    }

    /// Removes the new files. Failures are ignored, because the caller throws an earlier error.
    func remove() {
        guard let before else { return remove(path) }
        for name in Self.names(path) ?? [] where !before.contains(name) { remove(path + "/" + name) }
    }

    private func remove(_ path: String) {
        do { try FileManager.default.removeItem(atPath: path) } catch {}
    }

    private static func names(_ path: String) -> Set<String>? {
        do { return Set(try FileManager.default.contentsOfDirectory(atPath: path)) } catch { return nil }
    }
}
