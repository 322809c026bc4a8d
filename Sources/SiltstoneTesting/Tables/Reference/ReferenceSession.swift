import TableKit

/// A session of the reference engine: a copy of the database.
final class ReferenceSession: TableSession {
    /// The rights of the session.
    enum Mode {
        case read
        /// Holds the turn until it ends, so nobody else commits.
        case serial
        /// Takes the turn for its commit, and fails if another transaction has committed since it began.
        case concurrent
    }

    var state: ReferenceState
    private let engine: ReferenceEngine
    private let mode: Mode
    let version: Int
    private var hasChanged = false
    private var hasEnded = false

    init(_ engine: ReferenceEngine, mode: Mode, state: ReferenceState, version: Int) {
        self.engine = engine
        self.mode = mode
        self.state = state
        self.version = version
    }

    deinit { rollback() }

    func checkOpen() throws {
        if hasEnded { throw CRUDSQLExeError("The transaction has ended.", code: .transaction) }
    }

    private func change<R>(_ body: (inout ReferenceState) throws -> R) throws -> R {
        try checkOpen()
        if mode == .read {
            throw CRUDSQLExeError("A session that reads changes nothing.", code: .transaction)
        }
        let result = try body(&state)
        hasChanged = true
        return result
    }

    func alter(_ change: SchemaChange) throws { try self.change { try $0.alter(change) } }
    func insert(_ statement: InsertStatement) throws -> ChangeResult { try change { try $0.insert(statement) } }
    func update(_ statement: UpdateStatement) throws -> ChangeResult { try change { try $0.update(statement) } }
    func delete(_ statement: DeleteStatement) throws -> ChangeResult { try change { try $0.delete(statement) } }

    func savepoint() throws -> Savepoint {
        try checkOpen()
        return Savepoint(state)
    }

    func rollback(to savepoint: Savepoint) throws {
        try checkOpen()
        guard let saved = savepoint.state as? ReferenceState else {
            throw CRUDSQLExeError("The savepoint is of another engine.", code: .transaction)
        }
        state = saved
    }

    func commit() throws {
        try checkOpen()
        if mode == .concurrent && hasChanged { engine.takeTurn() }
        try finishCommit()
    }

    func commit() async throws {
        try checkOpen()
        if mode == .concurrent && hasChanged { await engine.takeTurn() }
        try finishCommit()
    }

    private func finishCommit() throws {
        hasEnded = true
        guard mode == .serial || hasChanged else { return }
        let isCurrent = engine.endTurn(publishing: hasChanged ? state : nil, ifVersion: version)
        if !isCurrent {
            throw CRUDSQLExeError("Another transaction has committed meanwhile.", code: .conflict)
        }
    }

    func rollback() {
        if hasEnded { return }
        hasEnded = true
        if mode == .serial { _ = engine.endTurn(publishing: nil, ifVersion: version) }
    }
}
