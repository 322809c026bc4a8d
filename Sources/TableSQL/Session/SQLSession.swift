import TableKit

/// A session over one connection of the pool: a transaction, or one read.
///
/// The transaction begins with the first statement. A session for one read begins one only where it takes several statements.
final class SQLSession: TableSession {
    /// What the session is for.
    enum Mode {
        /// One statement that reads.
        case singleRead
        /// Several that read one state.
        case read
        /// A transaction.
        case write(TransactionMode)
    }

    let core: SQLEngineCore
    private let mode: Mode
    /// The mode of a transaction; nil where the session only reads.
    var transactionMode: TransactionMode? { if case .write(let mode) = mode { mode } else { nil } }
    private var isSingleRead: Bool { if case .singleRead = mode { true } else { false } }
    private var connection: (any SQLConnection)?
    private let giveBack: (any SQLConnection) -> Void
    private var hasBegun = false
    private(set) var savepoints = 0
    /// The number of savepoints when a transaction last ended within the session. Those up to there are gone.
    private var lostSavepoints = 0
    /// The tables that were read, for observers.
    private(set) var readTables: Set<String> = []
    /// The tables that the transaction has changed, for observers.
    var changedTables: Set<String> = []
    var hasChangedSchema = false
    /// Whether the transaction has changed rows.
    private(set) var hasChangedRows = false
    /// Changes of the schema that have committed already.
    var undoes: [SchemaUndo] = []

    init(
        _ core: SQLEngineCore, _ mode: Mode, _ connection: any SQLConnection,
        giveBack: @escaping (any SQLConnection) -> Void
    ) {
        self.core = core
        self.mode = mode
        self.connection = connection
        self.giveBack = giveBack
    }

    deinit { rollback() }

    var dialect: any SchemaDialect { core.dialect }

    /// Runs `body` with the connection, inside the transaction.
    func use<R>(_ body: (any SQLConnection) throws -> R) throws -> R {
        guard let connection else { throw Self.hasEnded }
        do {
            if !isSingleRead { try begin(connection) }
            return try body(connection)
        } catch let error as SQLConnectionError {
            core.note(error)
            throw error.tableError
        }
    }

    private func begin(_ connection: any SQLConnection) throws {
        if hasBegun { return }
        for text in dialect.begin(transactionMode) { _ = try connection.execute(SQLStatement(text)) }
        hasBegun = true
    }

    /// Begins the transaction also in a session for one read: for a cursor, and for statements that read one state together.
    func beginForSeveral() throws { try use { try begin($0) } }

    /// Runs a statement that reads. Where a failure would end the transaction, a savepoint is set before it.
    func read<R>(_ body: (any SQLConnection) throws -> R) throws -> R {
        guard transactionMode != nil, dialect.failureEndsTransaction else { return try use(body) }
        return try use { try atomically($0, body) }
    }

    /// Runs statements that change something, all or nothing.
    /// - Parameter isOne: whether they are one, which needs no savepoint where a failure leaves the transaction as it was.
    func change<R>(isOne: Bool = false, _ body: (any SQLConnection) throws -> R) throws -> R {
        if transactionMode == nil { throw CRUDSQLExeError("A session that reads changes nothing.", code: .transaction) }
        hasChangedRows = true
        return try use { isOne && !dialect.failureEndsTransaction ? try body($0) : try atomically($0, body) }
    }

    /// Runs `body` between a savepoint and its release; a failure takes back what it did.
    private func atomically<R>(_ connection: any SQLConnection, _ body: (any SQLConnection) throws -> R) throws -> R {
        let name = nextSavepoint()
        _ = try connection.execute(SQLStatement("SAVEPOINT \(name)"))
        do {
            let result = try body(connection)
            _ = try connection.execute(SQLStatement("RELEASE SAVEPOINT \(name)"))
            return result
        } catch {
            // Where the transaction itself has ended, this fails, and the error that counts is the first.
            do {
                _ = try connection.executeAll([
                    SQLStatement("ROLLBACK TO SAVEPOINT \(name)"), SQLStatement("RELEASE SAVEPOINT \(name)"),
                ])
            } catch let second {
                CRUDLogging.log(.warning, "A statement could not be taken back by itself: \(second)")
            }
            throw error
        }
    }

    /// Ends the transaction, which has changed nothing, and lets the next statement begin another.
    func leaveTransaction() throws {
        lostSavepoints = savepoints
        guard hasBegun else { return }
        try useAlone { _ = try $0.execute(SQLStatement("COMMIT")) }
        hasBegun = false
    }

    /// Runs `body` with the connection, in no transaction.
    func useAlone<R>(_ body: (any SQLConnection) throws -> R) throws -> R {
        guard let connection else { throw Self.hasEnded }
        do { return try body(connection) } catch let error as SQLConnectionError {
            core.note(error)
            throw error.tableError
        }
    }

    private func nextSavepoint() -> String {
        savepoints += 1
        return "s\(savepoints)"
    }

    func savepoint() throws -> Savepoint {
        let name = nextSavepoint()
        try use { _ = try $0.execute(SQLStatement("SAVEPOINT \(name)")) }
        return Savepoint(name)
    }

    func rollback(to savepoint: Savepoint) throws {
        guard let name = savepoint.state as? String else {
            throw CRUDSQLExeError("The savepoint is of another engine.", code: .transaction)
        }
        if let number = Int(name.dropFirst()), number <= lostSavepoints {
            // All rows that the session has changed since, it has changed behind the savepoint.
            if hasBegun { try use { _ = try $0.execute(SQLStatement("ROLLBACK")) } }
            hasBegun = false
            hasChangedRows = false
            undoSchema(since: number)
        } else {
            try use { _ = try $0.execute(SQLStatement("ROLLBACK TO SAVEPOINT \(name)")) }
        }
        if hasChangedSchema { core.catalogue.forget() }
    }

    func commit() throws {
        guard let connection else { throw Self.hasEnded }
        defer { end() }
        guard hasBegun || hasChangedSchema else { return }
        do { if hasBegun { _ = try connection.execute(SQLStatement("COMMIT")) } } catch let error as SQLConnectionError
        {
            core.catalogue.forget()
            throw error.tableError
        }
        if hasChangedSchema { core.catalogue.forget() }
        if !changedTables.isEmpty { core.watch.tell(changedTables) }
    }

    func commit() async throws {
        let session = UncheckedSession(self)
        try await core.threads.run { try session.session.commit() }
    }

    func rollback() {
        guard let connection else { return }
        defer { end() }
        if hasChangedSchema { core.catalogue.forget() }
        if hasBegun, connection.isUsable {
            do { _ = try connection.execute(SQLStatement("ROLLBACK")) } catch {
                CRUDLogging.log(
                    .warning, "A transaction could not be rolled back, so its connection is closed: \(error)")
                connection.close()
            }
        }
        undoSchema(since: 0)
    }

    private func end() {
        guard let connection else { return }
        self.connection = nil
        giveBack(connection)
    }

    private static var hasEnded: CRUDSQLExeError { CRUDSQLExeError("The transaction has ended.", code: .transaction) }

    // MARK: Catalogue

    func tables() throws -> [TableInfo] {
        try catalogue().values.map(\.info).sorted { $0.structure.name < $1.structure.name }
    }

    func table(named name: String) throws -> TableInfo? { try catalogue()[name]?.info }

    /// The tables: those that the engine knows, unless this transaction has changed some.
    func catalogue() throws -> [String: SQLTable] {
        if !hasChangedSchema, let known = core.catalogue.tables { return known }
        let generation = core.catalogue.generation
        let found = try read { try core.dialect.readCatalogue($0) }
        let tables = Dictionary(found.map { ($0.structure.name, $0) }) { first, _ in first }
        if !hasChangedSchema { core.catalogue.keep(tables, generation: generation) }
        return tables
    }

    /// The table of a name.
    func table(_ name: String) throws -> SQLTable {
        if let table = try catalogue()[name] { return table }
        // It may have been made by another program since.
        core.catalogue.forget()
        guard let table = try catalogue()[name] else {
            throw CRUDSQLExeError("There is no such table.", code: .noTable, table: name)
        }
        return table
    }

    /// The tables of a query. Columns that a table lacks are looked for once more: another program may have added them.
    func sources(_ structures: [TableStructure]) throws -> [SQLSource] {
        readTables.formUnion(structures.map(\.name))
        func found() throws -> [SQLSource] {
            try structures.enumerated().map { SQLSource($1, try table($1.name), alias: "t\($0)") }
        }
        let sources = try found()
        if hasChangedSchema || sources.allSatisfy({ !$0.places.contains(nil) }) { return sources }
        core.catalogue.forget()
        return try found()
    }
}

/// A session on its way to another thread, which is its only user from then on.
private struct UncheckedSession: @unchecked Sendable {
    let session: SQLSession
    init(_ session: SQLSession) { self.session = session }
}
