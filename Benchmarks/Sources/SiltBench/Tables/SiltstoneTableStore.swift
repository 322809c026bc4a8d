import Foundation
import Siltstone
import SiltstoneTables
import TableKit

/// Siltstone's tables as a program writes them: chains of operators, rows by Codable.
final class SiltstoneTableStore: TableStore {
    typealias DB = TableKit.Database<SiltstoneDatabaseConfiguration>

    static var description: (version: String, options: String) {
        (SiltstoneEngine.version, SiltstoneEngine.describe(EngineSettings()))
    }

    private let db: DB
    private let players: Table<Player, DB>
    private let fastPlayers: Table<FastPlayer, DB>
    private let teams: Table<Team, DB>
    private let members: Table<Member, DB>

    init(directory: String, isSynced: Bool) throws {
        var settings = EngineSettings()
        settings.isSynced = isSynced
        db = DB(
            configuration: try SiltstoneDatabaseConfiguration(
                directory, configuration: SiltstoneEngine.configuration(settings)))
        try db.create(Player.self)
        try db.create(Team.self)
        players = db.table(Player.self)
        fastPlayers = db.table(FastPlayer.self)
        teams = db.table(Team.self)
        members = db.table(Member.self)
    }

    func index(_ index: TableIndex) throws {
        switch index {
        case .playerCreated: try players.index(\.created)
        case .playerGroup: try players.index(\.group)
        case .memberTeam: try members.index(\.teamId)
        }
    }

    func close() throws { try db.close() }

    // MARK: Inserting

    func insert(_ rows: [Player]) throws { try players.insert(rows) }

    func insert(_ parents: [Team], _ children: [Member]) throws {
        try db.transaction {
            try teams.insert(parents)
            try members.insert(children)
        }
    }

    func insertShared(_ player: Player) async throws { try await players.insert(player) }

    // MARK: Reading

    func select(id: Int) throws -> Player? { try players.where(\Player.id == id).first() }

    func find(id: Int) throws -> Player? { try players.find(id) }

    func select(created: Range<Date>, _ tally: inout Tally) throws {
        let query = try players.where(
            \Player.created >= created.lowerBound && \Player.created < created.upperBound
        ).select()
        for player in query { tally.add(player) }
    }

    func count(created: Range<Date>) throws -> Int {
        try players.where(\Player.created >= created.lowerBound && \Player.created < created.upperBound).count()
    }

    func select(below score: Double, _ tally: inout Tally) throws {
        for player in try players.where(\Player.score < score).select() { tally.add(player) }
    }

    func selectAll(_ tally: inout Tally) throws {
        for player in try players.select() { tally.add(player) }
    }

    func selectAllFast(_ tally: inout Tally) throws -> Bool {
        for player in try fastPlayers.select() { tally.add(player) }
        return true
    }

    func selectLowest(_ limit: Int, _ tally: inout Tally) throws {
        for player in try players.order(by: \.score).limit(limit).select() { tally.add(player) }
    }

    func select(from created: Date, limit: Int, _ tally: inout Tally) throws {
        let query = try players.order(by: \.created).limit(limit).where(\Player.created >= created).select()
        for player in query { tally.add(player) }
    }

    func selectTeams(_ ids: Range<Int>?, isIndexed: Bool, _ tally: inout Tally) throws -> Bool {
        let joined = try teams.order(by: \.id).join(\.members, on: \.id, equals: \.teamId)
        if let ids {
            let query = try joined.where(\Team.id >= ids.lowerBound && \Team.id < ids.upperBound).select()
            for team in query { tally.add(team) }
        } else {
            for team in try joined.select() { tally.add(team) }
        }
        return true
    }

    // MARK: Changing

    func update(_ player: Player) throws {
        try players.where(\Player.id == player.id).update(player, setKeys: \.score, \.created)
    }

    func delete(created: Range<Date>) throws {
        try players.where(\Player.created >= created.lowerBound && \Player.created < created.upperBound).delete()
    }

    func transfer(_ points: Double, from: Int, to: Int) throws {
        try db.transfer(points, from: from, to: to, in: players)
    }
}
