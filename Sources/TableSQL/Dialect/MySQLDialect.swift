package import TableKit

import struct Foundation.UUID

/// MariaDB 10.6.18, 10.11.8, 11.4.2 and later, with InnoDB tables. MySQL lacks RETURNING, this collation without
/// padding, and the check of snapshot rows on change (`innodb_snapshot_isolation`).
///
/// Text compares by its UTF-8 bytes (`utf8mb4_nopad_bin`). Dates are doubles, in seconds since the reference date,
/// because DATETIME rounds to microseconds. UUIDs are 16 bytes, because the server's UUID type orders them differently.
package struct MySQLDialect: SQLDialect {
    package var name: String { "MariaDB" }
    package var hasArrays: Bool { false }

    /// Whether serial transactions read with locks. Otherwise they read a snapshot.
    package var isSerializable: Bool

    package init(isSerializable: Bool = true) { self.isSerializable = isSerializable }

    /// The most characters of a name.
    static let nameCharacters = 64
    /// The most bytes of a key or of a unique index.
    static let keyBytes = 3072

    package func quote(_ identifier: String) throws -> String {
        let scalars = identifier.unicodeScalars
        guard !scalars.isEmpty, scalars.count <= Self.nameCharacters, scalars.last != " ",
            scalars.allSatisfy({ $0.value > 0 && $0.value <= 0xffff })
        else {
            throw CRUDSQLGenError(
                "MariaDB's names have 1 to \(Self.nameCharacters) characters below U+10000, none of them null, and no space"
                    + " at the end: \"\(identifier)\"")
        }
        return "`\(doubling("`", in: identifier))`"
    }

    package func placeholder(_ number: Int, _ type: ColumnType) -> String { "?" }

    /// Text and bytes become hexadecimal digits, which no SQL mode changes.
    package func literal(_ value: ColumnValue, _ type: ColumnType) throws -> String {
        if let reason = refusal(of: value, type) { throw CRUDSQLGenError(reason, code: .type) }
        switch value {
        case .null: return "NULL"
        case .bool(let value): return value ? "1" : "0"
        case .integer(let value): return "\(value)"
        case .unsigned(let value): return "\(value)"
        case .real(let value): return Self.real(value)
        case .date(let value): return Self.real(value.timeIntervalSinceReferenceDate)
        case .uuid(let value): return "x'\(value.bytes.hexadecimal)'"
        case .text(let text), .json(let text): return "_utf8mb4 x'\(text.utf8.hexadecimal)'"
        case .bytes(let bytes): return "x'\(bytes.hexadecimal)'"
        }
    }

    /// A DOUBLE literal with the shortest digits that round-trip. Without an exponent it would be a decimal number.
    private static func real(_ value: Double) -> String {
        let text = "\(value)"
        return text.contains("e") ? text : text + "e0"
    }

    package func refusal(of value: ColumnValue, _ type: ColumnType) -> String? {
        switch value {
        case .real(let number) where !number.isFinite:
            "MariaDB stores neither NaN nor infinities; use an optional, or NULL"
        case .date(let date) where !date.timeIntervalSinceReferenceDate.isFinite:
            "MariaDB stores no date without a finite number of seconds"
        default: nil
        }
    }

    package func comparable(_ column: String, _ type: ColumnType) -> String { column }

    /// A decimal that compares exactly with integers; the server would compare an integer and a double as doubles. A
    /// double becomes its integer value, the half between its two neighbouring integers, or a number beyond all
    /// integers.
    package func widened(_ column: String, _ type: ColumnType) -> String {
        guard type.isFloatingPoint else { return column }
        return "(CASE WHEN \(column) >= 18446744073709551616e0 THEN 100000000000000000000"
            + " WHEN \(column) < -9223372036854775808e0 THEN -100000000000000000000"
            + " WHEN \(column) >= 9007199254740992e0 THEN CAST(\(column) AS UNSIGNED)"
            + " WHEN \(column) <= -9007199254740992e0 THEN CAST(\(column) AS SIGNED)"
            + " ELSE CAST(FLOOR(\(column)) AS SIGNED) + IF(\(column) = FLOOR(\(column)), 0, 0.5) END)"
    }

    package func ordered(_ expression: String, isDescending: Bool, isOptional: Bool) -> String {
        expression + (isDescending ? " DESC" : "")
    }

    package func limit(count: Int?, skip: Int) -> String {
        // OFFSET needs a LIMIT.
        if count == nil && skip <= 0 { return "" }
        return " LIMIT \(count.map { "\($0)" } ?? "\(UInt64.max)") OFFSET \(max(skip, 0))"
    }

    package func like(_ column: String, _ pattern: LikePattern, bind: (String) -> String) -> String {
        // The server's collations fold no letters or those of all alphabets. In GEOSTD8 only ASCII letters have two
        // cases, and every byte is valid: so the bytes are lower-cased as GEOSTD8.
        "CONVERT(CAST(LOWER(CONVERT(CAST(\(column) AS BINARY) USING geostd8)) AS BINARY) USING utf8mb4)"
            + " COLLATE \(Self.collation) LIKE \(bind(Self.foldingASCII(escaped(pattern)))) ESCAPE x'5c'"
    }

    /// The text with ASCII capitals in lower case.
    static func foldingASCII(_ text: String) -> String {
        String(decoding: text.utf8.map { $0 >= 0x41 && $0 <= 0x5a ? $0 + 0x20 : $0 }, as: UTF8.self)
    }

    /// Orders by code point, which equals the order of UTF-8 bytes, and compares trailing spaces.
    static let collation = "utf8mb4_nopad_bin"

    package func aggregate(
        _ aggregate: Aggregate, _ expression: String, _ type: ColumnType
    ) -> (expression: String, type: ColumnType)? {
        switch aggregate {
        case .sum where type.isInteger: ("CAST(SUM(\(expression)) AS CHAR)", .string)
        case .sum where type.isFloatingPoint: ("SUM(\(expression))", .double)
        case .average where type.isFloatingPoint: ("AVG(\(expression))", .double)
        // AVG of integers is a decimal with four digits after the point. The exact sum is divided instead.
        case .average where type.isInteger:
            ("CAST(SUM(\(expression)) AS DOUBLE) / COUNT(\(expression))", .double)
        default: standardAggregate(aggregate, expression, type)
        }
    }

    package func explain(_ statement: SQLStatement) -> SQLStatement {
        SQLStatement(
            "EXPLAIN FORMAT=JSON \(statement.text)", statement.parameters, results: [.string], isRepeated: false)
    }
}

extension UUID {
    /// The 16 bytes.
    package var bytes: [UInt8] {
        let b = uuid
        return [b.0, b.1, b.2, b.3, b.4, b.5, b.6, b.7, b.8, b.9, b.10, b.11, b.12, b.13, b.14, b.15]
    }
}
