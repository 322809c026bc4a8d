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
    var state = State.written
    /// Bytes of lists that the harness holds for the workload under way, and of the model.
    var workingBytes: Int { model.count * MemoryLayout<UInt8>.stride + listed * MemoryLayout<UInt32>.stride }
    /// Length of the list that the workload under way holds.
    private var listed = 0
    private var isOpen = true
    /// Whether all of it was looked at since it was changed or opened.
    var isPreloaded = false

    /// What was done to it last, as far as reads tell the difference.
    enum State {
        case written, filledInOrder, compacted

        /// Behind the label of a workload that reads.
        var suffix: String {
            switch self {
            case .written: ""
            case .filledInOrder: ":afterfillseq"
            case .compacted: ":compacted"
            }
        }
    }

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

    /// Makes room in the model for indices below `count`.
    /// - Parameter listed: length of a list of indices that the workload holds beside.
    func reserve(_ count: Int, listed: Int = 0) {
        model.reserve(count)
        self.listed = listed
    }

    /// The lists of the workload before are gone.
    func forgetLists() { listed = 0 }

    /// Looks at everything once, unmeasured, where that has not been done since it was last changed: no engine shall pay for
    /// the first look at its files in a workload that reads, nor another one have that done in the background.
    func preload() throws {
        guard !isPreloaded else { return }
        _ = try Self.scanAll(try engine.makeSession(), reverse: false)
        isPreloaded = true
    }

    /// Bytes of the keys and values that it should hold.
    var liveBytes: Int {
        guard keys == .paths else { return model.liveCount * (keys.keyBytes + settings.valueBytes) }
        let maker = KeyMaker(keys)
        return (0..<model.count).reduce(0) { sum, index in
            model.stamp(index) == nil ? sum : sum + maker.key(index).count + settings.valueBytes
        }
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
        isPreloaded = false
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
