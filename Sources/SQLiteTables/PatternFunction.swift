#if SQLite
import CSQLite3
import TableKit
import TableSQL

/// The SQL function that matches a text with a pattern as every engine of tables does, null characters included.
enum PatternFunction {
    /// Registers ``TableSQL/SQLiteDialect/patternFunction`` with a connection.
    /// - Returns: SQLite's result code.
    static func register(_ handle: OpaquePointer?) -> Int32 {
        unsafe sqlite3_create_function_v2(
            handle, SQLiteDialect.patternFunction, 3, SQLITE_UTF8 | SQLITE_DETERMINISTIC, nil,
            { context, _, arguments in
                guard let context = unsafe context, let arguments = unsafe arguments else { return }
                unsafe PatternFunction.call(context, arguments)
            }, nil, nil, nil)
    }

    private static func call(_ context: OpaquePointer, _ arguments: UnsafeMutablePointer<OpaquePointer?>) {
        // Without a result, a function returns NULL.
        guard unsafe sqlite3_value_type(arguments[0]) != SQLITE_NULL else { return }
        let pattern = unsafe pattern(context, arguments)
        let isMatch: Bool
        if let text = unsafe JSONFunction.text(of: arguments[0]) {
            isMatch = unsafe text.withUnsafeBytes { unsafe pattern.matches($0) }
        } else {
            isMatch = unsafe pattern.matches(bytes(arguments[0]))
        }
        unsafe sqlite3_result_int(context, isMatch ? 1 : 0)
    }

    /// The pattern, which SQLite keeps while a statement runs.
    private static func pattern(
        _ context: OpaquePointer, _ arguments: UnsafeMutablePointer<OpaquePointer?>
    ) -> TextPattern {
        if let kept = unsafe sqlite3_get_auxdata(context, 1) {
            return unsafe Unmanaged<KeptPattern>.fromOpaque(kept).takeUnretainedValue().pattern
        }
        let text = unsafe String(decoding: bytes(arguments[1]), as: UTF8.self)
        let place = LikePattern.Place(rawValue: UInt8(clamping: unsafe sqlite3_value_int(arguments[2])))
        let made = KeptPattern(TextPattern(LikePattern(text, place ?? .whole)))
        unsafe sqlite3_set_auxdata(context, 1, Unmanaged.passRetained(made).toOpaque()) { kept in
            if let kept = unsafe kept { unsafe Unmanaged<KeptPattern>.fromOpaque(kept).release() }
        }
        return made.pattern
    }

    private static func bytes(_ value: OpaquePointer?) -> UnsafeRawBufferPointer {
        // The text first: the call may convert the value, which changes the count.
        let text = unsafe sqlite3_value_text(value)
        return unsafe UnsafeRawBufferPointer(start: text, count: text == nil ? 0 : Int(sqlite3_value_bytes(value)))
    }

    private final class KeptPattern {
        let pattern: TextPattern

        init(_ pattern: TextPattern) { self.pattern = pattern }
    }
}
#endif
