import Foundation

/// PRAGMA.
extension SQLExecution {
    func pragma(_ name: SQLName, _ argument: SQLName?) throws -> SQLResult {
        switch name.text.lowercased() {
        case "foreign_keys": return try foreignKeys(argument)
        case "table_list": return try tableList()
        case "table_info": return try tableInfo(try required(argument, name))
        case "index_list": return try indexList(try required(argument, name))
        default:
            throw CRUDSQLGenError.syntax("The pragma is not known.", at: name.token, supported: SQLGrammar.pragma)
        }
    }

    private func required(_ argument: SQLName?, _ name: SQLName) throws -> SQLName {
        if let argument { return argument }
        throw CRUDSQLGenError.syntax("The table is missing.", at: name.token, supported: SQLGrammar.pragma)
    }

    /// Foreign keys are always enforced: they can be switched on, but not off.
    private func foreignKeys(_ argument: SQLName?) throws -> SQLResult {
        guard let argument else { return SQLResult(columns: ["foreign_keys"], rows: [[.integer(1)]]) }
        if ["on", "1", "true", "yes"].contains(argument.text.lowercased()) { return SQLResult() }
        throw CRUDSQLGenError.syntax(
            "Foreign keys cannot be switched off.", at: argument.token, supported: "PRAGMA foreign_keys = ON.")
    }

    private func tableList() throws -> SQLResult {
        let rows = try session.tables().map { table -> [ColumnValue] in
            [
                .text("main"), .text(table.structure.name), .text("table"),
                .integer(Int64(table.structure.columns.count)), .integer(0), .integer(1),
            ]
        }
        return SQLResult(columns: ["schema", "name", "type", "ncol", "wr", "strict"], rows: rows)
    }

    private func tableInfo(_ name: SQLName) throws -> SQLResult {
        let names = ["cid", "name", "type", "notnull", "dflt_value", "pk"]
        guard let structure = try session.tableIfPresent(name)?.structure else {
            return SQLResult(columns: names, rows: [])
        }
        let rows = structure.columns.enumerated().map { number, column -> [ColumnValue] in
            let key = structure.primaryKey.firstIndex(of: number).map { $0 + 1 } ?? 0
            return [
                .integer(Int64(number)), .text(column.name), .text(column.type.sqlName),
                .integer(column.isOptional ? 0 : 1), column.defaultValue.map { .text($0.sqlLiteral) } ?? .null,
                .integer(Int64(key)),
            ]
        }
        return SQLResult(columns: names, rows: rows)
    }

    private func indexList(_ name: SQLName) throws -> SQLResult {
        let indexes = try session.tableIfPresent(name)?.indexes.map(\.definition) ?? []
        let rows = indexes.enumerated().map { number, index -> [ColumnValue] in
            [
                .integer(Int64(number)), .text(index.sqlName), .integer(index.isUnique ? 1 : 0),
                .text(index.columns.joined(separator: ", ")),
            ]
        }
        return SQLResult(columns: ["seq", "name", "unique", "columns"], rows: rows)
    }
}

extension ColumnValue {
    /// The value as an SQL literal.
    package var sqlLiteral: String {
        func hex(_ byte: UInt8) -> String { (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true) }
        return switch self {
        case .null: "NULL"
        case .bool(let value): value ? "TRUE" : "FALSE"
        case .integer(let value): String(value)
        case .unsigned(let value): String(value)
        // SQL has no numbers for infinities and NaN, but takes their names as texts of a real column.
        case .real(let value): value.isFinite ? String(value) : String(value).quoted(by: "'")
        case .date(let value): ColumnDate.format(value).quoted(by: "'")
        case .uuid(let value): value.uuidString.quoted(by: "'")
        case .text(let value), .json(let value): value.quoted(by: "'")
        case .bytes(let value): "x'" + value.map(hex).joined() + "'"
        }
    }
}
