#if PEER_SQLITE
import CSQLite
import Foundation
import Synchronization

/// The C API of SQLite as one writes it with care: statements that are prepared once, columns read straight into the
/// program's structures, strings lent to the statements that write them.
///
/// `@unchecked Sendable`: one thread at a time, or ``insertShared(_:)``, which takes a lock.
final class SQLiteTableStore: TableStore, @unchecked Sendable {
    static var description: (version: String, options: String) {
        (
            "SQLite \(String(cString: sqlite3_libversion()))",
            "tables: C API, statements prepared once, WAL, synchronous=NORMAL or FULL, cache_size=64MiB, page_size=4KiB"
        )
    }

    private static let columns = "id, name, \"group\", score, created, note"

    private let connection: SQLiteConnection
    private let lock = Mutex(())
    private let begin, commit, rollback: SQLiteStatement
    private let insertion, teamInsertion, memberInsertion: SQLiteStatement
    private let lookup, range, rangeCount, lowScores, everything, lowest, following: SQLiteStatement
    private let joinedTeams, allTeams, allMembers: SQLiteStatement
    private let change, removal, scoring: SQLiteStatement

    init(directory: String, isSynced: Bool) throws {
        var settings = EngineSettings()
        settings.isSynced = isSynced
        connection = try SQLiteConnection(directory + "/tables.sqlite", settings)
        for text in [
            """
            CREATE TABLE IF NOT EXISTS player(id INTEGER PRIMARY KEY, name TEXT NOT NULL, "group" INTEGER NOT NULL, \
            score REAL NOT NULL, created REAL NOT NULL, note TEXT)
            """,
            "CREATE TABLE IF NOT EXISTS team(id INTEGER PRIMARY KEY, name TEXT NOT NULL)",
            """
            CREATE TABLE IF NOT EXISTS member(id INTEGER PRIMARY KEY, teamId INTEGER NOT NULL, name TEXT NOT NULL, \
            score REAL NOT NULL)
            """,
        ] { try connection.execute(text) }
        let columns = Self.columns
        (begin, commit, rollback) = (
            try connection.prepare("BEGIN IMMEDIATE"), try connection.prepare("COMMIT"),
            try connection.prepare("ROLLBACK")
        )
        insertion = try connection.prepare("INSERT INTO player(\(columns)) VALUES(?1, ?2, ?3, ?4, ?5, ?6)")
        teamInsertion = try connection.prepare("INSERT INTO team(id, name) VALUES(?1, ?2)")
        memberInsertion = try connection.prepare("INSERT INTO member(id, teamId, name, score) VALUES(?1, ?2, ?3, ?4)")
        lookup = try connection.prepare("SELECT \(columns) FROM player WHERE id = ?1")
        range = try connection.prepare("SELECT \(columns) FROM player WHERE created >= ?1 AND created < ?2")
        rangeCount = try connection.prepare("SELECT count(*) FROM player WHERE created >= ?1 AND created < ?2")
        lowScores = try connection.prepare("SELECT \(columns) FROM player WHERE score < ?1")
        everything = try connection.prepare("SELECT \(columns) FROM player")
        lowest = try connection.prepare("SELECT \(columns) FROM player ORDER BY score LIMIT ?1")
        following = try connection.prepare(
            "SELECT \(columns) FROM player WHERE created >= ?1 ORDER BY created LIMIT ?2")
        joinedTeams = try connection.prepare(
            """
            SELECT team.id, team.name, member.id, member.teamId, member.name, member.score FROM team \
            LEFT JOIN member ON member.teamId = team.id WHERE team.id >= ?1 AND team.id < ?2 ORDER BY team.id
            """)
        allTeams = try connection.prepare("SELECT id, name FROM team ORDER BY id")
        allMembers = try connection.prepare("SELECT id, teamId, name, score FROM member")
        change = try connection.prepare("UPDATE player SET score = ?2, created = ?3 WHERE id = ?1")
        removal = try connection.prepare("DELETE FROM player WHERE created >= ?1 AND created < ?2")
        scoring = try connection.prepare("UPDATE player SET score = ?2 WHERE id = ?1")
    }

    func index(_ index: TableIndex) throws {
        switch index {
        case .playerCreated: try connection.execute("CREATE INDEX player_created ON player(created)")
        case .playerGroup: try connection.execute("CREATE INDEX player_group ON player(\"group\")")
        case .memberTeam: try connection.execute("CREATE INDEX member_team ON member(teamId)")
        }
    }

    /// The connection closes with its last statement.
    func close() {}

    // MARK: Inserting

    func insert(_ players: [Player]) throws {
        try transaction { for player in players { try insert(player) } }
    }

    func insert(_ teams: [Team], _ members: [Member]) throws {
        try transaction {
            for team in teams {
                teamInsertion.bind(1, team.id)
                teamInsertion.bindCopy(2, team.name)
                try teamInsertion.run()
            }
            for member in members {
                memberInsertion.bind(1, member.id)
                memberInsertion.bind(2, member.teamId)
                memberInsertion.bindCopy(3, member.name)
                memberInsertion.bind(4, member.score)
                try memberInsertion.run()
            }
        }
    }

    func insertShared(_ player: Player) async throws { try lock.withLock { _ in try insert(player) } }

    /// Lends the row's strings to the statement while it runs.
    private func insert(_ player: Player) throws {
        insertion.bind(1, player.id)
        insertion.bind(3, player.group)
        insertion.bind(4, player.score)
        insertion.bind(5, player.created.timeIntervalSinceReferenceDate)
        var name = player.name
        try name.withUTF8 { name in
            insertion.bindText(2, Bytes(name))
            guard var note = player.note else {
                insertion.bindNull(6)
                return try insertion.run()
            }
            try note.withUTF8 { note in
                insertion.bindText(6, Bytes(note))
                try insertion.run()
            }
        }
    }

    private func transaction(_ body: () throws -> Void) throws {
        try begin.run()
        do { try body() } catch {
            try rollback.run()
            throw error
        }
        try commit.run()
    }

    // MARK: Reading

    func select(id: Int) throws -> Player? {
        lookup.bind(1, id)
        defer { lookup.reset() }
        return try lookup.step() ? lookup.player() : nil
    }

    func find(id: Int) throws -> Player? { try select(id: id) }

    func select(created: Range<Date>, _ tally: inout Tally) throws {
        bind(created, to: range)
        try read(range, &tally)
    }

    func count(created: Range<Date>) throws -> Int {
        bind(created, to: rangeCount)
        defer { rangeCount.reset() }
        return try rangeCount.step() ? rangeCount.integer(0) : 0
    }

    func select(below score: Double, _ tally: inout Tally) throws {
        lowScores.bind(1, score)
        try read(lowScores, &tally)
    }

    func selectAll(_ tally: inout Tally) throws { try read(everything, &tally) }

    func selectAllFast(_ tally: inout Tally) throws -> Bool {
        try read(everything, &tally)
        return true
    }

    func selectLowest(_ limit: Int, _ tally: inout Tally) throws {
        lowest.bind(1, limit)
        try read(lowest, &tally)
    }

    func select(from created: Date, limit: Int, _ tally: inout Tally) throws {
        following.bind(1, created.timeIntervalSinceReferenceDate)
        following.bind(2, limit)
        try read(following, &tally)
    }

    private func bind(_ created: Range<Date>, to statement: SQLiteStatement) {
        statement.bind(1, created.lowerBound.timeIntervalSinceReferenceDate)
        statement.bind(2, created.upperBound.timeIntervalSinceReferenceDate)
    }

    @inline(__always)
    private func read(_ statement: SQLiteStatement, _ tally: inout Tally) throws {
        defer { statement.reset() }
        while try statement.step() { tally.add(statement.player()) }
    }

    // MARK: Joins

    func selectTeams(_ ids: Range<Int>?, isIndexed: Bool, _ tally: inout Tally) throws -> Bool {
        if let ids, isIndexed { try readJoined(ids, &tally) } else { try readApart(&tally) }
        return true
    }

    /// One query that gives each parent as often as it has children.
    private func readJoined(_ ids: Range<Int>, _ tally: inout Tally) throws {
        joinedTeams.bind(1, ids.lowerBound)
        joinedTeams.bind(2, ids.upperBound)
        defer { joinedTeams.reset() }
        var (id, name, members): (Int?, String, [Member]) = (nil, "", [])
        while try joinedTeams.step() {
            let next = joinedTeams.integer(0)
            if next != id {
                if let id { tally.add(Team(id: id, name: name, members: members)) }
                (id, name) = (next, joinedTeams.text(1))
                members = []
            }
            if !joinedTeams.isNull(2) { members.append(joinedTeams.member(from: 2)) }
        }
        if let id { tally.add(Team(id: id, name: name, members: members)) }
    }

    /// All children, grouped by their parents in memory: faster than the index that SQLite would make for each query.
    private func readApart(_ tally: inout Tally) throws {
        var groups: [Int: [Member]] = [:]
        defer {
            allMembers.reset()
            allTeams.reset()
        }
        while try allMembers.step() {
            let member = allMembers.member(from: 0)
            groups[member.teamId, default: []].append(member)
        }
        while try allTeams.step() {
            let id = allTeams.integer(0)
            tally.add(Team(id: id, name: allTeams.text(1), members: groups[id] ?? []))
        }
    }

    // MARK: Changing

    func update(_ player: Player) throws {
        change.bind(1, player.id)
        change.bind(2, player.score)
        change.bind(3, player.created.timeIntervalSinceReferenceDate)
        try change.run()
    }

    func delete(created: Range<Date>) throws {
        bind(created, to: removal)
        try removal.run()
    }

    func transfer(_ points: Double, from: Int, to: Int) throws {
        try transaction {
            guard let giver = try select(id: from), let taker = try select(id: to) else {
                throw BenchmarkError("a row is missing")
            }
            try setScore(giver.score - points, of: from)
            try setScore(taker.score + points, of: to)
        }
    }

    private func setScore(_ score: Double, of id: Int) throws {
        scoring.bind(1, id)
        scoring.bind(2, score)
        try scoring.run()
    }
}
#endif
