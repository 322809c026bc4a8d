import TableKit

extension SQLSession {
    func alter(_ change: SchemaChange) throws {
        let tables = try catalogue()
        if dialect.schemaChangesCommit { return try alterAtOnce(change, tables) }
        hasChangedSchema = true
        defer { changedTables.formUnion(change.tables) }
        try self.change { try core.dialect.alter(change, tables, $0) }
    }

    /// Changes the schema where that commits: at once, and taken back with the transaction as far as it can be.
    private func alterAtOnce(_ change: SchemaChange, _ tables: [String: SQLTable]) throws {
        if transactionMode == nil { throw CRUDSQLExeError("A session that reads changes nothing.", code: .transaction) }
        let undo = SchemaUndo(change, tables, savepoints: savepoints)
        hasChangedSchema = true
        if hasChangedRows {
            try alterBeside(change, tables)
        } else {
            try leaveTransaction()
            try useAlone { try dialect.alter(change, tables, $0) }
        }
        changedTables.formUnion(change.tables)
        undoes.append(undo)
    }

    /// Changes the schema over another connection: on that of the transaction it would commit the rows that were changed.
    /// - Throws: ``TableErrorCode/transaction`` where the transaction itself uses the table.
    private func alterBeside(_ change: SchemaChange, _ tables: [String: SQLTable]) throws {
        let refusal = CRUDSQLExeError(
            "\(dialect.name) commits with each change of a table: in one transaction none may come behind the use of the"
                + " table's rows. Make it first, or in a transaction of its own.", code: .transaction,
            table: change.tables.first)
        if !changedTables.isDisjoint(with: change.tables) { throw refusal }
        do { try beside { try dialect.alter(change, tables, $0) } } catch let error as SQLConnectionError {
            core.note(error)
            throw error.kind == .conflict ? refusal : error.tableError
        }
    }

    /// Runs `body` with a connection of its own, which does not wait long for what this session has locked.
    private func beside(_ body: (any SQLConnection) throws -> Void) throws {
        let beside = try core.connect()
        defer { beside.close() }
        for text in dialect.impatience { _ = try beside.execute(SQLStatement(text, isRepeated: false)) }
        try body(beside)
    }

    /// Takes changes of the schema back within a transaction that goes on.
    /// - Throws: where the transaction has used a table that would have to go: then all of it has to be taken back.
    func undoSchemaBeside(since savepoint: Int) throws {
        while let undo = undoes.last, undo.savepoints >= savepoint {
            undoes.removeLast()
            do {
                try beside { try take(undo, back: $0) }
            } catch let error as SQLConnectionError {
                undoes.append(undo)
                throw CRUDSQLExeError(
                    "A change of \(undo.tables) within a nested transaction could not be taken back: \(error)",
                    code: .transaction)
            }
        }
    }

    /// Takes changes of the schema back that were made since a savepoint: by their opposites, in the order from the last.
    /// What was dropped stays so, which the log is told.
    func undoSchema(since savepoint: Int) {
        while let undo = undoes.last, undo.savepoints >= savepoint {
            undoes.removeLast()
            // Whether or not the task is cancelled.
            guard let connection else { return }
            do {
                if connection.isUsable {
                    try take(undo, back: connection)
                } else {
                    try beside { try take(undo, back: $0) }
                }
            } catch {
                CRUDLogging.log(.error, "A change of \(undo.tables) could not be taken back: \(error)")
            }
        }
    }

    private func take(_ undo: SchemaUndo, back connection: any SQLConnection) throws {
        core.catalogue.forget()
        guard let opposite = undo.opposite else {
            if undo.isLost { CRUDLogging.log(.error, "\(dialect.name) took no drop back: \(undo.tables)") }
            return
        }
        let found = try dialect.readCatalogue(connection)
        let tables = Dictionary(found.map { ($0.structure.name, $0) }) { first, _ in first }
        try dialect.alter(opposite, tables, connection)
    }
}

/// What takes a change of the schema back that has committed.
struct SchemaUndo {
    /// How many savepoints there were at the time.
    let savepoints: Int
    /// Nil where there is nothing to do, or nothing can be done.
    let opposite: SchemaChange?
    /// Whether rows are gone for good.
    let isLost: Bool
    let tables: String

    init(_ change: SchemaChange, _ before: [String: SQLTable], savepoints: Int) {
        self.savepoints = savepoints
        tables = change.tables.joined(separator: ", ")
        var isLost = false
        switch change {
        case .createTable(let structure): opposite = .dropTable(structure.name)
        case .renameTable(let name, let other): opposite = .renameTable(other, to: name)
        case .addColumn(let table, let column): opposite = .dropColumn(table: table, column.name)
        case .renameColumn(let table, let column, let other):
            opposite = .renameColumn(table: table, other, to: column)
        case .createIndex(let index):
            let existed = before[index.table]?.info.indexes.contains { $0.definition.columns == index.columns } ?? false
            opposite = existed ? nil : .dropIndex(table: index.table, columns: index.columns)
        case .dropIndex(let table, let columns):
            opposite = before[table]?.info.indexes.first { $0.definition.columns == columns }.map {
                .createIndex($0.definition)
            }
        case .dropTable, .dropColumn:
            opposite = nil
            isLost = true
        }
        self.isLost = isLost
    }
}

extension SchemaChange {
    /// The tables that are changed.
    var tables: [String] {
        switch self {
        case .createTable(let structure): [structure.name]
        case .dropTable(let name), .addColumn(let name, _), .dropColumn(let name, _), .renameColumn(let name, _, _),
            .dropIndex(let name, _):
            [name]
        case .renameTable(let name, let other): [name, other]
        case .createIndex(let index): [index.table]
        }
    }
}
