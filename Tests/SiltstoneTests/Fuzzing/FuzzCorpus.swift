import Foundation

/// The inputs that are kept in the repository: those to begin with, and every one that has ever broken something.
enum FuzzCorpus {
    /// One input.
    struct Input: Sendable, CustomStringConvertible {
        var target: FuzzTarget
        /// `bug-…` for what broke something, `found-…` for what a run of libFuzzer has left there and nobody has named yet.
        var name: String
        var bytes: [UInt8]

        var description: String { "\(target.rawValue)/\(name)" }

        /// Whether it is one to begin with, from which others are made.
        var isSeed: Bool { !name.hasPrefix("bug-") && !name.hasPrefix("found-") }
    }

    private static let directory = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Fuzzing/Corpus")

    /// All inputs for a target, by name.
    static func inputs(for target: FuzzTarget) throws -> [Input] {
        let folder = directory.appendingPathComponent(target.rawValue)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        return try names.map { name in
            Input(target: target, name: name, bytes: [UInt8](try Data(contentsOf: folder.appendingPathComponent(name))))
        }
    }
}
