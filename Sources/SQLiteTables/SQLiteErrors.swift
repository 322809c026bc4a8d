#if SQLite
import CSQLite3
import TableKit
import TableSQL

/// Turns SQLite's result codes into errors.
enum SQLiteErrors {
    /// - Parameters:
    ///   - code: the extended result code.
    ///   - status: the code that the call returned.
    static func error(_ code: Int32, _ status: Int32, _ message: String, _ path: String) -> SQLConnectionError {
        var error = SQLConnectionError(.statement, code: .engine, serverCode: "\(code)", "\(message) (\(path))")
        // SQLITE_CONSTRAINT, with the kind of constraint in the second byte.
        switch code {
        case 1555, 2067, 2579: error.code = .unique
        case 1299: error.code = .notNull
        case 787, 1811: error.code = .foreignKey
        default: primary(code & 0xff, message, &error)
        }
        if error.code == .unique || error.code == .notNull { name(message, &error) }
        return error
    }

    private static func primary(_ code: Int32, _ message: String, _ error: inout SQLConnectionError) {
        switch code {
        case SQLITE_ERROR:
            if message.hasPrefix("no such table") {
                error.code = .noTable
            } else if message.hasPrefix("no such column") || message.contains("has no column named") {
                error.code = .noColumn
            } else if message.hasSuffix("already exists") || message.hasPrefix("duplicate column name") {
                error.code = .exists
            } else if message.contains("syntax error") {
                error.code = .syntax
            } else if message.contains("FOREIGN KEY") || message.contains("foreign key") {
                error.code = .foreignKey
            }
        case SQLITE_CONSTRAINT: error.code = message.contains("FOREIGN KEY") ? .foreignKey : .unique
        case SQLITE_MISMATCH, SQLITE_RANGE: error.code = .type
        case SQLITE_TOOBIG: error.code = .argument
        case SQLITE_BUSY, SQLITE_LOCKED:
            error.kind = .conflict
            error.code = .conflict
        case SQLITE_CORRUPT, SQLITE_NOTADB: error.code = .corrupt
        case SQLITE_FULL: error.message += ": the disk is full; free space and try again"
        case SQLITE_CANTOPEN: error.code = .unavailable
        case SQLITE_INTERRUPT: error.kind = .cancelled
        default: break
        }
    }

    /// `UNIQUE constraint failed: Table.a, Table.b`
    private static func name(_ message: String, _ error: inout SQLConnectionError) {
        guard let colon = message.firstIndex(of: ":") else { return }
        let names = message[message.index(after: colon)...].prefix { $0 != "(" }
        let columns = names.split(separator: ",").map { part -> (table: Substring, column: Substring) in
            let part = part.drop { $0 == " " }
            guard let dot = part.firstIndex(of: ".") else { return ("", part) }
            return (part[..<dot], part[part.index(after: dot)...])
        }
        error.table = columns.first.map { String($0.table) }
        error.column = columns.map { String($0.column) }.joined(separator: ", ").trimmed
    }
}

extension String {
    fileprivate var trimmed: String {
        var text = Substring(self)
        while text.last == " " { text.removeLast() }
        return String(text)
    }
}
#endif
