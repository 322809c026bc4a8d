#if MySQL
import CMariaDB
import TableKit
import TableSQL

/// A statement prepared on the server, and the reader of its rows.
final class PreparedStatement {
    let raw: UnsafeMutablePointer<MYSQL_STMT>
    let reader = WireReader()
    let parameterCount: Int
    var lastUse = 0
    private var isClosed = false

    /// - Throws: ``SQLConnectionError``, ``AnswerMissing``.
    init(_ text: String, _ link: MySQLLink, _ deadline: inout AnswerDeadline) throws {
        guard let raw = mysql_stmt_init(link.raw) else {
            throw SQLConnectionError(.connectionLost, code: .unavailable, link.message)
        }
        var text = text
        var result: Int32 = 0
        do {
            // The library copies the text before it first returns.
            try text.withUTF8 { bytes in
                try bytes.withMemoryRebound(to: CChar.self) { bytes in
                    try link.call(
                        &deadline,
                        { mysql_stmt_prepare_start(&result, raw, bytes.baseAddress, UInt(bytes.count)) },
                        { mysql_stmt_prepare_cont(&result, raw, $0) })
                }
            }
            if result != 0 { throw MySQLError.error(raw) }
        } catch let error as SQLConnectionError {
            mysql_stmt_close(raw)
            throw error
        }
        self.raw = raw
        parameterCount = Int(mysql_stmt_param_count(raw))
        reader.install(raw)
    }

    /// Frees the statement, and deallocates it on the server if the connection is open.
    func close() {
        if !isClosed { mysql_stmt_close(raw) }
        isClosed = true
    }

    deinit { close() }

    /// Runs the statement and reads all its rows.
    /// - Throws: ``SQLConnectionError``, ``AnswerMissing``.
    func execute(
        _ statement: SQLStatement, _ parameters: ParameterBuffer, _ link: MySQLLink, _ deadline: inout AnswerDeadline
    ) throws -> SQLResultSet {
        try send(statement, parameters, link, &deadline, cursorRows: nil)
        guard mysql_stmt_field_count(raw) > 0 else {
            return SQLResultSet(changedRows: Int(clamping: mysql_stmt_affected_rows(raw)))
        }
        var result: Int32 = 0
        try link.call(
            &deadline, { mysql_stmt_store_result_start(&result, raw) },
            { mysql_stmt_store_result_cont(&result, raw, $0) })
        if result != 0 { throw MySQLError.error(raw) }
        defer { mysql_stmt_free_result(raw) }
        try reader.begin(raw, as: statement.results)
        var set = SQLResultSet()
        if statement.results.isEmpty { return set }
        set.rows.reserveCapacity(Int(clamping: mysql_stmt_num_rows(raw)))
        // The rows are in memory: this cannot block.
        while true {
            let status = mysql_stmt_fetch(raw)
            if status == MYSQL_NO_DATA { break }
            if status == 1 { throw MySQLError.error(raw) }
            set.rows.append(try reader.takeRow())
        }
        set.changedRows = set.rows.count
        return set
    }

    /// Runs the statement and leaves its rows on the server.
    /// - Parameter cursorRows: the rows of a fetch; nil to use no cursor.
    func send(
        _ statement: SQLStatement, _ parameters: ParameterBuffer, _ link: MySQLLink, _ deadline: inout AnswerDeadline,
        cursorRows: Int?
    ) throws {
        guard statement.parameters.count == parameterCount else {
            throw SQLConnectionError(
                .statement, code: .argument,
                "The statement has \(parameterCount) parameters, and not \(statement.parameters.count).")
        }
        var type = UInt(cursorRows == nil ? CURSOR_TYPE_NO_CURSOR.rawValue : CURSOR_TYPE_READ_ONLY.rawValue)
        mysql_stmt_attr_set(raw, STMT_ATTR_CURSOR_TYPE, &type)
        if let cursorRows {
            var rows = UInt(cursorRows)
            mysql_stmt_attr_set(raw, STMT_ATTR_PREFETCH_ROWS, &rows)
        }
        if parameterCount > 0, mysql_stmt_bind_param(raw, try parameters.encode(statement.parameters)) != 0 {
            throw MySQLError.error(raw)
        }
        var result: Int32 = 0
        try link.call(
            &deadline, { mysql_stmt_execute_start(&result, raw) }, { mysql_stmt_execute_cont(&result, raw, $0) })
        if result != 0 { throw MySQLError.error(raw) }
    }
}

/// The unused prepared statements of one connection, by text. A new one replaces the least recently used.
struct PreparedStatements {
    private let capacity: Int
    private var entries: [String: PreparedStatement] = [:]
    private var uses = 0

    init(capacity: Int) { self.capacity = capacity }

    var count: Int { entries.count }

    /// Removes a statement, for the caller alone until ``giveBack(_:_:)``.
    mutating func take(_ text: String) -> PreparedStatement? { entries.removeValue(forKey: text) }

    mutating func giveBack(_ statement: PreparedStatement, _ text: String) {
        guard capacity > 0, entries[text] == nil else { return statement.close() }
        if entries.count >= capacity, let oldest = entries.min(by: { $0.value.lastUse < $1.value.lastUse }) {
            oldest.value.close()
            entries[oldest.key] = nil
        }
        uses += 1
        statement.lastUse = uses
        entries[text] = statement
    }

    /// Frees all statements. Close the connection first.
    mutating func removeAll() {
        for statement in entries.values { statement.close() }
        entries = [:]
    }
}
#endif
