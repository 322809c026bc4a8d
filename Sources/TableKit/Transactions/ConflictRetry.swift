import Foundation

/// Counts the retries of a transaction after conflicts, and computes the pauses between them.
package struct ConflictRetry {
    private var left: Int
    private var attempt = 0
    /// True if conflicts come from other programs: a pause lets them finish. Within one engine they are over.
    private let pauses: Bool
    /// The errors that said that another program has changed the schema.
    private var overtaken = RepeatedErrors()

    private init(_ engine: any TableEngine, _ mode: TransactionMode) {
        pauses = engine.serialRetries > 0
        left =
            switch mode {
            case .serial: engine.serialRetries
            case .concurrent(let retries): retries
            }
    }

    /// Whether a transaction with this error may succeed when it runs again.
    private static func isConflict(_ error: any TableError) -> Bool {
        error.code == .conflict || (error as? CRUDSQLExeError)?.isOvertaken ?? false
    }

    private static func conflict(_ error: any TableError) -> CRUDSQLExeError {
        CRUDSQLExeError(
            "Another program may have changed the schema meanwhile: run the transaction again. \(error.message)",
            code: .conflict, table: error.table, column: error.column)
    }

    /// Runs `body`, and again after each conflict while retries are left.
    /// - Throws: the errors of `body`, and the conflict of the last attempt.
    package static func run<R>(_ engine: any TableEngine, _ mode: TransactionMode, _ body: () throws -> R) throws -> R {
        var retry = ConflictRetry(engine, mode)
        while true {
            do { return try body() } catch let error as any TableError where isConflict(error) {
                let seconds = try retry.next(error)
                if seconds > 0 { Thread.sleep(forTimeInterval: seconds) }
            }
        }
    }

    /// As the synchronous form, for tasks.
    package static func run<R>(
        _ engine: any TableEngine, _ mode: TransactionMode, _ body: () async throws -> R
    ) async throws -> R {
        var retry = ConflictRetry(engine, mode)
        while true {
            do { return try await body() } catch let error as any TableError where isConflict(error) {
                let seconds = try retry.next(error)
                if seconds > 0 { try await Task.sleep(for: .seconds(seconds)) }
            }
        }
    }

    /// The pause in seconds: random, so that two rivals do not meet again, with an upper bound that grows to 0.1 s.
    private mutating func next(_ error: any TableError) throws -> Double {
        if error.code == .conflict {
            overtaken = RepeatedErrors()
        } else {
            if overtaken.isLasting(error) { throw error }
            if left == 0 { throw Self.conflict(error) }
        }
        if left == 0 { throw error }
        left -= 1
        attempt += 1
        return pauses ? Double.random(in: 0...min(0.1, 0.001 * Double(1 << min(attempt, 10)))) : 0
    }
}
