import Foundation
import Testing

@testable import Siltstone

/// A store of each form of files that releases have ever written, as its files are: `Tests/Fixtures/Format1` and so on.
///
/// What they hold is written here and never changes. When there is a next version, or a feature that files have from then
/// on, its fixture is made by the test "make the fixture" (``OldFormatTests``), and committed beside the others.
struct FormatFixture: Sendable, CustomTestStringConvertible {
    /// All there are.
    static let all = ["Format1", "Format1Digests", current].flatMap { form in
        ["closed", "crashed"].map { FormatFixture(form: form, name: $0) }
    }

    /// What this release writes: version 1, its segments with digests, the links of its logs with the synced end of the log
    /// before.
    static let current = "Format1Links"

    /// The folder, by the version and what was new.
    var form: String
    /// `closed` in good order, or `crashed`.
    var name: String

    var testDescription: String { "\(form), \(name)" }

    private static let folder = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Fixtures")

    /// The directory of the store.
    var path: String { Self.folder.appendingPathComponent(form).appendingPathComponent(name).path }

    /// The files as they were committed.
    func files() throws -> StoreFiles {
        var files = StoreFiles()
        for file in try FileManager.default.contentsOfDirectory(atPath: path) {
            files.entries[file] = .file([UInt8](try Data(contentsOf: URL(fileURLWithPath: path + "/" + file))))
        }
        return files
    }

    // MARK: What they hold

    /// What both hold.
    static let common: [String: String] = [
        "apple": "red", "banana": "yellow", "cherry": String(repeating: "dark ", count: 20), "date": "brown",
        "elderberry": "black", "fig": "changed in the log", "grape": String(repeating: "green ", count: 15),
        "": "the empty key", "zebra": "",
    ]

    /// What this one holds.
    var contents: [String: String] {
        name == "closed" ? Self.common : Self.common.merging(["honeydew": "in the log of a crash"]) { $1 }
    }

    /// Writes what ``contents`` says, in every way that there is.
    static func fill(_ path: String, _ configuration: Configuration, crashes: Bool) throws -> KeyValueStore {
        func put(_ store: KeyValueStore, _ key: String, _ value: String? = nil) throws {
            try store.put(key.utf8, (value ?? common[key] ?? "gone").utf8)
        }
        // A segment that is not compressed, at the bottom.
        var store = try KeyValueStore.open(at: path, configuration: configuration)
        for key in ["apple", "cherry", "fig", "removed", "range 1", "range 2", ""] { try put(store, key) }
        try store.compact()
        try store.close()
        // A compressed one above it, with tombstones of both kinds.
        var compressed = configuration
        compressed.compression = .deflate(level: 6)
        store = try KeyValueStore.open(at: path, configuration: compressed)
        for key in ["banana", "date", "elderberry", "also removed"] { try put(store, key) }
        try store.delete("removed".utf8)
        try store.deleteRange(from: "range".utf8, to: "rangf".utf8)
        try store.flush()
        // The log: changes of each kind, and a batch.
        try put(store, "fig")
        try put(store, "grape")
        var batch = WriteBatch()
        batch.put("zebra".utf8, "".utf8)
        batch.delete("also removed".utf8)
        try store.write(batch)
        guard crashes else {
            try store.close()
            return store
        }
        try put(store, "honeydew", "in the log of a crash")
        // The next log: a link that says how much of the log before was synced, and nothing else.
        try store.sync()
        try store.engine.beginNextLog()
        return store
    }
}
