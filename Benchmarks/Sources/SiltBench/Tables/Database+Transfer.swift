import TableKit

extension TableKit.Database {
    /// Moves points from one player to another: a transaction of two reads and two writes.
    /// - Throws: ``BenchmarkError`` if a player is missing.
    func transfer(_ points: Double, from: Int, to: Int, in players: Table<Player, Self>) throws {
        try transaction {
            guard var giver = try players.find(from), var taker = try players.find(to) else {
                throw BenchmarkError("a row is missing")
            }
            giver.score -= points
            taker.score += points
            try players.where(\Player.id == from).update(giver, setKeys: \.score)
            try players.where(\Player.id == to).update(taker, setKeys: \.score)
        }
    }
}
