import Foundation
import Synchronization

@testable import SiltBench

/// Tables in memory, and every way of doing less than was asked for.
final class ArrayTableStore: TableStore {
    enum Lie: CaseIterable {
        case losesInsert, skipsUpdate, skipsDelete, skipsMove
        case inventsRows, shortensRanges, countsWrong, forgetsCondition, readsPart, readsPartFast, takesOtherRows
        case mixesChildren, losesChildren
    }

    /// What the stores that are made in a task do wrong.
    @TaskLocal static var lie: Lie?

    static var description: (version: String, options: String) { ("arrays", "") }

    private struct Contents {
        var players: [Int: Player] = [:]
        var teams: [Team] = []
        var members: [Member] = []
    }

    private let lie = ArrayTableStore.lie
    private let contents = Mutex(Contents())

    init(directory: String, isSynced: Bool) {}

    func index(_ index: TableIndex) {}
    func close() {}

    func insert(_ players: [Player]) {
        contents.withLock { contents in
            for player in players.dropLast(lie == .losesInsert ? 1 : 0) { contents.players[player.id] = player }
        }
    }

    func insert(_ teams: [Team], _ members: [Member]) {
        contents.withLock { ($0.teams, $0.members) = (teams, members) }
    }

    func insertShared(_ player: Player) async throws { insert([player]) }

    private var players: [Player] { contents.withLock { Array($0.players.values) } }

    func select(id: Int) -> Player? {
        contents.withLock { $0.players[id] } ?? (lie == .inventsRows ? PlayerMaker(count: 10).player(3) : nil)
    }

    func find(id: Int) -> Player? { select(id: id) }

    func select(created: Range<Date>, _ tally: inout Tally) {
        let found = players.filter { created.contains($0.created) }
        for player in found.dropFirst(lie == .shortensRanges ? 1 : 0) { tally.add(player) }
    }

    func count(created: Range<Date>) -> Int {
        players.count { created.contains($0.created) } + (lie == .countsWrong ? 1 : 0)
    }

    func select(below score: Double, _ tally: inout Tally) {
        for player in players where player.score < score || lie == .forgetsCondition { tally.add(player) }
    }

    func selectAll(_ tally: inout Tally) {
        for player in players.dropFirst(lie == .readsPart ? 1 : 0) { tally.add(player) }
    }

    func selectAllFast(_ tally: inout Tally) -> Bool {
        for player in players.dropFirst(lie == .readsPartFast ? 1 : 0) { tally.add(player) }
        return true
    }

    func selectLowest(_ limit: Int, _ tally: inout Tally) {
        let sorted = players.sorted { lie == .takesOtherRows ? $0.id < $1.id : $0.score < $1.score }
        for player in sorted.prefix(limit) { tally.add(player) }
    }

    func select(from created: Date, limit: Int, _ tally: inout Tally) {
        let sorted = players.filter { $0.created >= created }.sorted { $0.created < $1.created }
        for player in sorted.prefix(limit) { tally.add(player) }
    }

    func selectTeams(_ ids: Range<Int>?, isIndexed: Bool, _ tally: inout Tally) -> Bool {
        let (teams, members) = contents.withLock { ($0.teams, $0.members) }
        for team in teams where ids?.contains(team.id) ?? true {
            let wanted = lie == .mixesChildren ? (team.id + 1) % teams.count : team.id
            let children = members.filter { $0.teamId == wanted }
            tally.add(Team(id: team.id, name: team.name, members: lie == .losesChildren ? [] : children))
        }
        return true
    }

    func update(_ player: Player) {
        if lie == .skipsUpdate { return }
        contents.withLock { $0.players[player.id] = player }
    }

    func delete(created: Range<Date>) {
        if lie == .skipsDelete { return }
        contents.withLock { contents in
            contents.players = contents.players.filter { !created.contains($0.value.created) }
        }
    }

    func transfer(_ points: Double, from: Int, to: Int) {
        contents.withLock { contents in
            contents.players[from]?.score -= points
            if lie != .skipsMove { contents.players[to]?.score += points }
        }
    }
}
