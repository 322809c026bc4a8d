import Foundation

@testable import CrashChild

/// The reader in Python (`Tests/IndependentReader`), which knows `Docs/Format.md` and nothing of the engine.
enum IndependentReader {
    /// What it makes of a store.
    enum Outcome: Equatable {
        case records([[UInt8]: [UInt8]])
        /// It refuses the store, and says why.
        case damaged(String)
    }

    struct Failure: Error, CustomStringConvertible {
        var description: String
    }

    private struct Line: Decodable {
        var key: Data
        var value: Data

        enum CodingKeys: String, CodingKey {
            case key = "key_base64"
            case value = "value_base64"
        }
    }

    private static let script = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("IndependentReader/read_store.py").path

    /// Whether there is a Python 3 to run it.
    static let isAvailable: Bool = {
        do { return try python(["--version"]).status == 0 } catch { return false }
    }()

    /// Reads a store that nobody has open.
    static func read(_ store: String) throws -> Outcome {
        let (status, output, errors) = try python([script, store])
        if status == 4 { return .damaged(String(decoding: errors, as: UTF8.self)) }
        guard status == 0 else { throw Failure(description: String(decoding: errors, as: UTF8.self)) }
        var records: [[UInt8]: [UInt8]] = [:]
        var last: [UInt8]?
        let decoder = JSONDecoder()
        for text in [UInt8](output).split(separator: UInt8(ascii: "\n")) {
            let line = try decoder.decode(Line.self, from: Data(text))
            let key = [UInt8](line.key)
            if let last, !last.precedes(key) {
                throw Failure(description: "the keys are not in order")
            }
            records[key] = [UInt8](line.value)
            last = key
        }
        return .records(records)
    }

    private static func python(_ arguments: [String]) throws -> (status: Int32, output: Data, errors: Data) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3"] + arguments
        process.environment = ProcessInfo.processInfo.environment.merging(["PYTHONDONTWRITEBYTECODE": "1"]) { $1 }
        let (output, errors) = (Pipe(), Pipe())
        process.standardOutput = output
        process.standardError = errors
        try process.run()
        // What it has to say to the second is a line: it cannot fill that pipe while the first is read.
        let outputData = output.fileHandleForReading.readDataToEndOfFile()
        let errorData = errors.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, outputData, errorData)
    }
}
