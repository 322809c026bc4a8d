#if PostgreSQL
import CPostgreSQL
import TableKit
import TableSQL

/// Owns a result of libpq.
struct PostgresResult: ~Copyable {
    private let raw: OpaquePointer

    init(_ raw: OpaquePointer) { self.raw = raw }

    deinit { PQclear(raw) }

    /// The library's result, which the caller must clear.
    consuming func take() -> OpaquePointer {
        let raw = raw
        discard self
        return raw
    }

    var hasRows: Bool { PQresultStatus(raw) == PGRES_TUPLES_OK }

    /// The kind of a result.
    enum Outcome {
        case done, failed
        /// An earlier statement of the pipeline has failed.
        case skipped
        /// The end of a round trip.
        case synced
    }

    var outcome: Outcome {
        switch PQresultStatus(raw) {
        case PGRES_TUPLES_OK, PGRES_COMMAND_OK, PGRES_EMPTY_QUERY: .done
        case PGRES_PIPELINE_ABORTED: .skipped
        case PGRES_PIPELINE_SYNC: .synced
        default: .failed
        }
    }

    /// Whether the command tag equals one without a row count, such as `COMMIT`.
    func hasTag(_ tag: String) -> Bool {
        guard let text = PQcmdStatus(raw) else { return false }
        return String(cString: text) == tag
    }

    /// A field of the error.
    func diagnostic(_ field: DiagnosticField) -> String? {
        PQresultErrorField(raw, field.rawValue).map { String(cString: $0) }
    }

    /// libpq's message, for errors that are not the server's: they have no fields. Nil if there is none.
    var libraryMessage: String? {
        guard let text = PQresultErrorMessage(raw), text.pointee != 0 else { return nil }
        return PostgresLink.oneLine(text)
    }

    /// The complete result, with values of these types.
    func set(as types: [ColumnType]) throws -> SQLResultSet {
        var set = SQLResultSet()
        if let count = PQcmdTuples(raw), count.pointee != 0 { set.changedRows = Int(String(cString: count)) ?? 0 }
        guard !types.isEmpty else { return set }
        let columns = try decoders(types)
        let rows = PQntuples(raw)
        set.rows.reserveCapacity(Int(rows))
        for row in 0..<rows { set.rows.append(try values(row, columns)) }
        return set
    }

    /// Reads the first row into `row`.
    /// - Parameter entry: the statement of the result, which keeps its decoders.
    /// - Returns: false if there is no row.
    func firstRow(_ lookup: RowLookup, _ entry: PreparedStatements.Entry, into row: RowAssembler) throws -> Bool {
        // The types of a prepared statement's columns never change.
        if entry.decoders.isEmpty { entry.decoders = try decoders(lookup.results) }
        guard PQntuples(raw) > 0 else { return false }
        row.begin()
        // A table without any of the columns has a result without a place.
        for number in lookup.slots.indices {
            let position = Int32(number)
            guard let start = PQgetvalue(raw, 0, position), PQgetisnull(raw, 0, position) == 0 else { continue }
            let cell = WireCell(UnsafeRawBufferPointer(start: start, count: Int(PQgetlength(raw, 0, position))))
            guard try entry.decoders[number].store(cell, row, lookup.slots[number]) else { throw misfit(number) }
        }
        return true
    }

    private func decoders(_ types: [ColumnType]) throws -> [CellDecoder] {
        let count = Int(PQnfields(raw))
        guard count == types.count else {
            throw SQLConnectionError(
                .statement, code: .argument, "The result has \(count) columns instead of \(types.count).")
        }
        return try types.enumerated().map { number, type in
            let source = PostgresType(rawValue: PQftype(raw, Int32(number)))
            guard let decoder = CellDecoder(source, as: type), PQfformat(raw, Int32(number)) == 1 else {
                throw misfit(number, "has a type (\(source.rawValue)) that cannot be read as \(type)")
            }
            return decoder
        }
    }

    private func values(_ row: Int32, _ columns: [CellDecoder]) throws -> [ColumnValue] {
        var values: [ColumnValue] = []
        values.reserveCapacity(columns.count)
        for (number, column) in columns.enumerated() {
            let position = Int32(number)
            guard let start = PQgetvalue(raw, row, position), PQgetisnull(raw, row, position) == 0 else {
                values.append(.null)
                continue
            }
            let cell = WireCell(UnsafeRawBufferPointer(start: start, count: Int(PQgetlength(raw, row, position))))
            guard let value = column.decode(cell) else {
                throw misfit(number)
            }
            values.append(value)
        }
        return values
    }

    private func misfit(
        _ number: Int,
        _ reason: String = "holds a value that is out of the range of its type in the program, or no UTF-8"
    ) -> SQLConnectionError {
        let name = PQfname(raw, Int32(number)).map { String(cString: $0) } ?? "\(number)"
        return SQLConnectionError(.statement, code: .type, "The column \(name) \(reason).", column: name)
    }
}

/// The error fields that the adapter reads, by libpq's letters.
enum DiagnosticField: Int32 {
    /// The severity in English, whatever the server's language.
    case severity = 86  // V
    case state = 67  // C
    case message = 77  // M
    case detail = 68  // D
    case hint = 72  // H
    case schema = 115  // s
    case table = 116  // t
    case column = 99  // c
    case constraint = 110  // n
    case sourceFunction = 82  // R
}
#endif
