#if PEER_SQLITE
import CSQLite
import Foundation
import SiltstoneTesting
import TableKit

/// An error of SQLite.
struct SQLiteError: Error, CustomStringConvertible {
    let code: CInt
    let description: String

    /// Whether a row broke a constraint. NULL as a key that is SQLite's own row number is a mismatch to it.
    var isConstraint: Bool { code & 0xFF == SQLITE_CONSTRAINT || code == SQLITE_MISMATCH }
    /// Whether an integer sum left its range.
    var isOverflow: Bool { description.contains("integer overflow") }
}

/// A database of SQLite in memory. Used by one thread at a time.
final class SQLiteDatabase {
    private let handle: OpaquePointer

    init() throws {
        var opened: OpaquePointer?
        let status = sqlite3_open_v2(":memory:", &opened, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nil)
        guard status == SQLITE_OK, let opened else {
            throw SQLiteError(code: status, description: "SQLite opens no database in memory")
        }
        handle = opened
        sqlite3_extended_result_codes(opened, 1)
    }

    deinit { sqlite3_close_v2(handle) }

    /// The rows that the last change changed.
    var changes: Int { Int(sqlite3_changes(handle)) }

    /// Runs a statement.
    /// - Parameter types: the types as which the columns of the result are read.
    func run(_ text: String, _ bindings: [ColumnValue] = [], as types: [ColumnType] = []) throws -> [[ColumnValue]] {
        var prepared: OpaquePointer?
        let status = sqlite3_prepare_v2(handle, text, -1, &prepared, nil)
        defer { sqlite3_finalize(prepared) }
        guard status == SQLITE_OK, let statement = prepared else { throw error(text) }
        for (number, value) in bindings.enumerated() { bind(value, CInt(number + 1), statement) }
        var rows: [[ColumnValue]] = []
        while true {
            switch sqlite3_step(statement) {
            case SQLITE_ROW: rows.append(types.indices.map { value(statement, CInt($0), types[$0]) })
            case SQLITE_DONE: return rows
            default: throw error(text)
            }
        }
    }

    private func error(_ text: String) -> SQLiteError {
        SQLiteError(
            code: sqlite3_extended_errcode(handle), description: "\(String(cString: sqlite3_errmsg(handle))): \(text)")
    }

    private func bind(_ value: ColumnValue, _ place: CInt, _ statement: OpaquePointer) {
        // SQLITE_TRANSIENT: SQLite copies what it is given.
        let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        switch value {
        case .null: sqlite3_bind_null(statement, place)
        case .bool(let value): sqlite3_bind_int64(statement, place, value ? 1 : 0)
        case .integer(let value): sqlite3_bind_int64(statement, place, value)
        case .unsigned(let value): sqlite3_bind_double(statement, place, Double(value))
        case .real(let value): sqlite3_bind_double(statement, place, value)
        case .date(let value): sqlite3_bind_double(statement, place, value.timeIntervalSinceReferenceDate)
        case .uuid(let value): sqlite3_bind_text(statement, place, value.uuidString, -1, copied)
        case .text(let value), .json(let value): sqlite3_bind_text(statement, place, value, -1, copied)
        case .bytes(let value) where value.isEmpty: sqlite3_bind_zeroblob(statement, place, 0)
        case .bytes(let value): sqlite3_bind_blob(statement, place, value, CInt(value.count), copied)
        }
    }

    private func value(_ statement: OpaquePointer, _ place: CInt, _ type: ColumnType) -> ColumnValue {
        if sqlite3_column_type(statement, place) == SQLITE_NULL { return .null }
        func text() -> String {
            let bytes = UnsafeBufferPointer(
                start: sqlite3_column_text(statement, place), count: Int(sqlite3_column_bytes(statement, place)))
            return String(decoding: bytes, as: UTF8.self)
        }
        switch type {
        case .bool: return .bool(sqlite3_column_int64(statement, place) != 0)
        case .float, .double: return .real(sqlite3_column_double(statement, place))
        case .date:
            return .date(Date(timeIntervalSinceReferenceDate: sqlite3_column_double(statement, place)))
        case .uuid: return UUID(uuidString: text()).map(ColumnValue.uuid) ?? .text(text())
        case .string: return .text(text())
        case .json: return .json(text())
        case .bytes:
            let bytes = UnsafeRawBufferPointer(
                start: sqlite3_column_blob(statement, place), count: Int(sqlite3_column_bytes(statement, place)))
            return .bytes(Array(bytes))
        default: return .integer(sqlite3_column_int64(statement, place))
        }
    }
}
#endif
