import Dispatch
import Foundation
import Synchronization

/// The log of errors, at their creation, and of statements.
///
/// Logging returns at once; a serial queue writes the events in order. By default standard error gets
/// errors, warnings and notes, and nobody gets statements.
public enum CRUDLogging {
    private struct Destinations: Sendable {
        var queries: [CRUDLogDestination] = []
        var errors: [CRUDLogDestination] = [.console]
    }

    private static let destinations = Mutex(Destinations())
    /// True if queries have a destination. Checked before a statement's text is built.
    private static let logsQueries = Atomic(false)
    /// True if errors have a destination.
    private static let logsErrors = Atomic(true)
    private static let queue = DispatchQueue(label: "TableKit.CRUDLogging", qos: .utility)

    /// The destinations of statements. None by default.
    public static var queryLogDestinations: [CRUDLogDestination] {
        get { destinations.withLock { $0.queries } }
        set {
            destinations.withLock { $0.queries = newValue }
            logsQueries.store(!newValue.isEmpty, ordering: .relaxed)
        }
    }

    /// The destinations of all other events. The console by default, which is standard error.
    public static var errorLogDestinations: [CRUDLogDestination] {
        get { destinations.withLock { $0.errors } }
        set {
            destinations.withLock { $0.errors = newValue }
            logsErrors.store(!newValue.isEmpty, ordering: .relaxed)
        }
    }

    /// Logs an event. A destination may log events itself.
    public static func log(_ type: CRUDLogEventType, _ msg: String) {
        let targets = destinations.withLock { type == .query ? $0.queries : $0.errors }
        guard !targets.isEmpty else { return }
        let event = CRUDLogEvent(time: Date(), type: type, msg: msg)
        queue.async { for target in targets { target.write(event) } }
    }

    /// Waits until all events logged before are written. A destination must not call it.
    public static func flush() { queue.sync {} }

    /// Logs a statement. Builds the text only if there is a destination.
    package static func logQuery(_ text: @autoclosure () -> String) {
        if logsQueries.load(ordering: .relaxed) { log(.query, text()) }
    }

    /// Logs an error. Builds the text only if there is a destination.
    static func logError(_ text: @autoclosure () -> String) {
        if logsErrors.load(ordering: .relaxed) { log(.error, text()) }
    }
}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// Does nothing: a structure belongs to its type, and no two types share one. Kept for users of Perfect-CRUD.
public func CRUDClearTableStructureCache() {}
