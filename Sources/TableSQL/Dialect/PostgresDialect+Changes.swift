package import TableKit

extension PostgresDialect {
    /// The most rows in one statement. More would hardly lower the cost per row.
    private static let batchRows = 2000
    /// The most statements in one round trip; all are held in memory until they are sent.
    private static let batchStatements = 8

    package func insert(_ insert: SQLInsert, _ connection: any SQLConnection) throws -> SQLInsertOutcome {
        do { return try insertAll(insert, connection) } catch var error as SQLConnectionError
            where Self.outOfNumbers.contains(error.serverCode) && error.column == nil
            && insert.rows.contains(where: { takesNumber($0, insert) })
        {
            let structure = insert.table.structure
            error.message =
                "The key's type has no number left for a row without a key, or a value is beyond its column: "
                + error.message
            error.table = structure.name
            error.column = insert.numberColumn.map { structure.columns[$0].name }
            throw error
        }
    }

    /// SQLSTATEs of a number beyond the key's type: of ``returnedNumber(_:_:)``, and of the sequence.
    private static let outOfNumbers: Set<String?> = ["22003", "2200H"]

    /// A drawn number may exceed a key's type that the server lacks. The sum then exceeds the server's type, so the
    /// statement fails, and the COMMIT behind it does not run.
    package func returnedNumber(_ name: String, _ type: ColumnType) -> String {
        let (greatest, beyond): (Int64, Int64)
        switch type {
        case .int8: (greatest, beyond) = (Int64(Int8.max), Int64(Int16.max))
        case .uint8: (greatest, beyond) = (Int64(UInt8.max), Int64(Int16.max))
        case .uint16: (greatest, beyond) = (Int64(UInt16.max), Int64(Int32.max))
        case .uint32: (greatest, beyond) = (Int64(UInt32.max), Int64.max)
        default: return name
        }
        return "CASE WHEN \(name) > \(greatest) THEN \(name) + \(beyond)::\(typeName(type)) ELSE \(name) END"
    }

    /// Runs an update or a delete. An update that gives a row another key raises the sequence as an insert does.
    package func change(
        _ change: SQLChange, _ connection: any SQLConnection
    ) throws -> (count: Int, rows: [[ColumnValue]]) {
        guard change.changesKey, let column = change.table.numberColumn, let key = change.assigned[column] else {
            return try changeInOneTrip(change, connection)
        }
        var change = change
        change.closing = try raiseSequence(change.table, key.sequenceNumber, ifStored: key) + change.closing
        return try changeInOneTrip(change, connection)
    }

    private func insertAll(_ insert: SQLInsert, _ connection: any SQLConnection) throws -> SQLInsertOutcome {
        if let rows = insert.packed { return try self.insert(insert, rows, connection) }
        return try insert.inOrderOfReferences { try insertParts($0, connection) }
    }

    private func insertParts(_ insert: SQLInsert, _ connection: any SQLConnection) throws -> SQLInsertOutcome {
        // Rows with a key and rows that draw a number need different column lists. PostgreSQL refuses to replace a row
        // twice in one statement. The caller's order is kept.
        let key =
            insert.onConflict == .replace
            ? insert.table.structure.primaryKey.compactMap { insert.columns.firstIndex(of: $0) } : nil
        var parts: [SQLInsertPart] = []
        var start = 0
        while start < insert.rows.count {
            let isNumbered = takesNumber(insert.rows[start], insert)
            var end = start
            var keys: Set<ValueTuple> = []
            while end < insert.rows.count, end - start < Self.batchRows,
                takesNumber(insert.rows[end], insert) == isNumbered
            {
                if let key, !isNumbered {
                    let isNew = keys.insert(ValueTuple(key.map { insert.rows[end][$0] })).inserted
                    if !isNew { break }
                }
                end += 1
            }
            parts.append(try part(insert, Array(insert.rows[start..<end]), isNumbered))
            start = end
        }
        let place = insert.numberPlace
        let greatest = insert.rows.lazy.compactMap { row in place.flatMap { row[$0].sequenceNumber } }.max()
        let last = try raiseSequence(insert.table, greatest) + insert.closing
        var outcome = SQLInsertOutcome()
        for start in stride(from: 0, to: parts.count, by: Self.batchStatements) {
            let group = parts[start..<min(start + Self.batchStatements, parts.count)]
            let isLast = group.endIndex == parts.count
            let results = try connection.executeAll(group.map(\.statement) + (isLast ? last : []))
            for (part, result) in zip(group, results) { outcome.add(result, part, insert) }
        }
        return outcome
    }

    package func packs(_ insert: SQLInsert, _ rows: PackedRows) -> Bool {
        insert.onConflict == .fail && insert.returning.isEmpty && !insert.columns.isEmpty && rows.areTextsWithoutNull
            && insert.table.dateForms.isEmpty && !insert.refersToItself && insert.hasNumbers(rows)
    }

    /// Inserts rows as they were encoded: arrays of their columns.
    private func insert(
        _ insert: SQLInsert, _ rows: PackedRows, _ connection: any SQLConnection
    ) throws -> SQLInsertOutcome {
        let structure = insert.table.structure
        let head = "INSERT INTO \(try quote(structure.name)) ("
        let names = try insert.columns.map { try quote(structure.columns[$0].name) }.joined(separator: ", ")
        let parts = stride(from: 0, to: rows.count, by: Self.batchRows).map { start in
            var text = SQLText(self, head + names + ") SELECT * FROM unnest(")
            for column in rows.slots.indices {
                if column > 0 { text += ", " }
                text.bind(column: column, of: rows, start..<min(start + Self.batchRows, rows.count))
            }
            text += ")"
            return text.statement()
        }
        let numbers = insert.numberPlace.flatMap(rows.numbers)
        let last = try raiseSequence(insert.table, numbers?.greatest) + insert.closing
        for start in stride(from: 0, to: parts.count, by: Self.batchStatements) {
            let end = min(start + Self.batchStatements, parts.count)
            _ = try connection.executeAll(Array(parts[start..<end]) + (end == parts.count ? last : []))
        }
        var outcome = SQLInsertOutcome()
        outcome.count = rows.count
        outcome.lastInsertID = numbers?.last
        return outcome
    }

    /// Whether a row draws its key from the sequence.
    private func takesNumber(_ row: [ColumnValue], _ insert: SQLInsert) -> Bool {
        insert.numberColumn != nil && insert.numberPlace.map { row[$0].isNull } ?? true
    }

    /// The integer key that a row gives; nil if the row draws it.
    private func givenNumber(_ row: [ColumnValue], _ insert: SQLInsert) -> Int? {
        insert.numberPlace.flatMap { row[$0].int }
    }

    private func part(_ insert: SQLInsert, _ rows: [[ColumnValue]], _ isNumbered: Bool) throws -> SQLInsertPart {
        let structure = insert.table.structure
        let places = insert.columns.indices.filter { !isNumbered || insert.columns[$0] != insert.numberColumn }
        var text = SQLText(self, "INSERT INTO \(try quote(structure.name)) ")
        try append(rows, places, insert, to: &text)
        if !isNumbered || insert.onConflict == .ignore {
            try appendConflict(insert, given: places.map { insert.columns[$0] }, to: &text) { _ in "DEFAULT" }
        }
        let areAllStored = !isNumbered && insert.onConflict != .ignore
        let last = areAllStored ? rows.last.flatMap { givenNumber($0, insert) }.map(Int64.init) : nil
        return try insertPart(insert, text, last: last)
    }

    /// Appends the rows: one as VALUES, several as arrays, so that one prepared statement fits any number of rows.
    private func append(
        _ rows: [[ColumnValue]], _ places: [Int], _ insert: SQLInsert, to text: inout SQLText
    ) throws {
        let structure = insert.table.structure
        if places.isEmpty && rows.count == 1 { return text += "DEFAULT VALUES" }
        if places.isEmpty {
            // A column list cannot be empty, so one column gets DEFAULT explicitly.
            let name = try quote(structure.columns.first?.name ?? SQLTable.rowColumnName)
            text += "(\(name)) VALUES "
            return text += Array(repeating: "(DEFAULT)", count: rows.count).joined(separator: ", ")
        }
        let names = try places.map { try quote(structure.columns[insert.columns[$0]].name) }
        text += "(\(names.joined(separator: ", "))) "
        func type(_ place: Int) -> ColumnType { structure.columns[insert.columns[place]].type }
        let forms = places.map { insert.table.dateForms[structure.columns[insert.columns[$0]].name] }
        if rows.count == 1 {
            text += "VALUES ("
            for (number, place) in places.enumerated() {
                if number > 0 { text += ", " }
                text.bind(rows[0][place], type(place), forms[number])
            }
            return text += ")"
        }
        let terms = forms.enumerated().map { number, form in form?.value(ofSeconds: "a\(number)") ?? "a\(number)" }
        let hasForms = forms.contains { $0 != nil }
        text += "SELECT \(hasForms ? terms.joined(separator: ", ") : "*") FROM unnest("
        for (number, place) in places.enumerated() {
            if number > 0 { text += ", " }
            text.bind(array: rows.map { $0[place] }, type(place))
        }
        text += ")"
        if hasForms { text += " AS a(\(forms.indices.map { "a\($0)" }.joined(separator: ", ")))" }
    }

    /// Raises the sequence to the greatest given key: a sequence knows only the numbers that it made.
    /// - Parameter key: raises it only if a row has this key. An update may match none, and no rollback lowers a
    ///   sequence.
    private func raiseSequence(
        _ table: SQLTable, _ greatest: Int64?, ifStored key: ColumnValue? = nil
    ) throws -> [SQLStatement] {
        let structure = table.structure
        guard let column = table.numberColumn, let greatest, greatest > 0 else { return [] }
        // Another session may draw numbers between the read and setval, which then lowers the sequence. The insert of a
        // number that exists throws.
        var text = SQLText(self, "SELECT setval(s.name, s.value) FROM (SELECT pg_get_serial_sequence(")
        text.bind(.text(try quote(structure.name)), .string)
        text += ", "
        text.bind(.text(structure.columns[column].name), .string)
        text += ") AS name, "
        text.bind(.integer(greatest), .int64)
        text +=
            " AS value) AS s WHERE s.name IS NOT NULL AND s.value > COALESCE(pg_sequence_last_value(s.name::regclass), 0)"
        if let key {
            text += " AND EXISTS (SELECT 1 FROM \(try quote(structure.name)) WHERE "
            text += "\(try quote(structure.columns[column].name)) = "
            text.bind(key, structure.columns[column].type)
            text += ")"
        }
        return [text.statement(results: [.int64])]
    }
}

extension ColumnValue {
    /// The integer to which a key raises its sequence; nil for other values. Sequences end at `Int64.max`.
    fileprivate var sequenceNumber: Int64? {
        switch self {
        case .integer(let value): value
        case .unsigned(let value): Int64(clamping: value)
        default: nil
        }
    }
}
