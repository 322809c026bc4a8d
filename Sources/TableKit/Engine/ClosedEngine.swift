/// The engine of a closed database. Every call throws ``TableErrorCode/unavailable``.
package final class ClosedEngine: TableEngine {
    package static let shared = ClosedEngine()

    /// The error of a closed database.
    package static var error: CRUDSQLExeError { CRUDSQLExeError("The database was closed.", code: .unavailable) }

    package func beginRead() throws -> any TableSession { throw Self.error }
    package func begin(_ mode: TransactionMode) throws -> any TableSession { throw Self.error }
    package func begin(_ mode: TransactionMode) async throws -> any TableSession { throw Self.error }
    package func perform<R: Sendable>(_ work: @escaping @Sendable () throws -> R) async throws -> R { throw Self.error }
    package func observe<R>(_ body: (any TableSession) throws -> R) throws -> (R, any TableObservation) {
        throw Self.error
    }
    package func verify(progress: ((Double) -> Void)?) throws -> [String] { throw Self.error }
}
