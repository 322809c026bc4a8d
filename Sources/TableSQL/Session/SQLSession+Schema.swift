import TableKit

extension SQLSession {
    func alter(_ change: SchemaChange) throws {
        try changingSchema {
            defer { presentTables = nil }
            try alter(change, try catalogue())
        }
    }

    /// Runs `body` with the present catalogue. If another program changes it in between, and this session's statements
    /// so far have committed, `body` runs again. Otherwise the whole transaction must, after an error that says so.
    func changingSchema(_ body: () throws -> Void) throws {
        if isChangingSchema { return try body() }
        isChangingSchema = true
        defer {
            isChangingSchema = false
            presentTables = nil
        }
        var overtaken = RepeatedErrors()
        // Where two reads must agree, the cached catalogue may be the first of them.
        if !dialect.schemaChangesCommit { core.catalogue.forget() }
        while true {
            presentTables = nil
            do { return try body() } catch var error as CRUDSQLExeError where error.isOvertaken {
                guard dialect.schemaChangesCommit else { throw error }
                error.isOvertaken = false
                if overtaken.isLasting(error) { throw error }
                core.catalogue.forget()
                if error.isOfMissingPart { CatalogueReads.pauseForRenaming() }
            }
        }
    }

    private func alter(_ change: SchemaChange, _ tables: [String: SQLTable]) throws {
        if dialect.schemaChangesCommit { return try alterAtOnce(change, tables) }
        hasChangedSchema = true
        defer {
            changedTables.formUnion(change.tables)
            // As a delete of all its rows changes the rows that refer to them.
            if case .dropTable(let name) = change { changedTables.formUnion(tables.values.referring(to: name)) }
        }
        try run(change, tables) { alteration in try self.change { try alteration($0) } }
    }

    /// Runs a schema change with a connection from `use`. Marks an error that contradicts the catalogue just read.
    private func run(
        _ change: SchemaChange, _ tables: [String: SQLTable],
        by use: ((any SQLConnection) throws -> Void) throws -> Void
    ) throws {
        var isOvertaken = false
        do {
            try use { connection in
                do { try dialect.alter(change, tables, connection) } catch let error as SQLConnectionError {
                    isOvertaken = !dialect.locksCatalogue && error.isOfCatalogue
                    throw error
                }
            }
        } catch var error as CRUDSQLExeError {
            error.isOvertaken = isOvertaken || dialect.schemaChangesCommit && error.isOfMissingPart
            throw error
        }
    }

    /// Makes a schema change that commits at once. A rollback undoes it if that is possible.
    private func alterAtOnce(_ change: SchemaChange, _ tables: [String: SQLTable]) throws {
        if transactionMode == nil { throw CRUDSQLExeError("A session that reads changes nothing.", code: .transaction) }
        let undo = SchemaUndo(change, tables, savepoints: savepoints)
        hasChangedSchema = true
        // The change takes effect at once, for other sessions, too.
        defer { core.catalogue.forget() }
        if hasChangedRows {
            try alterBeside(change, tables)
        } else {
            try leaveTransaction()
            try run(change, tables) { try useAlone($0) }
        }
        changedTables.formUnion(change.tables)
        undoes.append(undo)
    }

    /// Makes a schema change on another connection: on the transaction's it would commit the changed rows.
    /// - Throws: ``TableErrorCode/transaction`` if the transaction itself uses the table.
    private func alterBeside(_ change: SchemaChange, _ tables: [String: SQLTable]) throws {
        let refusal = CRUDSQLExeError(
            "\(dialect.name) commits with each change of a table: in one transaction none may come behind the use of the"
                + " table's rows. Make it first, or in a transaction of its own.", code: .transaction,
            table: change.tables.first)
        if !changedTables.isDisjoint(with: change.tables) { throw refusal }
        try run(change, tables) { alteration in
            do { try beside(alteration) } catch let error as SQLConnectionError {
                core.note(error)
                throw error.kind == .conflict ? refusal : error.tableError
            }
        }
    }

    /// Runs `body` with a new connection that waits only briefly for locks.
    private func beside(_ body: (any SQLConnection) throws -> Void) throws {
        let beside = try core.connect()
        defer { beside.close() }
        for text in dialect.impatience { _ = try beside.execute(SQLStatement(text, isRepeated: false)) }
        try body(beside)
    }

    /// Undoes schema changes since a savepoint, in a transaction that goes on.
    /// - Throws: if the transaction has used a table that must go. The whole transaction must then be rolled back.
    func undoSchemaBeside(since savepoint: Int) throws {
        while let undo = undoes.last, undo.savepoints >= savepoint {
            undoes.removeLast()
            do {
                try beside { try take(undo, back: $0) }
            } catch {
                undoes.append(undo)
                throw CRUDSQLExeError(
                    "A change of \(undo.tables) within a nested transaction could not be taken back: \(error)",
                    code: .transaction)
            }
        }
    }

    /// Undoes schema changes since a savepoint, the last one first. A drop cannot be undone, which is logged.
    func undoSchema(since savepoint: Int) {
        while let undo = undoes.last, undo.savepoints >= savepoint {
            undoes.removeLast()
            // Runs even if the task is cancelled.
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
        defer { core.catalogue.forget() }
        guard let opposite = undo.opposite else {
            if undo.isLost { CRUDLogging.log(.error, "\(dialect.name) took no drop back: \(undo.tables)") }
            return
        }
        var overtaken = RepeatedErrors()
        while true {
            let tables = try CatalogueReads.agreed { try dialect.readTables(connection) }
            do { return try dialect.alter(opposite, tables, connection) } catch let error as CRUDSQLExeError
                where error.isOfMissingPart
            {
                // The catalogue lacks it for a moment.
                if overtaken.isLasting(error) { throw error }
                CatalogueReads.pauseForRenaming()
            }
        }
    }
}

extension CRUDSQLExeError {
    /// Whether the catalogue lacks a table, or a part of one.
    fileprivate var isOfMissingPart: Bool { [.noTable, .noColumn, .noIndex].contains(code) }
}

/// The undo of a schema change that has committed.
struct SchemaUndo {
    /// The number of savepoints at the time of the change.
    let savepoints: Int
    /// The opposite change; nil if nothing must or can be done.
    let opposite: SchemaChange?
    /// Whether rows are lost.
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

extension SQLConnectionError {
    /// Whether a table, column or index exists or is missing.
    fileprivate var isOfCatalogue: Bool {
        switch code {
        case .exists, .noTable, .noColumn, .noIndex: true
        default: false
        }
    }
}

extension SchemaChange {
    /// The changed tables.
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
