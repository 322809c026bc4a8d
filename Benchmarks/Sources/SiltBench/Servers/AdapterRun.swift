import TableKit

/// An adapter and a plain client on one server, in turns: both meet the same caches, and the same neighbours on the machine.
struct AdapterRun<Configuration: DatabaseConfigurationProtocol, Client: PlainClient> {
    typealias DB = TableKit.Database<Configuration>

    private let players: Table<Player, DB>
    private let client: Client
    private let section: Section
    private let maker: PlayerMaker
    private let report: (AdapterWorkload, (adapter: ThreadRecord, plain: ThreadRecord)) throws -> Void

    /// - Parameter address: where the plain client finds the server of the configuration.
    init(
        _ configuration: Configuration, _ type: Client.Type, address: String, _ section: Section,
        report: @escaping (AdapterWorkload, (adapter: ThreadRecord, plain: ThreadRecord)) throws -> Void
    ) throws {
        // The plain client prepares its statements on the table.
        players = try DB(configuration: configuration).create(Player.self)
        try players.index(\.created)
        client = try Client(address)
        self.section = section
        // The batches of both, and two more to begin with.
        maker = PlayerMaker(count: 2 * (section.adapterTurns + 1) * ServerWorkload.batchCount)
        self.report = report
    }

    /// - Throws: ``BenchmarkError`` where a result is not what it should be.
    func all() throws {
        defer { client.close() }
        try insert()
        try find()
    }

    private func insert() throws {
        let size = ServerWorkload.batchCount
        let batches = (0..<2 * (section.adapterTurns + 1)).map { maker.players($0 * size..<($0 + 1) * size) }
        try players.insert(batches[0])
        try client.insert(batches[1])
        let records = try alternate(weight: size, operations: 1) { turn, _, _ in
            try players.insert(batches[2 * turn + 2])
        } plain: { turn, _, _ in
            try client.insert(batches[2 * turn + 3])
        }
        var (all, wanted) = (Tally(), Tally())
        for id in 0..<maker.count { wanted.add(maker.player(id)) }
        for player in try players.select() { all.add(player) }
        guard all == wanted else { throw BenchmarkError("the inserts have left \(all), not \(wanted)") }
        try report(.batch, records)
    }

    private func find() throws {
        var random = RandomSource(.reading)
        let count = section.readsOfTurn
        let drawn = (0..<section.adapterTurns * count).map { _ in random.below(maker.count) }
        var wanted = Tally()
        for id in drawn { wanted.add(maker.player(id)) }
        for id in drawn.prefix(count) {
            guard let player = try players.find(id), try client.find(id) == player else {
                throw BenchmarkError("the plain client does not find the row that the adapter finds")
            }
        }
        let records = try alternate(weight: 1, operations: count) { turn, number, tally in
            if let player = try players.find(drawn[turn * count + number]) { tally.add(player) }
        } plain: { turn, number, tally in
            if let player = try client.find(drawn[turn * count + number]) { tally.add(player) }
        }
        for record in [records.adapter, records.plain] where record.tally != wanted {
            throw BenchmarkError("key has read \(record.tally), not \(wanted)")
        }
        try report(.key, records)
    }

    /// Runs both by turns; each is first in every other one.
    /// - Parameters:
    ///   - weight: what an operation counts for.
    ///   - operations: of a turn.
    private func alternate(
        weight: Int, operations: Int, adapter: (Int, Int, inout Tally) throws -> Void,
        plain: (Int, Int, inout Tally) throws -> Void
    ) throws -> (adapter: ThreadRecord, plain: ThreadRecord) {
        let total = section.adapterTurns * operations * weight
        var own = Meter(operations: total, step: weight)
        var other = Meter(operations: total, step: weight)
        var (ownTally, otherTally) = (Tally(), Tally())
        own.begin()
        own.pause()
        other.begin()
        other.pause()
        func turn(
            _ number: Int, _ meter: inout Meter, _ tally: inout Tally, _ body: (Int, Int, inout Tally) throws -> Void
        )
            throws
        {
            meter.resume()
            for operation in 0..<operations {
                try body(number, operation, &tally)
                meter.lap(weight)
            }
            meter.pause()
        }
        Machine.writeBack()
        for number in 0..<section.adapterTurns {
            if number % 2 == 0 { try turn(number, &own, &ownTally, adapter) }
            try turn(number, &other, &otherTally, plain)
            if number % 2 == 1 { try turn(number, &own, &ownTally, adapter) }
        }
        return (own.record(ownTally), other.record(otherTally))
    }
}
