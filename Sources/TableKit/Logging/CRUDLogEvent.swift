public import Foundation

/// What a log event is about.
public enum CRUDLogEventType: CustomStringConvertible, Sendable, Hashable {
    case info, warning, error
    /// A statement.
    case query

    /// The type as log lines have it.
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
    /// When it was logged.
    public let time: Date
    /// What it is about.
    public let type: CRUDLogEventType
    /// The text.
    public let msg: String

    /// Time, type and text in one line.
    public var description: String { "[\(time.formatted(Date.ISO8601FormatStyle()))] [\(type)] \(msg)" }
}
