import Foundation

/// The files that appear in a directory from now on: those of a store that is being made, to be removed where it fails.
struct NewFiles {
    private let path: String
    /// What was there before; nil where there was no directory.
    private let before: Set<String>?

    /// - Parameter path: the directory, which need not exist.
    init(in path: String) {
        self.path = path
        before = Self.names(path)
    }

    /// Removes what was not there before. What cannot be removed stays: the error that led here is the one to report.
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
