extension ColumnType {
    /// The column type of an SQL type name: an exact ``sqlName``, else the first match of this list.
    ///
    /// `JSON_TEXT`, the name of JSON columns in SQLite files, is JSON.
    /// An empty name or one with `CHAR`, `CLOB`, `TEXT`, `STRING` or `URL` is a string. Then come `UUID`, `BOOL`,
    /// `JSON`, `DATE`, `TIME`; `INT`, `SERIAL` (64 bits); `BLOB`, `BYTEA`, `BINARY` (bytes). All others are reals.
    package init(sql name: String) {
        let name = name.uppercased()
        if let type = ColumnType.allCases.first(where: { $0.sqlName == name }) {
            self = type
            return
        }
        if name == Self.textualJSON {
            self = .json
            return
        }
        func has(_ parts: String...) -> Bool { parts.contains { name.contains($0) } }
        self =
            if name.isEmpty || has("CHAR", "CLOB", "TEXT", "STRING", "URL") { .string } else if has("UUID") {
                .uuid
            } else if has("BOOL") {
                .bool
            } else if has("JSON") {
                .json
            } else if has("DATE", "TIME") {
                .date
            } else if has("INT") || name == "SERIAL" || name == "BIGSERIAL" {
                has("UNSIGNED") ? .uint64 : .int64
            } else if has("BLOB", "BYTEA", "BINARY") {
                .bytes
            } else {
                .double
            }
    }

    /// The type name of JSON that SQLite stores as text. Columns declared `JSON` store `0.10` as the number 0.1.
    package static let textualJSON = "JSON_TEXT"

    /// The name of the type in SQL. ``init(sql:)`` maps it to the same type.
    package var sqlName: String {
        switch self {
        case .bool: "BOOLEAN"
        case .int8: "TINYINT"
        case .int16: "SMALLINT"
        case .int32: "INT32"
        case .int64: "INTEGER"
        case .uint8: "UINT8"
        case .uint16: "UINT16"
        case .uint32: "UINT32"
        case .uint64: "UINT64"
        case .float: "FLOAT32"
        case .double: "REAL"
        case .date: "TIMESTAMP"
        case .uuid: "UUID"
        case .string: "TEXT"
        case .bytes: "BLOB"
        case .json: "JSON"
        }
    }
}
