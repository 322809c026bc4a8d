package import TableKit

extension MySQLDialect {
    /// The most placeholders in one statement.
    private static let maximumParameters = 65_535
    /// Rows of one statement: enough to make its cost small beside that of its rows, and a number that programs choose
    /// for their batches, which then are one statement.
    private static let batchRows = 1000

    package func insert(_ insert: SQLInsert, _ connection: any SQLConnection) throws -> SQLInsertOutcome {
        try insert.table.naming {
            switch insert.onConflict {
            case .ignore: try insertMissing(insert, connection)
            case .replace where insert.table.canConflictElsewhere: try replaceEach(insert, connection)
            case .fail, .replace: try insertAll(insert, connection)
            }
        }
    }

    package func isOneStatement(_ insert: SQLInsert) -> Bool {
        guard insert.count == 1 || Self.batch(of: insert.count, most: mostRows(insert)) == insert.count
        else { return false }
        return isDirect(insert)
    }

    package func isOneStatement(_ change: SQLChange) -> Bool {
        // An update with returned rows reads them first.
        if !change.assigned.isEmpty { return change.returning.isEmpty }
        return !change.reachesOwnRows && !change.givesDefaults
    }

    package func packs(_ insert: SQLInsert, _ rows: PackedRows) -> Bool {
        isDirect(insert) && insert.returning.isEmpty && !insert.columns.isEmpty && rows.areFinite
            && !insert.refersToItself && insert.hasNumbers(rows)
    }

    /// Whether the server itself does what the insert asks for in a conflict.
    private func isDirect(_ insert: SQLInsert) -> Bool {
        insert.onConflict == .fail || (insert.onConflict == .replace && !insert.table.canConflictElsewhere)
    }

    private func mostRows(_ insert: SQLInsert) -> Int {
        max(1, min(Self.batchRows, Self.maximumParameters / max(1, insert.columns.count)))
    }

    /// Inserts rows. With ``InsertStatement/Conflict/replace``, rows with an existing key replace the old ones.
    private func insertAll(_ insert: SQLInsert, _ connection: any SQLConnection) throws -> SQLInsertOutcome {
        if let rows = insert.packed { return try insertPacked(insert, rows, connection) }
        return try insert.inOrderOfReferences { try insertInOrder($0, connection) }
    }

    private func insertInOrder(_ insert: SQLInsert, _ connection: any SQLConnection) throws -> SQLInsertOutcome {
        var outcome = SQLInsertOutcome()
        let most = mostRows(insert)
        var start = 0
        while start < insert.rows.count {
            let count = Self.batch(of: insert.rows.count - start, most: most)
            try run(insert, insert.rows[start..<start + count], connection, &outcome)
            start += count
        }
        // The server counts a replaced row twice.
        outcome.count = insert.rows.count
        return outcome
    }

    /// Inserts rows as they were encoded.
    private func insertPacked(
        _ insert: SQLInsert, _ rows: PackedRows, _ connection: any SQLConnection
    ) throws -> SQLInsertOutcome {
        let numbers = insert.numberPlace.flatMap(rows.numbers)
        let most = mostRows(insert)
        var outcome = SQLInsertOutcome()
        var start = 0
        while start < rows.count {
            let count = Self.batch(of: rows.count - start, most: most)
            var text = try head(insert)
            text.bind(rows, start..<start + count)
            text += try tail(insert)
            try run(insert, text, connection, &outcome, last: numbers?.last)
            start += count
        }
        outcome.count = rows.count
        return outcome
    }

    /// The statement behind its rows.
    private func tail(_ insert: SQLInsert) throws -> String {
        guard insert.onConflict == .replace, !insert.table.structure.primaryKey.isEmpty else { return "" }
        return " ON DUPLICATE KEY UPDATE \(try replacement(insert))"
    }

    /// The statement up to its rows.
    private func head(_ insert: SQLInsert) throws -> SQLText {
        let structure = insert.table.structure
        let names = try insert.columns.map { try quote(structure.columns[$0].name) }
        return SQLText(self, "INSERT INTO \(try quote(structure.name)) (\(names.joined(separator: ", "))) VALUES ")
    }

    /// The rows of the next statement: `most` or a power of two, so that few statement texts are prepared.
    private static func batch(of left: Int, most: Int) -> Int {
        if left >= most { return most }
        var count = 1
        while count * 2 <= left { count *= 2 }
        return min(count, most)
    }

    private func run(
        _ insert: SQLInsert, _ rows: ArraySlice<[ColumnValue]>, _ connection: any SQLConnection,
        _ outcome: inout SQLInsertOutcome
    ) throws {
        let structure = insert.table.structure
        var text = try head(insert)
        text.bind(rows: rows, insert.columns.map { structure.columns[$0].type })
        text += try tail(insert)
        let last = insert.numberPlace.flatMap { rows.last?[$0].int }.map(Int64.init)
        try run(insert, text, connection, &outcome, last: last)
    }

    /// Assignments for every column outside of the key: the given value or the column's default.
    private func replacement(_ insert: SQLInsert) throws -> String {
        let structure = insert.table.structure
        let sets = try insert.replacedColumns.map { number in
            let name = try quote(structure.columns[number].name)
            return "\(name) = \(insert.columns.contains(number) ? "VALUES(\(name))" : "DEFAULT(\(name))")"
        }
        if !sets.isEmpty { return sets.joined(separator: ", ") }
        let key = try quote(structure.columns[structure.primaryKey[0]].name)
        return "\(key) = \(key)"
    }

    /// Inserts the rows whose key does not exist. INSERT IGNORE lost: it hides other errors, too.
    private func insertMissing(_ insert: SQLInsert, _ connection: any SQLConnection) throws -> SQLInsertOutcome {
        var seen: Set<ValueTuple> = []
        var missing = insert
        missing.onConflict = .fail
        missing.rows = try insert.rows.filter { row in
            guard let key = insert.key(of: row) else { return true }
            if try seen.insert(ValueTuple(key)).inserted && !exists(key, insert.table, connection) { return true }
            // An ignored row must be valid, too.
            try insert.checkNotNull(row)
            return false
        }
        return missing.rows.isEmpty ? SQLInsertOutcome() : try insertAll(missing, connection)
    }

    /// Replaces rows one by one in a table with other unique indexes. ON DUPLICATE KEY UPDATE lost: it replaces the row
    /// that conflicts in any of them.
    private func replaceEach(_ insert: SQLInsert, _ connection: any SQLConnection) throws -> SQLInsertOutcome {
        var outcome = SQLInsertOutcome()
        for row in insert.rows {
            var one = insert
            one.rows = [row]
            if let key = insert.key(of: row), try exists(key, insert.table, connection) {
                try replace(key, row, insert, connection)
                one.onConflict = .replace
                guard !insert.returning.isEmpty else {
                    outcome.count += 1
                    if let place = insert.numberPlace, let number = row[place].int {
                        outcome.lastInsertID = Int64(number)
                    }
                    continue
                }
            } else {
                one.onConflict = .fail
            }
            let result = try insertAll(one, connection)
            outcome.count += 1
            outcome.lastInsertID = result.lastInsertID ?? outcome.lastInsertID
            outcome.rows += result.rows
        }
        return outcome
    }

    /// Updates the row with this key. Throws if the new values conflict with another row.
    private func replace(
        _ key: [ColumnValue], _ row: [ColumnValue], _ insert: SQLInsert, _ connection: any SQLConnection
    ) throws {
        let structure = insert.table.structure
        let others = insert.replacedColumns
        if others.isEmpty { return }
        var text = SQLText(self, "UPDATE \(try quote(structure.name)) SET ")
        for (number, column) in others.enumerated() {
            let name = try quote(structure.columns[column].name)
            text += "\(number == 0 ? "" : ", ")\(name) = "
            if let place = insert.columns.firstIndex(of: column) {
                text.bind(row[place], structure.columns[column].type)
            } else {
                text += "DEFAULT(\(name))"
            }
        }
        try append(key, structure, to: &text)
        _ = try connection.execute(text.statement())
    }

    /// Whether a row with this key exists. Locks the key until the transaction ends.
    private func exists(_ key: [ColumnValue], _ table: SQLTable, _ connection: any SQLConnection) throws -> Bool {
        var text = SQLText(self, "SELECT 1 FROM \(try quote(table.structure.name))")
        try append(key, table.structure, to: &text)
        text += " FOR UPDATE"
        return try !connection.execute(text.statement(results: [.int64])).rows.isEmpty
    }

    private func append(_ key: [ColumnValue], _ structure: TableStructure, to text: inout SQLText) throws {
        for (number, column) in structure.primaryKey.enumerated() {
            text += "\(number == 0 ? " WHERE " : " AND ")\(try quote(structure.columns[column].name)) = "
            text.bind(key[number], structure.columns[column].type)
        }
    }

    // MARK: Updates and deletes

    /// Runs an update or a delete. UPDATE has no RETURNING: the rows are read before, with locks, and given the values
    /// that the update sets.
    package func change(
        _ change: SQLChange, _ connection: any SQLConnection
    ) throws -> (count: Int, rows: [[ColumnValue]]) {
        try change.table.naming { try run(change, connection) }
    }

    private func run(
        _ change: SQLChange, _ connection: any SQLConnection
    ) throws -> (count: Int, rows: [[ColumnValue]]) {
        if change.assigned.isEmpty {
            if change.reachesOwnRows {
                // Read before the defaults are set: the rows are returned as they were.
                return try deleteAfterRead(change, lock: " FOR UPDATE", connection) {
                    try setDefaults(before: change, connection)
                }
            }
            try setDefaults(before: change, connection)
            var text = try change.text()
            let results = try appendReturning(change.returning, of: change.table, to: &text)
            let result = try connection.execute(text.statement(results: results))
            return (change.returning.isEmpty ? result.changedRows : result.rows.count, result.rows)
        }
        guard !change.returning.isEmpty else {
            return (try connection.execute(change.text().statement()).changedRows, [])
        }
        let rows = try matchingRows(change, lock: " FOR UPDATE", connection)
        let count = try connection.execute(change.text().statement()).changedRows
        let changed = rows.map { row in zip(row, change.returning).map { change.assigned[$1] ?? $0 } }
        return (count, changed)
    }

    /// Performs ON DELETE SET DEFAULT, which the server lacks, before the delete. The server then refuses rows that
    /// still refer to a deleted one.
    private func setDefaults(before delete: SQLChange, _ connection: any SQLConnection) throws {
        guard delete.givesDefaults else { return }
        let tables = delete.tables.values.sorted { $0.structure.name < $1.structure.name }
        try setDefaults(delete.table.structure, [], tables, connection, deleted: delete.condition)
    }

    /// Sets the defaults of rows that refer to deleted ones, also to those that are deleted by CASCADE.
    /// - Parameters:
    ///   - path: the tables from whose rows the cascade comes. It is not followed in a circle.
    ///   - deleted: appends the condition of the rows that are deleted.
    private func setDefaults(
        _ parent: TableStructure, _ path: Set<String>, _ tables: [SQLTable], _ connection: any SQLConnection,
        deleted: (inout SQLText) throws -> Void
    ) throws {
        guard parent.primaryKey.count == 1 else { return }
        let path = path.union([parent.name])
        for child in tables.map(\.structure) {
            for column in child.columns where column.foreignKey?.table == parent.name {
                let name = try quote(column.name)
                func condition(_ text: inout SQLText) throws {
                    text += " WHERE \(name) IN (SELECT \(try quote(parent.columns[parent.primaryKey[0]].name))"
                    text += " FROM \(try quote(parent.name))"
                    try deleted(&text)
                    text += ")"
                }
                switch column.foreignKey?.onDelete {
                case .setDefault:
                    var text = SQLText(self, "UPDATE \(try quote(child.name)) SET \(name) = DEFAULT(\(name))")
                    try condition(&text)
                    _ = try connection.execute(text.statement())
                case .cascade where !path.contains(child.name):
                    try setDefaults(child, path, tables, connection, deleted: condition)
                default: break
                }
            }
        }
    }
}

extension SQLInsert {
    /// The key of a row; nil if it is not given or is drawn from the counter.
    fileprivate func key(of row: [ColumnValue]) -> [ColumnValue]? {
        let places = table.structure.primaryKey.compactMap { columns.firstIndex(of: $0) }
        guard !places.isEmpty, places.count == table.structure.primaryKey.count else { return nil }
        let key = places.map { row[$0] }
        return key.contains { $0.isNull } ? nil : key
    }

    /// Throws ``TableErrorCode/notNull`` if a row that has its key lacks a value for another column.
    fileprivate func checkNotNull(_ row: [ColumnValue]) throws {
        for (number, column) in table.structure.columns.enumerated() where !column.isOptional {
            let place = columns.firstIndex(of: number)
            let hasDefault = !column.needsValue || table.serverColumn(number) != nil
            if place.map({ !row[$0].isNull }) ?? hasDefault { continue }
            throw CRUDSQLExeError(
                "The column cannot be NULL.", code: .notNull, table: table.structure.name, column: column.name)
        }
    }
}

extension SQLChange {
    /// Whether a delete may set rows to their default, directly or behind a cascade.
    fileprivate var givesDefaults: Bool {
        func parents(_ table: SQLTable) -> some Sequence<String> {
            table.structure.columns.lazy.compactMap(\.foreignKey).filter { $0.onDelete == .setDefault }.map(\.table)
        }
        // Few databases have any.
        guard tables.values.contains(where: { parents($0).contains { _ in true } }) else { return false }
        let deleting = tables.values.cascading(from: table.structure.name)
        return tables.values.contains { parents($0).contains(where: deleting.contains) }
    }
}

extension SQLTable {
    /// Whether rows can conflict outside of the primary key.
    fileprivate var canConflictElsewhere: Bool { hasOtherUniques || info.indexes.contains { $0.definition.isUnique } }

    /// Runs `body` and completes its error with the table and the columns of an index, which the server does not
    /// report.
    fileprivate func naming<R>(_ body: () throws -> R) throws -> R {
        do { return try body() } catch var error as SQLConnectionError {
            error.table = error.table ?? structure.name
            if error.code == .unique, let name = error.column {
                let columns =
                    name == "PRIMARY"
                    ? structure.primaryKey.map { structure.columns[$0].name }
                    : info.indexes.first { $0.definition.name == name }?.definition.columns
                error.column = columns?.joined(separator: ", ") ?? name
            }
            throw error
        }
    }
}
