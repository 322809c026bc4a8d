package import TableKit

extension MySQLDialect: SchemaDialect {
    package var failureEndsTransaction: Bool { false }
    package var schemaChangesCommit: Bool { true }
    package var commitsStatements: Bool { true }
    package var impatience: [String] { ["SET lock_wait_timeout = 1, innodb_lock_wait_timeout = 1"] }

    /// A lock of the whole server by the database's name. A node of a Galera cluster knows only its own locks.
    package var migrationLock: SQLStatement? {
        SQLStatement("SELECT GET_LOCK(\(Self.migrationLockName), 0)", results: [.int64])
    }

    package var migrationLockHolder: SQLStatement? {
        SQLStatement("SELECT IS_USED_LOCK(\(Self.migrationLockName))", results: [.int64])
    }

    private static let migrationLockName = "CONCAT('siltstone.', SHA1(DATABASE()))"

    /// Prefix of constraints and indexes that the catalogue leaves out.
    static let hiddenPrefix = "silt_"

    /// Sessions are serializable, so reads in a transaction take locks. Snapshot reads need REPEATABLE READ.
    package func begin(_ mode: TransactionMode?) -> [String] {
        let snapshot = "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ"
        switch mode {
        case nil: return [snapshot, "START TRANSACTION READ ONLY"]
        case .serial where isSerializable: return ["START TRANSACTION"]
        case .serial, .concurrent: return [snapshot, "START TRANSACTION"]
        }
    }

    /// A text literal. Sessions read backslashes literally.
    func quoted(_ text: String) -> String { "'\(doubling("'", in: text))'" }

    package func alter(
        _ change: SchemaChange, _ tables: [String: SQLTable], _ connection: any SQLConnection
    ) throws {
        switch change {
        case .createTable(let structure): try create(structure, tables, connection)
        case .dropTable(let name): try drop(try tables.existing(name), tables, connection)
        case .renameTable(let name, let other):
            _ = try tables.existing(name)
            if tables[other] != nil { throw CatalogueErrors.exists(other) }
            try checkCase(of: other, connection)
            try run("ALTER TABLE \(try quote(name)) RENAME TO \(try quote(other))", connection)
        case .addColumn(let name, let column): try add(column, to: try tables.existing(name), tables, connection)
        case .dropColumn(let name, let column): try drop(column, of: try tables.existing(name), connection)
        case .renameColumn(let name, let column, let other):
            let table = try tables.existing(name)
            _ = try table.number(of: column)
            if table.structure.number(of: other) != nil { throw CatalogueErrors.exists(name, column: other) }
            try run(
                "ALTER TABLE \(try quote(name)) RENAME COLUMN \(try quote(column)) TO \(try quote(other))", connection)
        case .createIndex(let index): try create(index, on: try tables.existing(index.table), connection)
        case .dropIndex(let name, let columns):
            let table = try tables.existing(name)
            let drops = try dropping(try table.index(on: columns), of: table, connection)
            try run("ALTER TABLE \(try quote(name)) \(drops.joined(separator: ", "))", connection)
        }
    }

    func run(_ text: String, _ connection: any SQLConnection) throws {
        _ = try connection.execute(SQLStatement(text, isRepeated: false))
    }

    /// Runs DDL with foreign key checks off: existing rows may refer to keys that a new table does not have yet.
    func runUnchecked(_ text: String, _ connection: any SQLConnection) throws {
        try run("SET foreign_key_checks = 0", connection)
        defer {
            // Even if the task is cancelled. Its request would end this statement, and with it the connection.
            connection.forgetCancellation()
            do { try run("SET foreign_key_checks = 1", connection) } catch { connection.close() }
        }
        try run(text, connection)
    }

    // MARK: Tables

    private func create(
        _ structure: TableStructure, _ tables: [String: SQLTable], _ connection: any SQLConnection
    ) throws {
        if tables[structure.name] != nil { throw CatalogueErrors.exists(structure.name) }
        try checkCase(of: structure.name, connection)
        for key in structure.primaryKey { try structure.checkKey(structure.columns[key]) }
        var known = tables
        known[structure.name] = SQLTable(info: TableInfo(structure: structure, indexes: [], estimatedRows: 0))
        let constraints = try structure.columns.compactMap { try constraint($0, of: structure.name, known)?.definition }
        let parts = try MySQLColumns(dialect: self).parts(structure) + constraints
        // Foreign keys to this table that were declared before it existed.
        let missing = try missingConstraints(to: structure.name, known)
        try runUnchecked(
            "CREATE TABLE \(try quote(structure.name)) (\(parts.joined(separator: ", "))) ENGINE = InnoDB"
                + " ROW_FORMAT = DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE \(Self.collation)", connection)
        var added: [ForeignKeyConstraint] = []
        do { try add(missing, connection, added: &added) } catch {
            if takeBack(structure.name, added, connection) || !connection.isUsable { throw error }
            // Not an error after which the create is made again: that would find the table and be content.
            throw CRUDSQLExeError(
                "The table was made, but not all foreign keys to it are enforced: \(error). Drop the table, and create it"
                    + " again.", code: .engine, table: structure.name)
        }
    }

    /// Refuses capital letters where the server would make small ones of them: the table would not be found by its name.
    private func checkCase(of name: String, _ connection: any SQLConnection) throws {
        if name == name.lowercased() { return }
        let question = SQLStatement("SELECT @@lower_case_table_names", results: [.int64], isRepeated: false)
        guard try connection.execute(question).rows.first?.first == .integer(1) else { return }
        throw CRUDSQLExeError(
            "The server turns names of tables into small letters (lower_case_table_names = 1). Give the table a name in "
                + "small letters, by TableNameProvider.", code: .unsupported, table: name)
    }

    private func drop(_ table: SQLTable, _ tables: [String: SQLTable], _ connection: any SQLConnection) throws {
        let name = table.structure.name
        let constraints = try constraints(to: name, tables, connection)
        // Foreign key actions run as if all rows had been deleted.
        if !constraints.isEmpty
            || tables.values.contains(where: { $0.structure.name != name && $0.structure.refers(to: name) })
        {
            try run("START TRANSACTION", connection)
            do {
                let delete = SQLChange(
                    table: table, head: SQLText(self, "DELETE FROM \(try quote(name))"), assigned: [:],
                    condition: { _ in }, returning: [], tables: tables)
                _ = try change(delete, connection)
                try run("COMMIT", connection)
            } catch {
                if connection.isUsable { try run("ROLLBACK", connection) }
                throw error
            }
        }
        // From here on the table goes: a request to cancel would leave it without rows or constraints.
        try TaskCancellation.shielding(connection) {
            for constraint in constraints {
                try run(
                    "ALTER TABLE \(try quote(constraint.table)) DROP FOREIGN KEY \(try quote(constraint.name))",
                    connection)
            }
            try run("DROP TABLE \(try quote(name))", connection)
        }
    }

    // MARK: Columns

    private func add(
        _ column: Column, to table: SQLTable, _ tables: [String: SQLTable], _ connection: any SQLConnection
    ) throws {
        // Without the check the server would give old rows a zero.
        try checkAddition(of: column, to: table, connection)
        try checkDefault(of: column, to: table, tables, connection, constant: literal)
        let name = table.structure.name
        var parts = ["ADD COLUMN \(try MySQLColumns(dialect: self).definition(column, share: nil))"]
        if let constraint = try constraint(column, of: name, tables) { parts.append("ADD \(constraint.definition)") }
        let text = "ALTER TABLE \(try quote(name)) \(parts.joined(separator: ", "))"
        // Old rows refer to something only by a default. The check costs a copy of the table.
        if parts.count > 1, let value = column.defaultValue, !value.isNull {
            try run(text, connection)
        } else {
            try runUnchecked(text, connection)
        }
    }

    private func drop(_ column: String, of table: SQLTable, _ connection: any SQLConnection) throws {
        _ = try table.numberToDrop(column)
        let name = table.structure.name
        var parts: [String] = []
        for constraint in try constraints(on: table, connection) where constraint.column == column {
            parts.append("DROP FOREIGN KEY \(try quote(constraint.name))")
        }
        for index in table.info.indexes where index.definition.columns.contains(column) {
            parts += try dropping(index, of: table, connection)
        }
        parts.append("DROP COLUMN \(try quote(column))")
        try run("ALTER TABLE \(try quote(name)) \(parts.joined(separator: ", "))", connection)
    }
}

extension MySQLDialect {
    package func verify(_ tables: [SQLTable], _ connection: any SQLConnection) throws -> [String] {
        var problems = try danglingReferences(tables, connection)
        for table in tables {
            let check = SQLStatement(
                "CHECK TABLE \(try quote(table.structure.name))", results: [.string, .string, .string, .string],
                isRepeated: false)
            for row in try connection.execute(check).rows where row[3].string != "OK" {
                problems.append("Table \(table.structure.name): \(row[3].string ?? "?").")
            }
        }
        return problems
    }
}

extension TableStructure {
    /// Whether a foreign key refers to a table.
    func refers(to name: String) -> Bool { columns.contains { $0.foreignKey?.table == name } }
}
