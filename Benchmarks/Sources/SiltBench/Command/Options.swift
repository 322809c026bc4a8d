import Foundation

/// What the command line asks for.
struct Options: Codable, Sendable {
    var engines: [EngineKind] = EngineKind.available
    var sections: [Section] = []
    /// Rounds: how often everything is measured.
    var rounds = 3
    /// Bytes of memory that are touched and freed before each workload that writes.
    var prewarmBytes = 1 << 30
    /// Whether to find out what it costs a program to have the engine in it.
    var isEmbedding = false
    /// Where databases are made.
    var directory = FileManager.default.temporaryDirectory.path + "/silt-bench"
    /// Results of earlier runs, to be reported instead of a new one.
    var inputPaths: [String] = []
    /// Where the results go, beside the terminal.
    var jsonPath: String?
    var htmlPath: String?
    var markdownPath: String?
    var plotsPath: String?
}
