import Dispatch
import Foundation
import Synchronization

/// The log of tables: errors, when they are made, and statements.
///
/// Logging returns at once; a queue of its own writes the events, in their order. Errors go to the console, statements
/// nowhere, unless the destinations are changed.
public enum CRUDLogging {
    private struct Destinations: Sendable {
        var queries: [CRUDLogDestination] = []
        var errors: [CRUDLogDestination] = [.console]
    }

    private static let destinations = Mutex(Destinations())
    /// Whether queries have a destination: looked at before a statement's text is made.
    private static let logsQueries = Atomic(false)
    /// Whether errors have a destination.
    private static let logsErrors = Atomic(true)
    private static let queue = DispatchQueue(label: "TableKit.CRUDLogging", qos: .utility)

    /// Where statements are logged. Nowhere by default.
    public static var queryLogDestinations: [CRUDLogDestination] {
        get { destinations.withLock { $0.queries } }
        set {
            destinations.withLock { $0.queries = newValue }
            logsQueries.store(!newValue.isEmpty, ordering: .relaxed)
        }
    }

    /// Where all other events are logged. The console by default.
    public static var errorLogDestinations: [CRUDLogDestination] {
        get { destinations.withLock { $0.errors } }
        set {
            destinations.withLock { $0.errors = newValue }
            logsErrors.store(!newValue.isEmpty, ordering: .relaxed)
        }
    }

    /// Logs an event. A destination may log, too.
    public static func log(_ type: CRUDLogEventType, _ msg: String) {
        let targets = destinations.withLock { type == .query ? $0.queries : $0.errors }
        guard !targets.isEmpty else { return }
        let event = CRUDLogEvent(time: Date(), type: type, msg: msg)
        queue.async { for target in targets { target.write(event) } }
    }

    /// Waits until all events logged before are written. Not to be called by a destination.
    public static func flush() { queue.sync {} }

    /// Logs a statement, whose text is made only where it goes somewhere.
    package static func logQuery(_ text: @autoclosure () -> String) {
        if logsQueries.load(ordering: .relaxed) { log(.query, text()) }
    }

    /// Logs an error, whose text is made only where it goes somewhere.
    static func logError(_ text: @autoclosure () -> String) {
        if logsErrors.load(ordering: .relaxed) { log(.error, text()) }
    }
}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// Does nothing: a structure belongs to its type, and no two types share one. Kept for programs written for Perfect-CRUD.
public func CRUDClearTableStructureCache() {}
