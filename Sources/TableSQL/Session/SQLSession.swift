import TableKit

/// A session on one connection of the pool: a transaction or one read.
///
/// The first statement begins the transaction. A single read begins one only if it needs several statements.
final class SQLSession: TableSession {
    /// The purpose of the session.
    enum Mode {
        /// One statement that reads.
        case singleRead
        /// Several statements that read one snapshot.
        case read
        /// A transaction.
        case write(TransactionMode)
        /// One statement that changes something, a transaction by itself.
        case singleChange
    }

    let core: SQLEngineCore
    private let mode: Mode
    /// The mode of a transaction; nil if the session only reads.
    var transactionMode: TransactionMode? {
        switch mode {
        case .write(let mode): mode
        case .singleChange: .serial
        case .read, .singleRead: nil
        }
    }
    private var isSingleRead: Bool { if case .singleRead = mode { true } else { false } }
    private(set) var connection: (any SQLConnection)?
    private let giveBack: (any SQLConnection) -> Void
    /// Nil until the session opens a cursor.
    private var openRows: OpenRows?
    private var hasBegun = false
    /// Whether a statement has run in the transaction. If so, a failure must not roll back all of it.
    private var hasRun = false
    /// The error of a transaction in which a part of a failed statement may be left, and which must not commit.
    private var undoFailure: (any Error)?
    /// Whether COMMIT went with the session's one change.
    private var hasCommitted = false
    private(set) var savepoints = 0
    /// The number of savepoints when the session last left a transaction. Savepoints up to it no longer exist.
    private var lostSavepoints = 0
    /// The tables that the session has read, for observers.
    var readTables: Set<String> = []
    /// The tables that the transaction has changed, for observers.
    var changedTables: Set<String> = []
    /// The table whose values are read or written.
    private var tableOfValues: String?
    var hasChangedSchema = false
    /// Whether the transaction has changed rows.
    private(set) var hasChangedRows = false
    /// Whether the session looks at the present catalogue, not at the cached one, to change it.
    var isChangingSchema = false
    /// The present catalogue, as read for a schema change. Nil: read it again.
    var presentTables: [String: SQLTable]?
    /// Schema changes that have committed already.
    var undoes: [SchemaUndo] = []

    init(
        _ core: SQLEngineCore, _ mode: Mode, _ connection: any SQLConnection,
        giveBack: @escaping (any SQLConnection) -> Void
    ) {
        self.core = core
        self.mode = mode
        self.connection = connection
        self.giveBack = giveBack
        connection.usePlans(ofGeneration: core.catalogue.generation)
    }

    deinit { rollback() }

    var dialect: any SchemaDialect { core.dialect }

    /// Runs `body` with the connection, in the transaction.
    func use<R>(_ body: (any SQLConnection) throws -> R) throws -> R {
        try useAlone { connection in
            if !isSingleRead { try begin(connection) }
            let result = try body(connection)
            hasRun = true
            return result
        }
    }

    private func begin(_ connection: any SQLConnection) throws {
        if hasBegun { return }
        var sent = 0
        do {
            for text in dialect.begin(transactionMode) {
                try connection.executeLater(SQLStatement(text))
                sent += 1
            }
        } catch {
            // MariaDB keeps the isolation level of a transaction that has not begun for the next one, ROLLBACK or not:
            // that may be another user's.
            if sent > 0 { connection.close() }
            throw error
        }
        hasBegun = true
    }

    /// Begins the transaction even in a single read: for a cursor, or for several statements on one snapshot.
    func beginForSeveral() throws { try use { try begin($0) } }

    /// Runs a statement that reads. Sets a savepoint first if a failure would end the transaction.
    func read<R>(_ body: (any SQLConnection) throws -> R) throws -> R {
        guard transactionMode != nil, dialect.failureEndsTransaction else { return try use(body) }
        return try use { try atomically($0, body) }
    }

    /// Runs statements that change something, atomically.
    /// - Parameters:
    ///   - isOne: whether `body` runs one statement, which needs no savepoint unless a failure ends the transaction.
    ///   - closing: the statements that `body` runs last: the COMMIT of a single change.
    func change<R>(
        isOne: Bool = false, _ closing: [SQLStatement] = [], _ body: (any SQLConnection) throws -> R
    ) throws -> R {
        if transactionMode == nil { throw CRUDSQLExeError("A session that reads changes nothing.", code: .transaction) }
        hasChangedRows = true
        do {
            if isOne, !hasBegun, case .singleChange = mode, dialect.commitsStatements { return try useAlone(body) }
            let result = try use { isOne && !dialect.failureEndsTransaction ? try body($0) : try atomically($0, body) }
            hasCommitted = !closing.isEmpty
            return result
        } catch let error as CRUDSQLExeError where error.code == .unknownOutcome {
            noteDoubtfulCommit()
            throw error
        }
    }

    /// Whether the session's transaction is one change, which a failure may take back with all of it.
    private var isOneChange: Bool { if case .singleChange = mode { dialect.closesChanges } else { false } }

    /// Whether COMMIT goes with the session's one change. Not in a task: a cancellation ends a change that waits for a
    /// lock, and would meet a COMMIT behind it in the same round trip.
    private var closesChanges: Bool { isOneChange && TaskCancellation.current == nil }

    /// The statements behind a change, in its round trip.
    var closing: [SQLStatement] {
        closesChanges ? core.announcement(of: changedTables) + [SQLStatement("COMMIT")] : []
    }

    /// Runs `body`; a failure rolls back its statements only.
    private func atomically<R>(_ connection: any SQLConnection, _ body: (any SQLConnection) throws -> R) throws -> R {
        guard hasRun, !isOneChange else { return try first(connection, body) }
        let name = nextSavepoint()
        try connection.executeLater(SQLStatement("SAVEPOINT \(name)"))
        do {
            let result = try body(connection)
            try connection.executeLater(SQLStatement("RELEASE SAVEPOINT \(name)"))
            return result
        } catch {
            // This fails if the whole transaction has ended. The first error is thrown.
            do {
                _ = try connection.executeAll([
                    SQLStatement("ROLLBACK TO SAVEPOINT \(name)"), SQLStatement("RELEASE SAVEPOINT \(name)"),
                ])
            } catch let second {
                CRUDLogging.log(.warning, "A statement could not be taken back by itself: \(second)")
                // A connection that is lost commits nothing.
                if connection.isUsable { undoFailure = Self.undoFailure(second) }
            }
            throw error
        }
    }

    /// The error of a transaction whose ROLLBACK TO SAVEPOINT has failed with `error`. After a conflict it may run again.
    private static func undoFailure(_ error: any Error) -> any Error {
        if let error = error as? SQLConnectionError, error.kind == .conflict { return error }
        return CRUDSQLExeError(
            "A statement of the transaction had failed and could not be taken back by itself; the transaction was rolled"
                + " back instead of committed.", code: .transaction)
    }

    /// Runs the first statement of a transaction without a savepoint. A failure rolls back the whole transaction; the
    /// next statement begins it again.
    private func first<R>(_ connection: any SQLConnection, _ body: (any SQLConnection) throws -> R) throws -> R {
        do { return try body(connection) } catch {
            hasBegun = false
            takeBack(connection)
            throw error
        }
    }

    /// Rolls back the whole transaction, or closes the connection.
    private func takeBack(_ connection: any SQLConnection) {
        guard connection.isUsable else { return }
        do { try connection.executeWithoutWaiting(SQLStatement("ROLLBACK")) } catch {
            CRUDLogging.log(.warning, "A transaction could not be rolled back, so its connection is closed: \(error)")
            connection.close()
        }
    }

    /// Ends a transaction without changes; the next statement begins another.
    func leaveTransaction() throws {
        lostSavepoints = savepoints
        guard hasBegun else { return }
        try useAlone { _ = try $0.execute(SQLStatement("COMMIT")) }
        leftTransaction()
    }

    private func leftTransaction() {
        hasBegun = false
        hasRun = false
    }

    /// Runs `body` with the connection, without beginning a transaction.
    func useAlone<R>(_ body: (any SQLConnection) throws -> R) throws -> R {
        guard let connection else { throw Self.hasEnded }
        try core.checkOpen()
        openRows?.closeDropped()
        do {
            return try TaskCancellation.runCurrent(connection) { try body(connection) }
        } catch let error as SQLConnectionError {
            core.note(error)
            throw error.naming(tableOfValues).tableError
        }
    }

    /// Runs `body`, which reads or writes rows of a table. An error about a value names the table, too: the adapters
    /// know the column alone.
    func naming<R>(_ table: String, _ body: () throws -> R) rethrows -> R {
        let outer = tableOfValues
        tableOfValues = table
        defer { tableOfValues = outer }
        return try body()
    }

    /// Opens a cursor on a query. The session closes it.
    func open(_ statement: SQLStatement, batchRows: Int) throws -> any SQLRows {
        let rows = try read { try $0.open(statement, batchRows: batchRows) }
        let open = openRows ?? OpenRows()
        openRows = open
        return open.add(rows)
    }

    private func nextSavepoint() -> String {
        savepoints += 1
        return "s\(savepoints)"
    }

    func savepoint() throws -> Savepoint {
        let name = nextSavepoint()
        try use { try $0.executeLater(SQLStatement("SAVEPOINT \(name)")) }
        return Savepoint(name)
    }

    /// Runs to its end even if the task is cancelled: otherwise changes that the caller takes for undone would be
    /// committed with the rest.
    func rollback(to savepoint: Savepoint) throws {
        try TaskCancellation.$current.withValue(nil) { try takeBack(to: savepoint) }
    }

    private func takeBack(to savepoint: Savepoint) throws {
        guard let name = savepoint.state as? String else {
            throw CRUDSQLExeError("The savepoint is of another engine.", code: .transaction)
        }
        if let number = Int(name.dropFirst()), number <= lostSavepoints {
            // The session left its transaction after this savepoint and changed rows only later: roll back all.
            if hasBegun { try use { _ = try $0.execute(SQLStatement("ROLLBACK")) } }
            leftTransaction()
            hasChangedRows = false
            undoSchema(since: number)
        } else {
            do {
                try use { _ = try $0.execute(SQLStatement("ROLLBACK TO SAVEPOINT \(name)")) }
            } catch let error as CRUDSQLExeError where error.code == .conflict {
                // The server has rolled back the whole transaction. Its commit throws the conflict, so it runs again.
                CRUDLogging.log(.warning, "A part of a transaction could not be taken back by itself: \(error)")
                undoFailure = error
                return
            }
            if let number = Int(name.dropFirst()) { try undoSchemaBeside(since: number) }
        }
        if hasChangedSchema { core.catalogue.forget() }
    }

    func commit() throws {
        guard let connection else { throw Self.hasEnded }
        guard hasBegun, !hasCommitted else {
            defer { end() }
            return noteCommit()
        }
        do {
            try core.checkOpen()
            if let undoFailure { throw undoFailure }
            // SQLite keeps the snapshot of a result that is still open.
            openRows?.closeAll()
            _ = try connection.executeAll(core.announcement(of: changedTables) + [SQLStatement("COMMIT")])
        } catch {
            core.catalogue.forget()
            // The COMMIT was refused, not sent, or has no answer: then the connection is not usable.
            takeBack(connection)
            let lost = error as? SQLConnectionError
            // Nothing is stored, as after a rollback.
            if lost?.kind != .unknownOutcome { undoSchema(since: 0) }
            end()
            if lost?.kind == .unknownOutcome { noteDoubtfulCommit() }
            throw lost?.tableError ?? error
        }
        end()
        noteCommit()
    }

    /// It may have committed, or will when a standby answers. Observers must look for themselves: now, and at its
    /// announcement if that is still to come.
    private func noteDoubtfulCommit() {
        // First, so that no announcement is dropped after the observers have looked.
        core.disownCommits()
        noteCommit()
    }

    private func noteCommit() {
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
        openRows?.closeAll()
        if hasBegun, !hasCommitted { takeBack(connection) }
        undoSchema(since: 0)
    }

    private func end() {
        guard let connection else { return }
        openRows?.closeAll()
        self.connection = nil
        giveBack(connection)
    }

    private static var hasEnded: CRUDSQLExeError { CRUDSQLExeError("The transaction has ended.", code: .transaction) }

    // MARK: Catalogue

    /// The tables as they are now: others may have changed them.
    func tables() throws -> [TableInfo] {
        let tables = try isChangingSchema ? catalogue() : presentCatalogue()
        return tables.values.map(\.info).sorted { $0.structure.name < $1.structure.name }
    }

    func table(named name: String) throws -> TableInfo? { try catalogue()[name]?.info }

    /// The tables: from the cache, unless this transaction changes the schema.
    func catalogue() throws -> [String: SQLTable] {
        if let presentTables { return presentTables }
        if !hasChangedSchema, !isChangingSchema, let known = core.catalogue.tables { return known }
        let generation = core.catalogue.generation
        let tables = try isChangingSchema ? presentCatalogue() : readCatalogue()
        if isChangingSchema {
            presentTables = tables
        } else if !hasChangedSchema {
            core.catalogue.keep(tables, generation: generation)
        }
        return tables
    }

    private func readCatalogue() throws -> [String: SQLTable] { try read { try core.dialect.readTables($0) } }

    /// The catalogue, read again if it is a cached one.
    func secondCatalogue() throws -> [String: SQLTable] {
        core.catalogue.forget()
        return presentTables == nil && dialect.schemaChangesCommit ? try presentCatalogue() : try catalogue()
    }

    /// The tables as they are now. If one read may lack a table that another session alters, two reads tell them; the
    /// cached tables may be the first.
    private func presentCatalogue() throws -> [String: SQLTable] {
        guard dialect.schemaChangesCommit else { return try readCatalogue() }
        let generation = core.catalogue.generation
        let tables = try CatalogueReads.agreed(with: core.catalogue.rested, readCatalogue)
        if !hasChangedSchema { core.catalogue.keepAgreed(tables, generation: generation) }
        return tables
    }

    /// The table with this name.
    func table(_ name: String) throws -> SQLTable {
        if let table = try catalogue()[name] { return table }
        // Another program may have created it.
        core.catalogue.forget()
        if let table = try catalogue()[name] { return table }
        if dialect.schemaChangesCommit, !isChangingSchema {
            CatalogueReads.pauseForRenaming()
            core.catalogue.forget()
            if let table = try catalogue()[name] { return table }
        }
        var error = CRUDSQLExeError("There is no such table.", code: .noTable, table: name)
        error.isOvertaken = dialect.schemaChangesCommit && isChangingSchema
        throw error
    }

    /// The tables of a query. Reads the catalogue again if a column is missing: another program may have added it.
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

/// Moves a session to another thread, which becomes its only user.
private struct UncheckedSession: @unchecked Sendable {
    let session: SQLSession
    init(_ session: SQLSession) { self.session = session }
}
