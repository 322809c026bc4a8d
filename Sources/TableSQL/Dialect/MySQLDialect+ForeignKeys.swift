import TableKit

/// Foreign key constraints. A foreign key to a table that does not exist is no more than a note of its column, until that
/// table is created.
extension MySQLDialect {
    /// A new constraint.
    struct ForeignKeyConstraint {
        let table: String
        let column: String
        let name: String
        /// The constraint as a part of CREATE and ALTER TABLE.
        let definition: String
    }

    /// The constraint of a foreign key; nil if its table does not exist yet. The server has no SET DEFAULT:
    /// ``MySQLDialect/change(_:_:)`` sets defaults before a delete, and NO ACTION refuses the rows that are left.
    func constraint(
        _ column: Column, of table: String, _ tables: [String: SQLTable]
    ) throws -> ForeignKeyConstraint? {
        guard let key = column.foreignKey, let parent = tables[key.table]?.structure, parent.primaryKey.count == 1
        else { return nil }
        let parentColumn = parent.columns[parent.primaryKey[0]]
        guard parentColumn.type == column.type else {
            throw CRUDSQLExeError(
                "MariaDB's foreign keys have the type of the key that they refer to: \(parentColumn.type).",
                code: .unsupported, table: key.table, column: column.name)
        }
        if !column.isOptional, key.onDelete == .setNull || key.onUpdate == .setNull {
            throw CRUDSQLExeError(
                "MariaDB has no foreign key with SET NULL in a column that cannot be NULL. Make the property optional, or"
                    + " choose another action.", code: .unsupported, table: table, column: column.name)
        }
        func rule(_ action: ForeignKeyAction) -> String { action == .setDefault ? "NO ACTION" : action.sql }
        var generator = SystemRandomNumberGenerator()
        let name =
            Self.hiddenPrefix
            + Digest128.hexadecimal((0..<16).map { _ in UInt8.random(in: 0...255, using: &generator) })
        let definition =
            "CONSTRAINT `\(name)` FOREIGN KEY (\(try quote(column.name))) REFERENCES \(try quote(key.table))"
            + " (\(try quote(parentColumn.name))) ON DELETE \(rule(key.onDelete)) ON UPDATE \(rule(key.onUpdate))"
        return ForeignKeyConstraint(table: table, column: column.name, name: name, definition: definition)
    }

    /// The constraints that other tables' foreign keys to a table lack.
    /// - Throws: ``TableErrorCode/unsupported`` if the type of one does not fit.
    func missingConstraints(to table: String, _ tables: [String: SQLTable]) throws -> [ForeignKeyConstraint] {
        try tables.values.sorted { $0.structure.name < $1.structure.name }.flatMap { child in
            try child.columns(referringTo: table, isEnforced: false)
                .compactMap { try constraint($0, of: child.structure.name, tables) }
        }
    }

    /// Adds constraints without a check: rows may refer to keys that a new table does not have yet.
    /// - Parameter added: those that have been added, also after an error.
    func add(
        _ constraints: [ForeignKeyConstraint], _ connection: any SQLConnection,
        added: inout [ForeignKeyConstraint]
    ) throws {
        for constraint in constraints {
            try runUnchecked("ALTER TABLE \(try quote(constraint.table)) ADD \(constraint.definition)", connection)
            added.append(constraint)
        }
    }

    // MARK: Creates that fail midway

    /// Drops a table that was just made, and those of its constraints that other tables have by now. Keeps it if another
    /// program has stored rows in it meanwhile, or if it cannot be dropped.
    /// - Returns: whether it is gone.
    func takeBack(_ table: String, _ added: [ForeignKeyConstraint], _ connection: any SQLConnection) -> Bool {
        guard connection.isUsable else { return false }
        // A request to cancel may be the reason, and would end these statements, too.
        connection.forgetCancellation()
        var isGone = false
        do {
            try locking([table] + added.map(\.table), connection) {
                let question = SQLStatement(
                    "SELECT EXISTS (SELECT 1 FROM \(try quote(table)))", results: [.int64], isRepeated: false)
                guard try connection.execute(question).rows.first?.first == .integer(0) else { return }
                for constraint in added {
                    try run(
                        "ALTER TABLE \(try quote(constraint.table)) DROP FOREIGN KEY \(try quote(constraint.name))",
                        connection)
                }
                try run("DROP TABLE \(try quote(table))", connection)
                isGone = true
            }
        } catch {
            CRUDLogging.log(.error, "Table \(table), whose create has failed, could not be dropped: \(error)")
        }
        return isGone
    }

    /// Runs `body` while no other session uses the tables.
    private func locking(_ tables: [String], _ connection: any SQLConnection, _ body: () throws -> Void) throws {
        let locks = try Set(tables).sorted().map { "\(try quote($0)) WRITE" }
        try run("LOCK TABLES \(locks.joined(separator: ", "))", connection)
        defer {
            if connection.isUsable {
                do { try run("UNLOCK TABLES", connection) } catch { connection.close() }
            }
        }
        try body()
    }

    // MARK: Constraints that exist

    /// The constraints on a table's columns.
    /// - Throws: ``TableErrorCode/noTable`` if the catalogue does not show the table.
    func constraints(
        on table: SQLTable, _ connection: any SQLConnection
    ) throws -> [(column: String, name: String)] {
        let name = table.structure.name
        let statement = SQLStatement(
            "SELECT TABLE_NAME, COLUMN_NAME, CONSTRAINT_NAME, REFERENCED_TABLE_NAME FROM"
                + " information_schema.KEY_COLUMN_USAGE WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = ?",
            [.value(.text(name), .string)], results: [.string, .string, .string, .string])
        // The rows of the table's key are among these.
        let rows = try connection.execute(statement).rows.filter { $0[0].string == name }
        let hasKey = !table.structure.primaryKey.isEmpty || table.rowColumn != nil
        if rows.isEmpty, hasKey { throw CatalogueErrors.noTable(name) }
        return rows.compactMap { row in
            guard !row[3].isNull, let column = row[1].string, let name = row[2].string else { return nil }
            return (column, name)
        }
    }

    /// The constraints of this database's other tables that refer to one.
    /// - Throws: ``TableErrorCode/noTable`` if `tables` tells others, since one of the two reads lacks a table.
    func constraints(
        to table: String, _ tables: [String: SQLTable], _ connection: any SQLConnection
    ) throws -> [(table: String, name: String)] {
        let statement = SQLStatement(
            "SELECT TABLE_NAME, COLUMN_NAME, CONSTRAINT_NAME, REFERENCED_TABLE_NAME FROM"
                + " information_schema.KEY_COLUMN_USAGE WHERE TABLE_SCHEMA = DATABASE()"
                + " AND REFERENCED_TABLE_SCHEMA = DATABASE() AND REFERENCED_TABLE_NAME = ?",
            [.value(.text(table), .string)], results: [.string, .string, .string, .string])
        let rows = try connection.execute(statement).rows.filter {
            $0[3].string == table && $0[0].string != table
        }
        let shown = Set(rows.map { $0.prefix(2).map { $0.string ?? "" } })
        let known = Set(
            tables.filter { $0.key != table }.flatMap { name, child in
                child.columns(referringTo: table, isEnforced: true).map { [name, $0.name] }
            })
        // A column may have constraints to several tables, of which its structure tells one.
        let hidden = shown.subtracting(known).filter { pair in
            let column = tables[pair[0]]?.structure.columns.first { $0.name == pair[1] }
            return column?.foreignKey.map { $0.table == table } ?? true
        }
        if let other = known.subtracting(shown).union(hidden).map({ $0[0] }).min() {
            throw CatalogueErrors.noTable(other)
        }
        // A constraint of several columns has a row for each.
        var found: Set<[String]> = []
        return rows.compactMap { row in
            guard let child = row[0].string, let name = row[2].string, found.insert([child, name]).inserted else {
                return nil
            }
            return (child, name)
        }
    }
}
