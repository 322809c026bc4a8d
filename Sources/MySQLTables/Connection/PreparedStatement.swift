#if MySQL
import CMariaDB
import TableKit
import TableSQL

/// A result that cannot be read, although its statement has succeeded.
struct UnreadableResult: Error {
    let error: SQLConnectionError
}

/// A statement prepared on the server, and the reader of its rows.
final class PreparedStatement {
    let raw: UnsafeMutablePointer<MYSQL_STMT>
    let reader = WireReader()
    let parameterCount: Int
    var lastUse = 0
    /// Whether it is kept for the next use of its text.
    fileprivate var isKept = false
    private var isClosed = false
    private var cursorType: UInt?
    /// The place of the parameters to which a single integer is bound.
    private var boundPlace: Int?

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
    /// - Throws: ``SQLConnectionError``, ``AnswerMissing``, ``UnreadableResult``.
    func execute(
        _ statement: SQLStatement, _ parameters: ParameterBuffer, _ link: MySQLLink, _ deadline: inout AnswerDeadline
    ) throws -> SQLResultSet {
        try bind(try parameters.encode(statement.parameters), statement.placeholders)
        try send(link, &deadline, cursorRows: nil)
        guard mysql_stmt_field_count(raw) > 0 else {
            return SQLResultSet(changedRows: Int(clamping: mysql_stmt_affected_rows(raw)))
        }
        try store(link, &deadline)
        defer { mysql_stmt_free_result(raw) }
        // The server's answer is complete.
        do { return try storedRows(of: statement) } catch let error as SQLConnectionError {
            throw UnreadableResult(error: error)
        }
    }

    /// Decodes the rows in memory.
    private func storedRows(of statement: SQLStatement) throws -> SQLResultSet {
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

    /// Runs a look-up and reads its row.
    /// - Returns: false if there is no row.
    /// - Throws: ``SQLConnectionError``, ``AnswerMissing``.
    func fetchRow(
        _ lookup: RowLookup, _ key: [ColumnValue], into row: RowAssembler, _ parameters: ParameterBuffer,
        _ link: MySQLLink, _ deadline: inout AnswerDeadline
    ) throws -> Bool {
        try bind(key, lookup, parameters)
        try send(link, &deadline, cursorRows: nil)
        try reader.begin(raw, as: lookup.results)
        row.begin()
        reader.read(into: row, lookup.slots)
        defer { reader.dropRow() }
        // Two fetches, of the row and of the end, cost less than a result in memory.
        var isFound = false
        while try fetch(link, &deadline) {
            isFound = true
            reader.dropRow()
        }
        mysql_stmt_free_result(raw)
        try reader.check()
        return isFound
    }

    /// Fetches a row from the server.
    /// - Returns: false at the end.
    private func fetch(_ link: MySQLLink, _ deadline: inout AnswerDeadline) throws -> Bool {
        var status: Int32 = 0
        try link.call(
            &deadline, { mysql_stmt_fetch_start(&status, raw) }, { mysql_stmt_fetch_cont(&status, raw, $0) })
        if status == 1 { throw MySQLError.error(raw) }
        return status != MYSQL_NO_DATA
    }

    /// Binds a key. An integer that is bound already only gets its value, and the server keeps its type.
    private func bind(_ key: [ColumnValue], _ lookup: RowLookup, _ parameters: ParameterBuffer) throws {
        guard key.count == 1, lookup.types[0] == .int64, case .integer(let number) = key[0] else {
            return try bind(try parameters.encode(key, lookup.types), key.count)
        }
        if boundPlace == parameters.place { return parameters.replaceFirst(number) }
        try bind(try parameters.encode(key, lookup.types), key.count)
        boundPlace = parameters.place
    }

    /// Reads all rows into memory.
    private func store(_ link: MySQLLink, _ deadline: inout AnswerDeadline) throws {
        var result: Int32 = 0
        try link.call(
            &deadline, { mysql_stmt_store_result_start(&result, raw) },
            { mysql_stmt_store_result_cont(&result, raw, $0) })
        if result != 0 { throw MySQLError.error(raw) }
    }

    /// Binds parameters, which must stay in place until the statement has run.
    func bind(_ values: UnsafeMutablePointer<MYSQL_BIND>?, _ count: Int) throws {
        boundPlace = nil
        guard count == parameterCount else {
            throw SQLConnectionError(
                .statement, code: .argument,
                "The statement has \(parameterCount) parameters, and not \(count).")
        }
        if count > 0, mysql_stmt_bind_param(raw, values) != 0 { throw MySQLError.error(raw) }
    }

    /// Runs the statement with its bound parameters and leaves its rows on the server.
    /// - Parameter cursorRows: the rows of a fetch; nil to use no cursor.
    func send(_ link: MySQLLink, _ deadline: inout AnswerDeadline, cursorRows: Int?) throws {
        var type = UInt(cursorRows == nil ? CURSOR_TYPE_NO_CURSOR.rawValue : CURSOR_TYPE_READ_ONLY.rawValue)
        if type != cursorType { mysql_stmt_attr_set(raw, STMT_ATTR_CURSOR_TYPE, &type) }
        cursorType = type
        if let cursorRows {
            var rows = UInt(cursorRows)
            mysql_stmt_attr_set(raw, STMT_ATTR_PREFETCH_ROWS, &rows)
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
    private var entries: [StatementText: PreparedStatement] = [:]
    private var uses = 0
    /// The last look-up, and its statement: finds the statement without its text.
    private var recent: (lookup: RowLookup, statement: PreparedStatement)?

    init(capacity: Int) { self.capacity = capacity }

    var count: Int { entries.count }

    /// Removes a statement, for the caller alone until ``giveBack(_:_:)``.
    mutating func take(_ text: String) -> PreparedStatement? {
        let statement = entries.removeValue(forKey: StatementText(text))
        statement?.isKept = false
        return statement
    }

    /// The kept statement of a look-up, for one use; nil if there is none.
    mutating func find(_ lookup: RowLookup) -> PreparedStatement? {
        uses += 1
        if let recent, recent.lookup === lookup, recent.statement.isKept {
            recent.statement.lastUse = uses
            return recent.statement
        }
        guard let statement = entries[StatementText(lookup.text)] else { return nil }
        recent = (lookup, statement)
        statement.lastUse = uses
        return statement
    }

    mutating func giveBack(_ statement: PreparedStatement, _ text: String) {
        let text = StatementText(text)
        guard capacity > 0, entries[text] == nil else { return statement.close() }
        if entries.count >= capacity, let oldest = entries.min(by: { $0.value.lastUse < $1.value.lastUse }) {
            oldest.value.isKept = false
            oldest.value.close()
            entries[oldest.key] = nil
        }
        uses += 1
        statement.lastUse = uses
        statement.isKept = true
        entries[text] = statement
    }

    /// Frees all statements, also on the server if the connection is open.
    mutating func removeAll() {
        for statement in entries.values {
            statement.isKept = false
            statement.close()
        }
        entries = [:]
        recent = nil
    }
}
#endif
