package import TableKit

import struct Foundation.Date
import struct Foundation.UUID

/// SQLite 3.35 and later, in files that Perfect-SQLite also reads and writes.
///
/// Columns are declared with ``ColumnType/sqlName``, JSON with ``ColumnType/textualJSON``, from which the exact type is
/// read back. Values that SQLite's
/// numbers cannot hold use a storage class with the right place in SQLite's order: NaN is the text `NaN`, above all
/// numbers; integers above `Int64.max` are blobs of eight bytes, big-endian, above all others.
package struct SQLiteDialect: SQLDialect {
    package var name: String { "SQLite" }
    package var hasArrays: Bool { false }

    package init() {}

    package func quote(_ identifier: String) throws -> String {
        if identifier.isEmpty || identifier.utf8.contains(0) {
            throw CRUDSQLGenError("SQLite's names are not empty and have no null character: \"\(identifier)\"")
        }
        return "\"\(doubling("\"", in: identifier))\""
    }

    package func placeholder(_ number: Int, _ type: ColumnType) -> String { "?\(number)" }

    package func literal(_ value: ColumnValue, _ type: ColumnType) throws -> String {
        func quoted(_ text: String) -> String {
            // A null character would end the statement.
            if text.utf8.contains(0) { return "(CAST(\(Self.hex(Array(text.utf8))) AS TEXT))" }
            return "'\(doubling("'", in: text))'"
        }
        switch value {
        case .null: return "NULL"
        case .bool(let value): return value ? "1" : "0"
        case .integer(let value): return value == .min ? "(-9223372036854775807 - 1)" : "\(value)"
        case .unsigned(let value): return Self.hex(Self.bytes(of: value))
        case .real(let value): return Self.real(value)
        case .date(let value): return Self.real(value.timeIntervalSinceReferenceDate)
        case .uuid(let value): return "'\(value.uuidString)'"
        case .text(let text), .json(let text): return quoted(text)
        case .bytes(let bytes): return Self.hex(bytes)
        }
    }

    private static func real(_ value: Double) -> String {
        if value.isNaN { return "'NaN'" }
        if value.isInfinite { return value < 0 ? "-9e999" : "9e999" }
        return "\(value)"
    }

    private static func hex(_ bytes: [UInt8]) -> String {
        "x'\(bytes.hexadecimal)'"
    }

    /// The blob that stores a number above `Int64.max`.
    package static func bytes(of value: UInt64) -> [UInt8] {
        stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: value >> UInt64($0)) }
    }

    package func refusal(of value: ColumnValue, _ type: ColumnType) -> String? { nil }

    /// JSON compares as text, whatever the file stores.
    package func comparable(_ column: String, _ type: ColumnType) -> String {
        type == .json ? "\(Self.jsonFunction)(\(column))" : column
    }

    package func grouped(_ column: String, _ type: ColumnType) -> String { comparable(column, type) }

    package func ordered(_ expression: String, isDescending: Bool, isOptional: Bool) -> String {
        expression + (isDescending ? " DESC" : "")
    }

    package func limit(count: Int?, skip: Int) -> String {
        count == nil && skip <= 0 ? "" : " LIMIT \(count ?? -1) OFFSET \(max(skip, 0))"
    }

    /// The SQL function that connections register, with the arguments text, pattern and place
    /// (``TableKit/LikePattern/Place``). SQLite's LIKE ends both the text and the pattern at a null character.
    package static let patternFunction = "siltstone_like"

    /// The SQL function that connections register: the JSON that a column holds, as text. In columns declared `JSON`,
    /// the file may hold a number or a blob instead.
    package static let jsonFunction = "siltstone_json"

    package func like(_ column: String, _ pattern: LikePattern, bind: (String) -> String) -> String {
        "\(Self.patternFunction)(\(column), \(bind(pattern.text)), \(pattern.place.rawValue))"
    }

    package func truth(_ value: Bool?) -> String { value.map { $0 ? "1" : "0" } ?? "NULL" }

    package func aggregate(
        _ aggregate: Aggregate, _ expression: String, _ type: ColumnType
    ) -> (expression: String, type: ColumnType)? {
        // SQLite's sums overflow and count text and blobs as 0. The engine sums in memory.
        standardAggregate(aggregate, expression, type)
    }

    package func explain(_ statement: SQLStatement) -> SQLStatement {
        SQLStatement(
            "EXPLAIN QUERY PLAN \(statement.text)", statement.parameters,
            results: [.int64, .int64, .int64, .string], isRepeated: false)
    }
}
