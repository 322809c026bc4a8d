import Foundation
import Testing

/// The tool as a process of its own, as its users have it.
enum Silt {
    /// What a run leaves.
    struct Result {
        var status: Int32
        var output: [UInt8]
        var errors: String

        var text: String { String(decoding: output, as: UTF8.self) }
    }

    /// The binary beside the tests' own: `swift test` builds both into one directory.
    static func binary() throws -> String {
        #if os(Linux)
        let beside = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
        #else
        let bundle = try #require(Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") })
        let beside = bundle.bundleURL.deletingLastPathComponent()
        #endif
        return beside.appendingPathComponent("silt").path
    }

    /// Runs the tool.
    static func run(_ arguments: String..., input: [UInt8] = []) throws -> Result {
        try run(program: binary(), arguments, input: input)
    }

    /// Runs a line of shell, in which `$SILT` is the tool and `$0` the first of `arguments`.
    static func shell(_ line: String, _ arguments: String...) throws -> Result {
        try run(program: "/bin/sh", ["-c", line] + arguments, input: [])
    }

    private static func run(program: String, _ arguments: [String], input: [UInt8]) throws -> Result {
        // Files instead of pipes: a pipe that nobody drains stops its writer.
        let directory = try TemporaryDirectory()
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        let binary = try binary()
        let beside = URL(fileURLWithPath: binary).deletingLastPathComponent().path
        process.environment = [
            "SILT": binary, "PATH": "\(beside):/usr/bin:/bin", "TMPDIR": directory.path, "LC_ALL": "C",
        ]
        process.standardInput = try handle(directory.write("input", input), isOutput: false)
        process.standardOutput = try handle(directory.write("output", []), isOutput: true)
        process.standardError = try handle(directory.write("errors", []), isOutput: true)
        try process.run()
        process.waitUntilExit()
        return Result(
            status: process.terminationStatus, output: try directory.read("output"),
            errors: String(decoding: try directory.read("errors"), as: UTF8.self))
    }

    private static func handle(_ path: String, isOutput: Bool) throws -> FileHandle {
        try isOutput
            ? FileHandle(forWritingTo: URL(fileURLWithPath: path))
            : FileHandle(forReadingFrom: URL(fileURLWithPath: path))
    }
}

extension Silt.Result {
    /// Holds the run to an exit status, and to an error of one line exactly where it failed.
    func expect(status: Int32, error: String = "", sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(self.status == status, "\(errors)", sourceLocation: sourceLocation)
        if status == 0 {
            #expect(errors == "", sourceLocation: sourceLocation)
        } else {
            #expect(errors.hasPrefix("silt: "), "\(errors)", sourceLocation: sourceLocation)
            #expect(errors.split(separator: "\n").count == 1, "\(errors)", sourceLocation: sourceLocation)
            #expect(error.isEmpty || errors.contains(error), "\(errors)", sourceLocation: sourceLocation)
        }
    }
}
