#if MySQL
import CMariaDB
import TableKit
import TableSQL

/// Turns error numbers into errors.
enum MySQLError {
    static func error(_ statement: UnsafeMutablePointer<MYSQL_STMT>) -> SQLConnectionError {
        error(mysql_stmt_errno(statement), String(cString: mysql_stmt_error(statement)))
    }

    static func error(_ link: MySQLLink) -> SQLConnectionError { error(link.number, link.message) }

    /// - Parameters:
    ///   - number: an error number of the server, or of the library from 2000 on.
    ///   - message: its message.
    static func error(_ number: UInt32, _ message: String) -> SQLConnectionError {
        let (kind, code) = meaning(number)
        var error = SQLConnectionError(
            kind, code: code, serverCode: isOfServer(number) ? "\(number)" : nil, message, advice: advice(number))
        switch number {
        case 1062, 1586: name(duplicate: message, &error)
        case 1451, 1452: name(reference: message, &error)
        case 1048, 1364, 1263, 1054, 1264, 1265, 1366, 1406, 1292:
            error.column = quoted(message).last.map { $0.split(separator: ".").last.map(String.init) ?? $0 }
        case 1146: error.table = quoted(message).first.map { $0.split(separator: ".").last.map(String.init) ?? $0 }
        default: break
        }
        return error
    }

    /// Whether the server reported the error. Otherwise the library did, and the server may be unreachable.
    static func isOfServer(_ number: UInt32) -> Bool { !(2000..<3000).contains(number) }

    /// The meaning of an error number.
    static func meaning(_ number: UInt32) -> (SQLConnectionError.Kind, TableErrorCode) {
        switch number {
        // A deadlock, a lock time-out, rows or tables changed since the snapshot, or a conflict with another cluster
        // node.
        case 1213, 1205, 1020, 1412, 1615: (.conflict, .conflict)
        case 1969, 3024: (.timedOut, .engine)
        // A shutdown, a killed connection, a node that has left its cluster, or a server that refuses writes.
        case 1053, 1077, 1078, 1079, 1080, 1152, 1156...1161, 1184, 1927, 1047, 1290, 1836, 4031, 2000..<3000:
            (.connectionLost, .unavailable)
        case 1040, 1203, 1226, 1044, 1045, 1049, 1251, 1698, 1130, 1129: (.noConnection, .unavailable)
        case 1062, 1022, 1169, 1586, 1761, 1762: (.statement, .unique)
        case 1216, 1217, 1451, 1452: (.statement, .foreignKey)
        case 1048, 1263, 1364: (.statement, .notNull)
        case 1146, 1051, 1109: (.statement, .noTable)
        case 1054: (.statement, .noColumn)
        case 1091, 1176: (.statement, .noIndex)
        case 1050, 1060, 1061: (.statement, .exists)
        case 1064, 1065, 1149: (.statement, .syntax)
        case 1264, 1265, 1292, 1366, 1367, 1690: (.statement, .type)
        // 1406: a text or bytes too long for their column, such as a key. 167, 1467: no number is left for a new row.
        case 167, 1467, 1069, 1070, 1071, 1074, 1117, 1118, 1153, 1170, 1406, 4025: (.statement, .argument)
        case 1179, 1305, 1568, 1792: (.statement, .transaction)
        case 1005, 1142, 1143, 1227, 1235, 1295, 1553, 1828, 1829, 1831, 4169: (.statement, .unsupported)
        case 1194, 1034, 1712, 1877: (.statement, .corrupt)
        default: (.statement, .engine)
        }
    }

    /// Advice that the server's message lacks.
    private static func advice(_ number: UInt32) -> String? {
        switch number {
        case 1021, 1114: "The server's disk is full: nothing of the statement is stored; make room and repeat it"
        case 1047: "The node is no part of its cluster at the moment"
        case 1193: "This adapter needs MariaDB from 10.6.18, 10.11.8 or 11.4.2 on"
        case 1290, 1836: "The server takes no writes"
        case 4169: "A unique index cannot have an integer that is the key beside text or bytes"
        default: nil
        }
    }

    /// `Duplicate entry 'a-1' for key 'PRIMARY'`
    private static func name(duplicate message: String, _ error: inout SQLConnectionError) {
        guard let end = message.range(of: "' for key '", from: .end), let start = message.firstIndex(of: "'"),
            start < end.lowerBound
        else { return }
        error.key = String(message[message.index(after: start)..<end.lowerBound])
        error.column = String(message[end.upperBound...].prefix { $0 != "'" })
    }

    /// `… fails (`db`.`child`, CONSTRAINT `c` FOREIGN KEY (`parent`) REFERENCES `Parent` (`id`) …)`
    private static func name(reference message: String, _ error: inout SQLConnectionError) {
        let names = message.split(separator: "`", omittingEmptySubsequences: false)
        guard names.count > 7 else { return }
        error.table = String(names[3])
        error.column = String(names[7])
    }

    /// The texts in single quotes.
    private static func quoted(_ message: String) -> [String] {
        let parts = message.split(separator: "'", omittingEmptySubsequences: false)
        return stride(from: 1, to: parts.count - 1, by: 2).map { String(parts[$0]) }
    }
}

extension String {
    fileprivate enum Side { case end }

    /// The last occurrence of a text.
    fileprivate func range(of text: String, from side: Side) -> Range<Index>? { ranges(of: text).last }
}
#endif
