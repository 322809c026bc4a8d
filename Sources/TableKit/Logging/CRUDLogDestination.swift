import Foundation

/// A destination of log events.
public enum CRUDLogDestination: Sendable {
    /// Discards events.
    case none
    /// The standard error. A program's output, which may be piped, stays its own.
    case console
    /// Appends each event as a line to the file at this path. Creates the file if it is missing.
    case file(String)
    /// Calls a closure on the log's queue, one event at a time.
    case custom(@Sendable (CRUDLogEvent) -> Void)

    func write(_ event: CRUDLogEvent) {
        switch self {
        case .none: break
        case .console: Self.printError("\(event)\n")
        case .file(let path):
            do { try Self.append("\(event)\n", to: path) } catch {
                Self.printError("\(event)\n(not written to \(path): \(error))\n")
            }
        case .custom(let code): code(event)
        }
    }

    private static func printError(_ text: String) {
        // Without a standard error, there is no place for an error of it.
        do { try FileHandle.standardError.write(contentsOf: Data(text.utf8)) } catch {}
    }

    private static func append(_ line: String, to path: String) throws {
        let url = URL(fileURLWithPath: path)
        guard FileManager.default.fileExists(atPath: path) else { return try Data(line.utf8).write(to: url) }
        let file = try FileHandle(forWritingTo: url)
        defer { file.closeFile() }
        _ = try file.seekToEnd()
        try file.write(contentsOf: Data(line.utf8))
    }
}
