#if SQLite
import CSQLite3
import Foundation
import TableKit
import TableSQL

/// Binds and reads values.
enum SQLiteValues {
    /// Makes SQLite copy the bound bytes.
    static let transient = unsafe unsafeBitCast(-1, to: sqlite3_destructor_type.self)

    static func bind(_ value: ColumnValue, _ type: ColumnType, _ statement: OpaquePointer, _ place: Int32) -> Int32 {
        switch value {
        case .null: unsafe sqlite3_bind_null(statement, place)
        case .bool(let value): unsafe sqlite3_bind_int(statement, place, value ? 1 : 0)
        case .integer(let value): unsafe sqlite3_bind_int64(statement, place, value)
        case .unsigned(let value): unsafe bind(SQLiteDialect.bytes(of: value), statement, place)
        case .real(let value): unsafe bind(value, statement, place)
        case .date(let value): unsafe bind(value.timeIntervalSinceReferenceDate, statement, place)
        case .uuid(let value): unsafe bind(value.uuidString, statement, place)
        case .text(let value), .json(let value): unsafe bind(value, statement, place)
        case .bytes(let value): unsafe bind(value, statement, place)
        }
    }

    private static func bind(_ value: Double, _ statement: OpaquePointer, _ place: Int32) -> Int32 {
        // SQLite stores NaN as NULL. The text `NaN` is above all numbers, as tables order NaN.
        unsafe value.isNaN ? bind("NaN", statement, place) : sqlite3_bind_double(statement, place, value)
    }

    private static func bind(_ value: String, _ statement: OpaquePointer, _ place: Int32) -> Int32 {
        var value = value
        return value.withUTF8 { bytes in
            unsafe bytes.withMemoryRebound(to: CChar.self) { text in
                // A null pointer would bind NULL.
                unsafe text.baseAddress.map {
                    unsafe sqlite3_bind_text64(statement, place, $0, UInt64(text.count), transient, UInt8(SQLITE_UTF8))
                }
                    ?? sqlite3_bind_text(statement, place, "", 0, transient)
            }
        }
    }

    private static func bind(_ value: [UInt8], _ statement: OpaquePointer, _ place: Int32) -> Int32 {
        if value.isEmpty { return unsafe sqlite3_bind_zeroblob(statement, place, 0) }
        return unsafe value.withUnsafeBytes {
            unsafe sqlite3_bind_blob64(statement, place, $0.baseAddress, UInt64($0.count), transient)
        }
    }

    /// A column of the current row, as a value of a type.
    /// - Throws: `SQLConnectionError` with `TableErrorCode.type` if it cannot be converted.
    static func column(_ statement: OpaquePointer, _ place: Int32, _ type: ColumnType) throws -> ColumnValue {
        func error(_ message: String) -> SQLConnectionError {
            SQLConnectionError(
                .statement, code: .type, message,
                column: unsafe sqlite3_column_name(statement, place).map { unsafe String(cString: $0) })
        }
        let stored: ColumnValue
        switch unsafe sqlite3_column_type(statement, place) {
        case SQLITE_NULL: return .null
        case SQLITE_INTEGER: stored = unsafe .integer(sqlite3_column_int64(statement, place))
        case SQLITE_FLOAT: stored = unsafe .real(sqlite3_column_double(statement, place))
        case SQLITE_TEXT:
            guard let text = unsafe text(statement, place) else {
                throw error(
                    "The column holds text that is no UTF-8: find it by hex(), and store it anew as UTF-8 or as a blob")
            }
            stored = .text(text)
        default: stored = unsafe .bytes(bytes(statement, place))
        }
        if let value = value(stored, type) { return value }
        throw error("The value \(stored) is none of type \(type), or out of its range")
    }

    private static func value(_ stored: ColumnValue, _ type: ColumnType) -> ColumnValue? {
        switch (stored, type) {
        case (.bytes(let bytes), .uint64) where bytes.count == 8:
            ColumnValue(bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
        case (.text("NaN"), .float), (.text("NaN"), .double): .real(.nan)
        case (.text("NaN"), .date): .date(Date(timeIntervalSinceReferenceDate: .nan))
        // In columns declared `JSON`, SQLite stores JSON numbers as numbers, this library as bytes.
        case (.text(let value), .json): .json(value)
        case (.integer(let value), .json): .json("\(value)")
        case (.real(let value), .json): .json(json(value))
        case (.bytes(let value), .json): String(validating: value, as: UTF8.self).map(ColumnValue.json)
        case (.integer(let value), .date): .date(Date(timeIntervalSinceReferenceDate: Double(value)))
        default: stored.coerced(to: type)
        }
    }

    /// A number as JSON. SQLite stores numbers beyond all reals as infinity.
    static func json(_ value: Double) -> String { value.isInfinite ? (value < 0 ? "-1e999" : "1e999") : "\(value)" }

    /// The text of a column; nil if it is no UTF-8, which SQLite does not check.
    private static func text(_ statement: OpaquePointer, _ place: Int32) -> String? {
        unsafe String(
            validating: UnsafeRawBufferPointer(
                start: sqlite3_column_text(statement, place), count: Int(sqlite3_column_bytes(statement, place))),
            as: UTF8.self)
    }

    private static func bytes(_ statement: OpaquePointer, _ place: Int32) -> [UInt8] {
        unsafe Array(
            UnsafeRawBufferPointer(
                start: sqlite3_column_blob(statement, place), count: Int(sqlite3_column_bytes(statement, place))))
    }
}
#endif
