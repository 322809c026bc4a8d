import Foundation

/// An open engine, and what is known of what it holds.
final class Database<E: Engine>: @unchecked Sendable {
    // `@unchecked`: engine and model may be shared as they say themselves; all other state is used by the one thread
    // that runs the workloads, between them.

    let directory: String
    /// Changed only while the database is closed.
    var settings: EngineSettings
    let keys: KeySpace
    let model: Model
    private(set) var engine: E
    /// Whether nothing was written since a compaction.
    var isCompacted = false
    private var isOpen = true

    /// Makes an empty one.
    init(directory: String, settings: EngineSettings, keys: KeySpace) throws {
        self.directory = directory
        self.settings = settings
        self.keys = keys
        model = Model(capacity: 0)
        try Self.clear(directory)
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        engine = try E(directory: directory, settings: settings)
    }

    /// Opens one that is there.
    init(opening directory: String, settings: EngineSettings, keys: KeySpace, model: Model) throws {
        self.directory = directory
        self.settings = settings
        self.keys = keys
        self.model = model
        engine = try E(directory: directory, settings: settings)
    }

    /// Closes it.
    func close() throws {
        guard isOpen else { return }
        isOpen = false
        try engine.close()
    }

    /// Opens it again after ``close()``.
    func reopen() throws {
        engine = try E(directory: directory, settings: settings)
        isOpen = true
    }

    /// Closes it and removes its files.
    func discard() throws {
        try close()
        try Self.clear(directory)
    }

    private static func clear(_ directory: String) throws {
        if FileManager.default.fileExists(atPath: directory) { try FileManager.default.removeItem(atPath: directory) }
    }
}
