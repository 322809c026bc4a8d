public import Foundation

/// The type of a log event.
public enum CRUDLogEventType: CustomStringConvertible, Sendable, Hashable {
    /// A note.
    case info
    /// A problem that the program need not act on.
    case warning
    /// An error, logged when it is made.
    case error
    /// A statement.
    case query

    /// The type as printed in log lines.
    public var description: String {
        switch self {
        case .info: "INFO"
        case .warning: "WARN"
        case .error: "ERR"
        case .query: "QUERY"
        }
    }
}

/// One line of the log.
public struct CRUDLogEvent: CustomStringConvertible, Sendable {
    /// The time of logging.
    public let time: Date
    /// The type of the event.
    public let type: CRUDLogEventType
    /// The text.
    public let msg: String

    /// Time, type and text in one line.
    public var description: String { "[\(time.formatted(Date.ISO8601FormatStyle()))] [\(type)] \(msg)" }
}
