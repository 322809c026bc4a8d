import Foundation
import TableKit

/// All workloads of one database, in their order: the program is the same whatever stands behind the tables.
struct ServerRun<Configuration: DatabaseConfigurationProtocol & Sendable> {
    typealias DB = TableKit.Database<Configuration>

    private let db: DB
    private let players: Table<Player, DB>
    private let section: Section
    private let maker: PlayerMaker
    /// Called before each workload.
    private let prepare: () -> Void
    private let report: (ServerWorkload, Course) throws -> Void

    init(
        _ configuration: Configuration, _ section: Section, prepare: @escaping () -> Void,
        report: @escaping (ServerWorkload, Course) throws -> Void
    ) {
        db = DB(configuration: configuration)
        players = db.table(Player.self)
        self.section = section
        maker = PlayerMaker(count: section.serverRows)
        self.prepare = prepare
        self.report = report
    }

    private var rows: Int { section.serverRows }

    /// - Throws: ``BenchmarkError`` where a result is not what it should be.
    func all() throws {
        try db.create(Player.self)
        try players.index(\.created)
        try insert()
        try check("the inserts", changed: [:])
        try read()
        try check("the changes", changed: try change())
        try count()
    }

    // MARK: Inserting

    private func insert() throws {
        let (players, maker, singles) = (players, maker, section.serverChanges)
        prepare()
        try report(.insert, try TableMeter.time(singles) { i, _ in try players.insert(maker.player(i)) })
        prepare()
        let shared = section.sharedServerChanges
        try report(
            .insertEight,
            try Blocking.wait {
                try await TableMeter.time(shared, tasks: ServerWorkload.tasks) { i in
                    try await players.insert(maker.player(singles + i))
                }
            })
        let first = singles + shared
        let batches = stride(from: first, to: rows, by: ServerWorkload.batchCount).map { start in
            maker.players(start..<start + ServerWorkload.batchCount)
        }
        prepare()
        try report(
            .batch,
            try TableMeter.time(batches.count, weight: ServerWorkload.batchCount) { i, _ in
                try players.insert(batches[i])
            })
    }

    // MARK: Reading

    private func read() throws {
        let (players, maker) = (players, maker)
        var random = RandomSource(.reading)
        let drawn = (0..<section.serverReads).map { _ in random.below(rows) }
        var wanted = Tally()
        for id in drawn { wanted.add(maker.player(id)) }
        prepare()
        try check(
            .find,
            try TableMeter.time(drawn.count) { i, tally in
                if let player = try players.find(drawn[i]) { tally.add(player) }
            }, wanted)
        prepare()
        let shared = try Blocking.wait {
            try await TableMeter.time(drawn.count, tasks: ServerWorkload.tasks) { i in
                guard try await players.find(drawn[i])?.id == drawn[i] else { throw BenchmarkError("a row is missing") }
            }
        }
        try report(.findEight, shared)
        try readRanges()
    }

    private func readRanges() throws {
        let (players, size) = (players, ServerWorkload.rangeRows)
        var random = RandomSource(.seeking)
        let starts = (0..<section.serverRanges).map { _ in random.below(rows - size) }
        var places = [Int](repeating: 0, count: rows)
        for id in 0..<rows { places[maker.place(id)] = id }
        var wanted = Tally()
        for start in starts { for place in start..<start + size { wanted.add(maker.player(places[place])) } }
        prepare()
        try check(
            .range,
            try TableMeter.time(starts.count) { i, tally in
                let (from, end) = (PlayerMaker.created(starts[i]), PlayerMaker.created(starts[i] + size))
                let query = try players.where(\Player.created >= from && \Player.created < end).select()
                for player in query { tally.add(player) }
            }, wanted)
    }

    // MARK: Changing

    /// - Returns: the scores that the changes leave, by key.
    private func change() throws -> [Int: Double] {
        var scores: [Int: Double] = [:]
        var random = RandomSource(.overwrite)
        let updated = (0..<section.serverChanges).map { number in
            var player = maker.player(random.below(rows))
            player.score = Double(number)
            scores[player.id] = player.score
            return player
        }
        prepare()
        try report(
            .update,
            try TableMeter.time(updated.count) { i, _ in
                try players.where(\Player.id == updated[i].id).update(updated[i], setKeys: \.score)
            })
        var transfers = RandomSource(.transfers)
        let moves = (0..<section.serverChanges).map { _ in
            let from = transfers.below(rows)
            return (
                from: from, to: (from + 1 + transfers.below(rows - 1)) % rows, points: Double(transfers.below(10))
            )
        }
        prepare()
        try report(
            .transfer,
            try TableMeter.time(moves.count) { i, _ in
                try db.transfer(moves[i].points, from: moves[i].from, to: moves[i].to, in: players)
            })
        for move in moves {
            scores[move.from, default: maker.player(move.from).score] -= move.points
            scores[move.to, default: maker.player(move.to).score] += move.points
        }
        return scores
    }

    // MARK: Counting and checking

    private func count() throws {
        let rows = rows
        prepare()
        try report(
            .count,
            try TableMeter.time(section.serverCounts) { _, _ in
                let count = try players.count()
                guard count == rows else { throw BenchmarkError("counts \(count) rows of \(rows)") }
            })
    }

    private func check(_ workload: ServerWorkload, _ course: Course, _ wanted: Tally) throws {
        guard course.tally == wanted else {
            throw BenchmarkError("\(workload.rawValue) has read \(course.tally), not \(wanted)")
        }
        try report(workload, course)
    }

    /// Compares every row with what should be left.
    private func check(_ what: String, changed: [Int: Double]) throws {
        var (all, wanted) = (Tally(), Tally())
        for id in 0..<rows {
            var player = maker.player(id)
            player.score = changed[id] ?? player.score
            wanted.add(player)
        }
        for player in try players.select() { all.add(player) }
        guard all == wanted else { throw BenchmarkError("\(what) have left \(all), not \(wanted)") }
    }
}
