import CRUDKit
import Siltstone
import TableKit

/// The exit status of the tool.
enum ExitCode: Int32, Sendable, CaseIterable {
    /// Done.
    case success = 0
    /// The key or table is missing, `verify` found damage, or `move` found a difference.
    case negative = 1
    /// The command line, the input or a statement is wrong, a row breaks a constraint, there is no store at the path, or a
    /// destination cannot be used.
    case usage = 2
    /// Another process owns the store, or moves into the same target.
    case locked = 3
    /// The store is damaged, or its format is unknown to this release.
    case corrupt = 4
    /// A system call failed: no permission, no space, a failing disk, a broken output.
    case inputOutput = 5
    /// The reader of the output has closed it: the status of a process that `SIGPIPE` ends.
    case brokenPipe = 141

    /// The status for an error of the engine.
    init(_ code: StoreError.Code) {
        switch code {
        case .locked: self = .locked
        case .corrupt, .unsupportedFormat: self = .corrupt
        // A missing store is a wrong path. A script that asks for a key must be able to tell it from a missing key.
        case .notFound, .notAStore, .tooLarge, .invalidArgument, .readOnly, .closed: self = .usage
        default: self = .inputOutput
        }
    }
}

/// A failure of the tool itself.
struct ToolError: Error {
    var exitCode: ExitCode
    var message: String

    init(_ exitCode: ExitCode, _ message: String) {
        self.exitCode = exitCode
        self.message = message
    }

    /// An error of the command line.
    /// - Parameter command: the command with the relevant help.
    static func usage(_ message: String, command: String? = nil) -> ToolError {
        let help = command.map { "silt \($0) --help" } ?? "silt --help"
        return ToolError(.usage, (command.map { "\($0): " } ?? "") + message + "; see '\(help)'")
    }
}

/// Any error as one line and an exit status.
struct Failure {
    var exitCode: ExitCode
    /// The error, without the tool's name before it.
    var message: String

    init(_ error: any Error) {
        switch error {
        case let error as ToolError:
            (exitCode, message) = (error.exitCode, error.message)
        case let error as SystemError:
            (exitCode, message) = (error.isBrokenPipe ? .brokenPipe : .inputOutput, error.description)
        case let error as StoreError:
            exitCode = ExitCode(error.code)
            let offset = error.offset.map { ", offset \($0)" } ?? ""
            message = error.message + (error.file.map { " [\($0)\(offset)]" } ?? "")
        case let error as any TableError:
            (exitCode, message) = (ExitCode(error.code), error.description)
        case let error as CRUDRepositoryError:
            (exitCode, message) = (ExitCode(error), error.errorDescription ?? "\(error)")
        default:
            (exitCode, message) = (.inputOutput, "\(error)")
        }
    }

    /// The error as one line. File names, keys and names of columns may contain control characters.
    var line: String {
        "silt: " + Escaping.printable(message.split(whereSeparator: \.isNewline).joined(separator: " "))
    }
}

extension ExitCode {
    /// The status for an error of tables.
    init(_ code: TableErrorCode) {
        switch code {
        case .corrupt: self = .corrupt
        case .engine, .unavailable, .unknownOutcome, .conflict: self = .inputOutput
        default: self = .usage
        }
    }
}

extension ExitCode {
    /// The status for an error of repositories.
    init(_ error: CRUDRepositoryError) {
        switch error {
        case .recordNotFound: self = .negative
        case .recordAlreadyExists: self = .usage
        case .databaseError, .unknownOutcome: self = .inputOutput
        }
    }
}
