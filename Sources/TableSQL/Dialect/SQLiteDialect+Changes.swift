package import TableKit

extension SQLiteDialect {
    /// The most rows in one statement.
    private static let batchRows = 256
    /// The most placeholders in one statement.
    private static let maximumParameters = 32_766

    /// SQLITE_FULL: the disk is full, or the largest row number is used.
    private static let full = "13"

    /// Where the first column of the table is a real, RETURNING makes a real of the key that is the number of the row, which is
    /// another number above 2^53 (seen in 3.40). An expression is left as it is.
    package func returnedNumber(_ name: String, _ type: ColumnType) -> String { "coalesce(\(name), NULL)" }

    /// A JSON number as a blob, where the column would turn its text into a number of SQLite and lose digits.
    /// - Throws: `unsupported` for other text, which would lose its form: 007 would be 7.
    package func bound(_ value: ColumnValue, to column: Int, of table: SQLTable) throws -> ColumnValue {
        guard !table.makesNumbers.isEmpty, table.makesNumbers[column] else { return value }
        switch value {
        case .json(let text) where Self.isNumber(text): return .bytes(Array(text.utf8))
        case .text(let text) where Self.mayChange(text): throw CRUDSQLExeError.number(text, table.structure, column)
        default: return value
        }
    }

    /// Whether JSON is a number: no other JSON begins like one.
    private static func isNumber(_ text: String) -> Bool {
        text.utf8.first { $0 > 0x20 }.map("0123456789-+.".utf8.contains) ?? false
    }

    /// Whether SQLite may take a text for a number that it would write in another way.
    private static func mayChange(_ text: String) -> Bool {
        guard isNumber(text), Int64(text).map(String.init) != text else { return false }
        let words = text.split(whereSeparator: \.isWhitespace)
        // Swift reads hexadecimal numbers, too.
        return words.count == 1 && Double(words[0]) != nil && words[0].utf8.allSatisfy("0123456789-+.eE".utf8.contains)
    }

    /// The insert with the defaults that SQLite would turn into numbers.
    private func completed(_ insert: SQLInsert) -> SQLInsert {
        let table = insert.table
        var insert = insert
        for column in table.makesNumbers.indices where table.makesNumbers[column] {
            guard case .json(let text)? = table.structure.columns[column].defaultValue, Self.isNumber(text),
                !insert.columns.contains(column)
            else { continue }
            insert.columns.append(column)
            for row in insert.rows.indices { insert.rows[row].append(.json(text)) }
        }
        return insert
    }

    package func insert(_ insert: SQLInsert, _ connection: any SQLConnection) throws -> SQLInsertOutcome {
        let insert = completed(insert)
        let most = max(1, min(Self.batchRows, Self.maximumParameters / max(1, insert.columns.count)))
        if insert.rows.count <= most { return try self.insert(insert, most, connection) }
        return try insert.inOrderOfReferences { try self.insert($0, most, connection) }
    }

    private func insert(
        _ insert: SQLInsert, _ most: Int, _ connection: any SQLConnection
    ) throws -> SQLInsertOutcome {
        var outcome = SQLInsertOutcome()
        for start in stride(from: 0, to: insert.rows.count, by: most) {
            let rows = Array(insert.rows[start..<min(start + most, insert.rows.count)])
            do { try run(insert, rows, connection, &outcome) } catch let error as SQLConnectionError {
                throw try keyError(of: error, insert, rows, connection) ?? error
            }
        }
        return outcome
    }

    /// The error of an insert whose key SQLite's row numbers cannot hold; nil if the error has another reason.
    private func keyError(
        of error: SQLConnectionError, _ insert: SQLInsert, _ rows: [[ColumnValue]], _ connection: any SQLConnection
    ) throws -> CRUDSQLExeError? {
        guard let key = insert.numberColumn else { return nil }
        let (table, place) = (insert.table.structure, insert.numberPlace)
        let given = place.map { place in rows.map { $0[place] } } ?? []
        if error.code == .type, given.contains(where: { if case .unsigned = $0 { true } else { false } }) {
            return .aboveRowNumbers(table, key)
        }
        guard error.serverCode == Self.full, place == nil || given.contains(.null) else { return nil }
        func first(_ text: String, _ parameters: [SQLStatement.Parameter] = []) throws -> ColumnValue? {
            var statement = SQLStatement(text, parameters, results: [.int64])
            statement.explainsFailure = true
            return try connection.execute(statement).rows.first?.first
        }
        if try first("SELECT 1 FROM sqlite_schema WHERE name = 'sqlite_sequence'") == nil { return nil }
        let last = try first(
            "SELECT seq FROM sqlite_sequence WHERE name = ?1", [.value(.text(table.name), .string)])
        guard case .integer(let last)? = last, last > .max - Int64(rows.count) else { return nil }
        return CRUDSQLExeError("The table has no more row numbers.", code: .argument, table: table.name)
    }

    /// Runs a change. SQLite reports NULL, or a number above `Int64.max`, in a key that is the rowid only as a wrong
    /// type.
    package func change(
        _ change: SQLChange, _ connection: any SQLConnection
    ) throws -> (count: Int, rows: [[ColumnValue]]) {
        if change.reachesOwnRows { return try deleteAfterRead(change, connection) }
        do { return try changeInOneTrip(change, connection) } catch let error as SQLConnectionError
            where error.code == .type
        {
            let structure = change.table.structure
            if let place = change.table.numberColumn, case .unsigned? = change.assigned[place] {
                throw CRUDSQLExeError.aboveRowNumbers(structure, place)
            }
            guard let place = structure.primaryKey.first(where: { change.assigned[$0]?.isNull == true }) else {
                throw error
            }
            throw CRUDSQLExeError(
                "The key cannot be NULL.", code: .notNull, table: structure.name, column: structure.columns[place].name)
        }
    }

    private func run(
        _ insert: SQLInsert, _ rows: [[ColumnValue]], _ connection: any SQLConnection, _ outcome: inout SQLInsertOutcome
    ) throws {
        let structure = insert.table.structure
        if insert.columns.isEmpty && rows.count > 1 {
            for row in rows { try run(insert, [row], connection, &outcome) }
            return
        }
        var text = SQLText(self, "INSERT INTO \(try quote(structure.name)) ")
        if insert.columns.isEmpty {
            text += "DEFAULT VALUES"
        } else {
            let names = try insert.columns.map { try quote(structure.columns[$0].name) }
            text += "(\(names.joined(separator: ", "))) VALUES "
            for (number, row) in rows.enumerated() {
                text += number == 0 ? "(" : ", ("
                for (place, value) in row.enumerated() {
                    if place > 0 { text += ", " }
                    let column = insert.columns[place]
                    text.bind(try bound(value, to: column, of: insert.table), structure.columns[column].type)
                }
                text += ")"
            }
            // SQLite has no DEFAULT in an update.
            try appendConflict(insert, given: insert.columns, to: &text) { number in
                if let computed = insert.table.serverColumn(number)?.computedDefault { return "(\(computed))" }
                return try literal(structure.columns[number].defaultValue ?? .null, structure.columns[number].type)
            }
        }
        try run(insert, text, connection, &outcome)
    }
}

extension CRUDSQLExeError {
    /// Text for a column that would store a number.
    fileprivate static func number(_ text: String, _ table: TableStructure, _ column: Int) -> CRUDSQLExeError {
        CRUDSQLExeError(
            "SQLite would store the text '\(text)' as a number: the declared type of this column makes numbers of texts. "
                + "Copy the rows into a table that create() has made.",
            code: .unsupported, table: table.name, column: table.columns[column].name)
    }

    /// A key that SQLite's row numbers cannot hold.
    fileprivate static func aboveRowNumbers(_ table: TableStructure, _ column: Int) -> CRUDSQLExeError {
        CRUDSQLExeError(
            "SQLite's row numbers end at \(Int64.max); the key is above.", code: .type, table: table.name,
            column: table.columns[column].name)
    }
}
