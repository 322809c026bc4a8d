#if PostgreSQL
import TableKit
import TableSQL

/// Turns the server's diagnostics into errors.
enum PostgresError {
    /// The error of a failed result.
    static func error(_ result: borrowing PostgresResult) -> SQLConnectionError {
        let state = result.diagnostic(.state)
        var meaning = state.map(meaning(_:)) ?? (.statement, .engine)
        // Two sessions make a table, an index or a type of one name: the later one violates an index of the catalogue.
        if state == "23505", result.diagnostic(.schema) == "pg_catalog" { meaning = (.statement, .exists) }
        // The server closes the connection after such an error.
        let severity = result.diagnostic(.severity)
        if severity == "FATAL" || severity == "PANIC" { meaning = (.connectionLost, .unavailable) }
        let text = result.diagnostic(.message) ?? result.libraryMessage ?? "The server gave no reason"
        let (columns, key) = keyAndColumns(result.diagnostic(.detail))
        let details = [text, result.diagnostic(.detail), result.diagnostic(.hint)].compactMap { $0 }
        return SQLConnectionError(
            meaning.0, code: meaning.1, serverCode: state, details.asSentences,
            advice: state.flatMap(advice(_:)), table: result.diagnostic(.table),
            column: result.diagnostic(.column) ?? columns ?? result.diagnostic(.constraint), key: key)
    }

    /// The meaning of a SQLSTATE.
    static func meaning(_ state: String) -> (SQLConnectionError.Kind, TableErrorCode) {
        switch state {
        case "40003": return (.unknownOutcome, .engine)
        case "57014", "55P03": return (.timedOut, .engine)
        case "57P01", "57P02", "57P03", "57P05", "25P03": return (.connectionLost, .unavailable)
        case "23505", "23P01": return (.statement, .unique)
        case "23503", "23001": return (.statement, .foreignKey)
        case "23502": return (.statement, .notNull)
        // 22001: a text too long for its column.
        case "23514", "22001": return (.statement, .argument)
        case "42P01", "3F000": return (.statement, .noTable)
        case "42703": return (.statement, .noColumn)
        case "42704": return (.statement, .noIndex)
        case "42P07", "42701", "42710", "42P06": return (.statement, .exists)
        case "42601", "42602", "42622": return (.statement, .syntax)
        case "42804", "42846", "42883", "42P18": return (.statement, .type)
        case "3D000", "53300": return (.noConnection, .unavailable)
        default: return classMeaning(state.prefix(2))
        }
    }

    /// The meaning of the class of a SQLSTATE, its first two characters.
    private static func classMeaning(_ group: Substring) -> (SQLConnectionError.Kind, TableErrorCode) {
        switch group {
        case "08": (.connectionLost, .unavailable)
        case "28": (.noConnection, .unavailable)
        case "40": (.conflict, .conflict)
        case "22": (.statement, .type)
        case "25": (.statement, .transaction)
        case "54": (.statement, .argument)
        case "0A": (.statement, .unsupported)
        case "XX": (.statement, .corrupt)
        default: (.statement, .engine)
        }
    }

    /// Advice that the server's message lacks.
    static func advice(_ state: String) -> String? {
        switch state {
        case "53100": "The server's disk is full: nothing of the statement is stored; make room and repeat it"
        case "53200": "The server is out of memory"
        case "25006": "The server is a standby, or the session only reads"
        case "55P03": "Another transaction holds the lock"
        case "26000": "A pooler between program and server may have switched servers: set preparedStatements to 0"
        default: nil
        }
    }

    /// Whether a server that refuses a write may be a standby, and not only the transaction or the session read-only.
    /// - Parameter inHotStandby: what the server reports; nil from PostgreSQL 12 and 13, which do not.
    static func mayBeStandby(_ inHotStandby: String?, inReadOnlyTransaction: Bool) -> Bool {
        inHotStandby.map { $0 == "on" } ?? !inReadOnlyTransaction
    }

    /// The columns and the key in a detail such as `Key (id)=(5) already exists.`, in any language.
    static func keyAndColumns(_ detail: String?) -> (columns: String?, key: String?) {
        guard let detail, let opening = detail.firstIndex(of: "("), let middle = detail.firstRange(of: ")=(") else {
            return (nil, nil)
        }
        let start = detail.index(after: opening)
        guard start <= middle.lowerBound, let end = detail[middle.upperBound...].lastIndex(of: ")") else {
            return (nil, nil)
        }
        return (String(detail[start..<middle.lowerBound]), String(detail[middle.upperBound..<end]))
    }
}
#endif
