import Siltstone
import Synchronization
import TableKit

/// One configuration's use of an engine, until it is closed or the last copy of the configuration goes.
final class DatabaseUse: Sendable {
    private let used: SiltstoneEngine
    private let isClosed = Atomic<Bool>(false)

    init(_ engine: SiltstoneEngine) { used = engine }

    // Sessions and streams may outlive the configuration. They keep the engine, and the engine keeps the store open.
    deinit {
        if !isClosed.load(ordering: .relaxed) { _ = EngineRegistry.shared.end(used, isClosing: false) }
    }

    /// The engine, or one that refuses everything after the end of the use.
    var engine: any TableEngine {
        isClosed.load(ordering: .relaxed) ? ClosedEngine.shared : used
    }

    /// Ends the use.
    /// - Returns: the store to be closed, where this was the last use.
    func end() -> SharedStore? {
        if isClosed.exchange(true, ordering: .acquiringAndReleasing) { return nil }
        return EngineRegistry.shared.end(used, isClosing: true)
    }
}

/// What stands in the place of a database that was closed.
final class ClosedEngine: TableEngine {
    static let shared = ClosedEngine()

    private var error: CRUDSQLExeError { CRUDSQLExeError("The database was closed.", code: .unavailable) }

    func beginRead() throws -> any TableSession { throw error }
    func begin(_ mode: TransactionMode) throws -> any TableSession { throw error }
    func begin(_ mode: TransactionMode) async throws -> any TableSession { throw error }
    func perform<R: Sendable>(_ work: @escaping @Sendable () throws -> R) async throws -> R { throw error }
    func observe<R>(_ body: (any TableSession) throws -> R) throws -> (R, any TableObservation) { throw error }
    func verify(progress: ((Double) -> Void)?) throws -> [String] { throw error }
}
