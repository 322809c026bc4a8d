import Foundation

/// What a worker process is to do. Each round of each engine runs in a process of its own: its memory, its caches and
/// its death are its own.
struct WorkerOrder: Codable, Sendable {
    enum Task: String, Codable, Sendable {
        /// Runs all workloads.
        case measure
        /// Fills a database, and kills itself.
        case fillAndDie
    }

    var task: Task
    var options: Options
    var section: Section
    var engine: EngineKind
    var round: Int
    var directory: String
    /// The control group that bounds its memory.
    var memoryGroup: String?
}

/// What a worker says: a line of JSON each.
enum WorkerMessage: Codable, Sendable {
    case engine(EngineDescription)
    case measurement(Measurement)
    /// All that was measured so far has read what it should have, and left what it should have.
    case verified
    /// A database is filled.
    case filled
    case failure(String)

    /// The whole line.
    func line() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        return try encoder.encode(self) + Data("\n".utf8)
    }
}

/// An engine as it was measured.
struct EngineDescription: Codable, Sendable {
    var engine: EngineKind
    var version: String
    var options: String
    /// Which build of the library: its file, and whether its assertions are on.
    var build: String
}
