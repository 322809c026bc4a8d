#if SQLite
import CSQLite3
import TableSQL

/// The SQL function that gives the JSON of a column as text, as reads do.
enum JSONFunction {
    /// Registers ``TableSQL/SQLiteDialect/jsonFunction`` with a connection.
    /// - Returns: SQLite's result code.
    static func register(_ handle: OpaquePointer?) -> Int32 {
        unsafe sqlite3_create_function_v2(
            handle, SQLiteDialect.jsonFunction, 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC, nil,
            { context, _, arguments in
                guard let context = unsafe context, let arguments = unsafe arguments else { return }
                unsafe JSONFunction.call(context, arguments[0])
            }, nil, nil, nil)
    }

    private static func call(_ context: OpaquePointer, _ value: OpaquePointer?) {
        guard let text = unsafe text(of: value) else { return unsafe sqlite3_result_value(context, value) }
        // A null pointer would give NULL.
        if text.isEmpty { return unsafe sqlite3_result_text(context, "", 0, SQLiteValues.transient) }
        unsafe text.withUnsafeBytes {
            unsafe sqlite3_result_text64(
                context, $0.baseAddress?.assumingMemoryBound(to: CChar.self), UInt64($0.count), SQLiteValues.transient,
                UInt8(SQLITE_UTF8))
        }
    }

    /// The text of a number or a blob; nil for text and NULL, which are their own.
    static func text(of value: OpaquePointer?) -> [UInt8]? {
        switch unsafe sqlite3_value_type(value) {
        case SQLITE_INTEGER: return Array("\(unsafe sqlite3_value_int64(value))".utf8)
        case SQLITE_FLOAT: return Array(SQLiteValues.json(unsafe sqlite3_value_double(value)).utf8)
        case SQLITE_BLOB:
            let start = unsafe sqlite3_value_blob(value)
            return unsafe Array(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_value_bytes(value))))
        default: return nil
        }
    }
}
#endif
