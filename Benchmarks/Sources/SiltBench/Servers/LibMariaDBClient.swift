#if SERVER_MARIADB
import CMariaDB
import Foundation

/// MariaDB by libmariadb. A batch is one statement of many rows, which is a transaction by itself.
final class LibMariaDBClient: PlainClient {
    static var version: String { "libmariadb \(String(cString: mysql_get_client_info()))" }

    private static let columns = 6
    private static let textBytes = 256

    private let connection: UnsafeMutablePointer<MYSQL>
    private var select: UnsafeMutablePointer<MYSQL_STMT>
    private var insertion: UnsafeMutablePointer<MYSQL_STMT>?
    /// What the library writes a row into.
    private let key = UnsafeMutablePointer<Int64>.allocate(capacity: 1)
    private let numbers = UnsafeMutablePointer<Int64>.allocate(capacity: 2)
    private let reals = UnsafeMutablePointer<Double>.allocate(capacity: 2)
    private let texts = UnsafeMutablePointer<UInt8>.allocate(capacity: 2 * textBytes)
    private let lengths = UnsafeMutablePointer<UInt>.allocate(capacity: columns)
    private let nulls = UnsafeMutablePointer<my_bool>.allocate(capacity: columns)
    /// What it reads a batch from.
    private var binds: [MYSQL_BIND] = []
    private var bytes: [UInt8] = []
    private var starts: [Int] = []

    /// - Parameter address: `mysql://user@host:port/database`.
    init(_ address: String) throws {
        guard let url = URL(string: address), let connection = mysql_init(nil) else {
            throw BenchmarkError("libmariadb cannot be set up for \(address)")
        }
        self.connection = connection
        guard
            mysql_real_connect(
                connection, url.host, url.user, nil, String(url.path.dropFirst()), UInt32(url.port ?? 3306), nil, 0)
                != nil
        else { throw BenchmarkError("libmariadb: \(String(cString: mysql_error(connection)))") }
        mysql_set_character_set(connection, "utf8mb4")
        guard let select = mysql_stmt_init(connection) else { throw BenchmarkError("libmariadb has no memory") }
        self.select = select
        try prepare(select, "SELECT `id`, `name`, `group`, `score`, `created`, `note` FROM `Player` WHERE `id` = ?")
        try bindFind()
    }

    func close() {
        mysql_stmt_close(select)
        if let insertion { mysql_stmt_close(insertion) }
        mysql_close(connection)
        key.deallocate()
        numbers.deallocate()
        reals.deallocate()
        texts.deallocate()
        lengths.deallocate()
        nulls.deallocate()
    }

    private func prepare(_ statement: UnsafeMutablePointer<MYSQL_STMT>, _ text: String) throws {
        try check(statement, mysql_stmt_prepare(statement, text, UInt(text.utf8.count)))
    }

    private func check(_ statement: UnsafeMutablePointer<MYSQL_STMT>, _ result: some FixedWidthInteger) throws {
        if result != 0 { throw BenchmarkError("libmariadb: \(String(cString: mysql_stmt_error(statement)))") }
    }

    // MARK: Reading

    private func bindFind() throws {
        var parameter = Self.bind(MYSQL_TYPE_LONGLONG, UnsafeMutableRawPointer(key), 8)
        try check(select, mysql_stmt_bind_param(select, &parameter))
        var results = [
            Self.bind(MYSQL_TYPE_LONGLONG, UnsafeMutableRawPointer(numbers), 8),
            Self.bind(MYSQL_TYPE_STRING, UnsafeMutableRawPointer(texts), Self.textBytes),
            Self.bind(MYSQL_TYPE_LONGLONG, UnsafeMutableRawPointer(numbers + 1), 8),
            Self.bind(MYSQL_TYPE_DOUBLE, UnsafeMutableRawPointer(reals), 8),
            Self.bind(MYSQL_TYPE_DOUBLE, UnsafeMutableRawPointer(reals + 1), 8),
            Self.bind(MYSQL_TYPE_STRING, UnsafeMutableRawPointer(texts + Self.textBytes), Self.textBytes),
        ]
        for number in results.indices {
            results[number].length = lengths + number
            results[number].is_null = nulls + number
        }
        try check(select, mysql_stmt_bind_result(select, &results))
    }

    private static func bind(_ type: enum_field_types, _ buffer: UnsafeMutableRawPointer, _ count: Int) -> MYSQL_BIND {
        var bind = MYSQL_BIND()
        bind.buffer_type = type
        bind.buffer = buffer
        bind.buffer_length = UInt(count)
        return bind
    }

    func find(_ id: Int) throws -> Player? {
        key.pointee = Int64(id)
        try check(select, mysql_stmt_execute(select))
        defer { mysql_stmt_free_result(select) }
        let status = mysql_stmt_fetch(select)
        if status == MYSQL_NO_DATA { return nil }
        try check(select, status)
        let player = Player(
            id: Int(numbers[0]), name: text(0, lengths[1]), group: Int(numbers[1]), score: reals[0],
            created: Date(timeIntervalSinceReferenceDate: reals[1]), note: nulls[5] != 0 ? nil : text(1, lengths[5]))
        // Reads the end of the result.
        guard mysql_stmt_fetch(select) == MYSQL_NO_DATA else { throw BenchmarkError("a key has two rows") }
        return player
    }

    private func text(_ number: Int, _ length: UInt) -> String {
        String(
            decoding: UnsafeBufferPointer(start: texts + number * Self.textBytes, count: Int(length)), as: UTF8.self)
    }

    // MARK: Inserting

    func insert(_ players: [Player]) throws {
        let insertion = try insertion ?? makeInsertion(rows: players.count)
        self.insertion = insertion
        guard mysql_stmt_param_count(insertion) == UInt(players.count * Self.columns) else {
            throw BenchmarkError("the batches of the plain client have one size")
        }
        bytes.removeAll(keepingCapacity: true)
        starts.removeAll(keepingCapacity: true)
        binds.removeAll(keepingCapacity: true)
        for player in players {
            append(player.id, MYSQL_TYPE_LONGLONG)
            append(player.name)
            append(player.group, MYSQL_TYPE_LONGLONG)
            append(player.score, MYSQL_TYPE_DOUBLE)
            append(player.created.timeIntervalSinceReferenceDate, MYSQL_TYPE_DOUBLE)
            if let note = player.note {
                append(note)
            } else {
                append(bytes: UnsafeRawBufferPointer(start: nil, count: 0), MYSQL_TYPE_NULL)
            }
        }
        try bytes.withUnsafeMutableBytes { bytes in
            guard let base = bytes.baseAddress else { return }
            for number in binds.indices { binds[number].buffer = base + starts[number] }
            try check(insertion, mysql_stmt_bind_param(insertion, &binds))
            try check(insertion, mysql_stmt_execute(insertion))
        }
    }

    private func makeInsertion(rows: Int) throws -> UnsafeMutablePointer<MYSQL_STMT> {
        guard let statement = mysql_stmt_init(connection) else { throw BenchmarkError("libmariadb has no memory") }
        let row = "(" + Array(repeating: "?", count: Self.columns).joined(separator: ", ") + ")"
        try prepare(
            statement,
            "INSERT INTO `Player` (`id`, `name`, `group`, `score`, `created`, `note`) VALUES "
                + Array(repeating: row, count: rows).joined(separator: ", "))
        return statement
    }

    private func append(_ value: some BitwiseCopyable, _ type: enum_field_types) {
        withUnsafeBytes(of: value) { append(bytes: $0, type) }
    }

    private func append(_ text: String) {
        var text = text
        text.withUTF8 { append(bytes: UnsafeRawBufferPointer($0), MYSQL_TYPE_STRING) }
    }

    private func append(bytes value: UnsafeRawBufferPointer, _ type: enum_field_types) {
        var bind = MYSQL_BIND()
        bind.buffer_type = type
        bind.buffer_length = UInt(value.count)
        starts.append(bytes.count)
        binds.append(bind)
        bytes.append(contentsOf: value)
    }
}
#endif
