#if PEER_SQLITE
import CSQLite
import Foundation
import Synchronization

/// SQLite in the way in which Perfect-SQLite works: the text of each query is made and prepared anew, every select is
/// DISTINCT, rows are decoded and encoded by Codable through the names of their columns, an array of children is found by
/// comparing all of them. It spares some of what Perfect-CRUD does beside: dates are no text, key paths are not looked up.
///
/// `@unchecked Sendable`: one thread at a time, or ``insertShared(_:)``, which takes a lock.
final class PerfectTableStore: TableStore, @unchecked Sendable {
    static var description: (version: String, options: String) {
        (
            "Perfect-SQLite's way, \(SQLiteTableStore.description.version)",
            "tables: each query prepared anew, Codable rows; the rest as for SQLite's tables"
        )
    }

    private static let playerColumns = ["id", "name", "group", "score", "created", "note"]
    private static let memberColumns = ["id", "teamId", "name", "score"]

    private let connection: SQLiteConnection
    private let lock = Mutex(())

    init(directory: String, isSynced: Bool) throws {
        var settings = EngineSettings()
        settings.isSynced = isSynced
        connection = try SQLiteConnection(directory + "/tables.sqlite", settings)
        for text in [
            """
            CREATE TABLE IF NOT EXISTS "Player" (id INT PRIMARY KEY, name TEXT NOT NULL, "group" INT NOT NULL,
            score REAL NOT NULL, created REAL NOT NULL, note TEXT)
            """,
            "CREATE TABLE IF NOT EXISTS \"Team\" (id INT PRIMARY KEY, name TEXT NOT NULL)",
            """
            CREATE TABLE IF NOT EXISTS "Member" (id INT PRIMARY KEY, teamId INT NOT NULL, name TEXT NOT NULL,
            score REAL NOT NULL)
            """,
        ] { try connection.execute(text) }
    }

    func index(_ index: TableIndex) throws {
        let (table, column) =
            switch index {
            case .playerCreated: ("Player", "created")
            case .playerGroup: ("Player", "group")
            case .memberTeam: ("Member", "teamId")
            }
        try connection.execute("CREATE INDEX IF NOT EXISTS \"index_\(column)\" ON \"\(table)\" (\"\(column)\")")
    }

    /// The connection closes with its last statement.
    func close() {}

    // MARK: Statements

    /// Prepares a text and binds its parameters.
    private func statement(_ text: String, _ bindings: [Binding]) throws -> SQLiteStatement {
        let statement = try connection.prepare(text)
        Self.bind(bindings, to: statement)
        return statement
    }

    private static func bind(_ bindings: [Binding], to statement: SQLiteStatement) {
        for (position, binding) in zip(CInt(1)..., bindings) {
            switch binding {
            case .integer(let value): statement.bind(position, value)
            case .real(let value): statement.bind(position, value)
            case .text(let value): statement.bindCopy(position, value)
            case .null: statement.bindNull(position)
            }
        }
    }

    /// Runs a select and hands over each row.
    private func select<Row: Decodable>(
        _ table: String, _ rest: String, _ bindings: [Binding], _ body: (Row) -> Void
    ) throws {
        let statement = try statement("SELECT DISTINCT \"t0\".* FROM \"\(table)\" AS \"t0\" \(rest)", bindings)
        let columns = Self.columns(of: statement)
        while try statement.step() { body(try Row(from: StatementDecoder(statement: statement, columns: columns))) }
    }

    private static func columns(of statement: SQLiteStatement) -> [String: CInt] {
        var columns: [String: CInt] = [:]
        for (number, name) in statement.columnNames.enumerated() { columns[name] = CInt(number) }
        return columns
    }

    private func players(_ rest: String, _ bindings: [Binding], _ tally: inout Tally) throws {
        try select("Player", rest, bindings) { (player: Player) in tally.add(player) }
    }

    private static let isWithin = "WHERE \"t0\".\"created\" >= ? AND \"t0\".\"created\" < ?"

    private static func bindings(_ created: Range<Date>) -> [Binding] {
        [created.lowerBound, created.upperBound].map { .real($0.timeIntervalSinceReferenceDate) }
    }

    private func transaction(_ body: () throws -> Void) throws {
        try connection.execute("BEGIN")
        do { try body() } catch {
            try connection.execute("ROLLBACK")
            throw error
        }
        try connection.execute("COMMIT")
    }

    // MARK: Inserting

    /// Prepares once for all rows, as Perfect-CRUD does here alone.
    private func insert<Row: Encodable>(_ rows: [Row], _ table: String, _ columns: [String]) throws {
        let names = columns.map { "\"\($0)\"" }.joined(separator: ", ")
        let marks = columns.map { _ in "?" }.joined(separator: ", ")
        let statement = try connection.prepare("INSERT INTO \"\(table)\" (\(names)) VALUES (\(marks))")
        for row in rows {
            let encoder = BindingsEncoder()
            try row.encode(to: encoder)
            Self.bind(encoder.values(of: columns), to: statement)
            try statement.run()
        }
    }

    func insert(_ players: [Player]) throws {
        try transaction { try insert(players, "Player", Self.playerColumns) }
    }

    func insert(_ teams: [Team], _ members: [Member]) throws {
        try transaction {
            try insert(teams, "Team", ["id", "name"])
            try insert(members, "Member", Self.memberColumns)
        }
    }

    func insertShared(_ player: Player) async throws {
        try lock.withLock { _ in try insert([player], "Player", Self.playerColumns) }
    }

    // MARK: Reading

    func select(id: Int) throws -> Player? {
        var found: Player?
        try select("Player", "WHERE \"t0\".\"id\" = ? LIMIT 1", [.integer(id)]) { (player: Player) in found = player }
        return found
    }

    func find(id: Int) throws -> Player? { try select(id: id) }

    func select(created: Range<Date>, _ tally: inout Tally) throws {
        try players(Self.isWithin, Self.bindings(created), &tally)
    }

    func count(created: Range<Date>) throws -> Int {
        let statement = try statement(
            "SELECT COUNT(*) AS \"count\" FROM \"Player\" AS \"t0\" \(Self.isWithin)", Self.bindings(created))
        return try statement.step() ? statement.integer(0) : 0
    }

    func select(below score: Double, _ tally: inout Tally) throws {
        try players("WHERE \"t0\".\"score\" < ?", [.real(score)], &tally)
    }

    func selectAll(_ tally: inout Tally) throws { try players("", [], &tally) }

    func selectAllFast(_ tally: inout Tally) throws -> Bool { false }

    func selectLowest(_ limit: Int, _ tally: inout Tally) throws {
        try players("ORDER BY \"t0\".\"score\" LIMIT \(limit)", [], &tally)
    }

    func select(from created: Date, limit: Int, _ tally: inout Tally) throws {
        try players(
            "WHERE \"t0\".\"created\" >= ? ORDER BY \"t0\".\"created\" LIMIT \(limit)",
            [.real(created.timeIntervalSinceReferenceDate)], &tally)
    }

    /// All children first; then each parent compares all of them with itself.
    func selectTeams(_ ids: Range<Int>?, isIndexed: Bool, _ tally: inout Tally) throws -> Bool {
        guard let ids else { return false }
        let bindings: [Binding] = [.integer(ids.lowerBound), .integer(ids.upperBound)]
        let condition = "WHERE \"t1\".\"id\" >= ? AND \"t1\".\"id\" < ?"
        var members: [Member] = []
        try select("Member", "LEFT JOIN \"Team\" AS \"t1\" ON \"t1\".\"id\" = \"t0\".\"teamId\" \(condition)", bindings)
        {
            (member: Member) in members.append(member)
        }
        let (on, equals) = (\Team.id, \Member.teamId)
        let statement = try statement(
            "SELECT DISTINCT \"t1\".* FROM \"Team\" AS \"t1\" \(condition) ORDER BY \"t1\".\"id\"", bindings)
        let columns = Self.columns(of: statement)
        while try statement.step() {
            var decoder = StatementDecoder(statement: statement, columns: columns)
            let key = try Team(from: decoder)[keyPath: on]
            decoder.children = members.filter { $0[keyPath: equals] == key }
            tally.add(try Team(from: decoder))
        }
        return true
    }

    // MARK: Changing

    func update(_ player: Player) throws {
        let encoder = BindingsEncoder()
        try player.encode(to: encoder)
        try statement(
            "UPDATE \"Player\" SET \"score\"=?, \"created\"=? WHERE \"Player\".\"id\" = ?",
            encoder.values(of: ["score", "created"]) + [.integer(player.id)]
        ).run()
    }

    func delete(created: Range<Date>) throws {
        try statement(
            "DELETE FROM \"Player\" WHERE \"Player\".\"created\" >= ? AND \"Player\".\"created\" < ?",
            Self.bindings(created)
        ).run()
    }

    func transfer(_ points: Double, from: Int, to: Int) throws {
        try transaction {
            guard var giver = try select(id: from), var taker = try select(id: to) else {
                throw BenchmarkError("a row is missing")
            }
            giver.score -= points
            taker.score += points
            for player in [giver, taker] {
                let encoder = BindingsEncoder()
                try player.encode(to: encoder)
                try statement(
                    "UPDATE \"Player\" SET \"score\"=? WHERE \"Player\".\"id\" = ?",
                    encoder.values(of: ["score"]) + [.integer(player.id)]
                ).run()
            }
        }
    }
}
#endif
