import Foundation

/// Makes the rows of the tables: the same for every engine and round.
struct PlayerMaker: Sendable {
    /// Rows of the main table.
    let count: Int
    /// Rows of a group.
    static let groupSize = 100
    /// Children of a parent.
    static let teamSize = 10
    /// When the first row was created. A whole number of seconds, as everything after it.
    private static let origin = Date(timeIntervalSinceReferenceDate: 700_000_000)

    /// For each row its place in the order of creation, and in the order of scores: permutations that know nothing of each
    /// other, nor of the keys.
    private let places, ranks: [UInt32]

    init(count: Int) {
        self.count = count
        places = IndexStream.permutation(count, .fillOrder)
        ranks = IndexStream.permutation(count, .overwrite)
    }

    /// When the row at a place of the order of creation was created; rows that were changed come `count` places later.
    static func created(_ place: Int) -> Date { origin + Double(place) }

    /// The score below which a share of the rows lies.
    func score(below share: Double) -> Double { 100 * share }

    /// A row.
    /// - Parameter isChanged: as it is after the update.
    func player(_ id: Int, isChanged: Bool = false) -> Player {
        let place = Int(places[id])
        return Player(
            id: id, name: Self.name(id), group: place / Self.groupSize,
            score: Double(ranks[id]) / Double(count) * 100 + (isChanged ? 100 : 0),
            created: Self.created(isChanged ? place + count : place),
            note: id % 2 == 0 ? nil : "wrote to us on day \(place % 365), and again on day \(id % 365)")
    }

    /// Rows in a range of keys.
    func players(_ ids: Range<Int>) -> [Player] { ids.map { player($0) } }

    /// Each row's place in the order of creation.
    func place(_ id: Int) -> Int { Int(places[id]) }

    /// Parents of the joins.
    var teamCount: Int { max(10, count / 100) }

    /// The parents, without children.
    func teams() -> [Team] { (0..<teamCount).map { Team(id: $0, name: "team \($0)", members: nil) } }

    /// The children, in an order that has nothing to do with their parents.
    func members() -> [Member] {
        let order = IndexStream.permutation(teamCount * Self.teamSize, .batchOrder)
        return order.enumerated().map { id, number in
            Member(id: id, teamId: Int(number) / Self.teamSize, name: Self.name(id), score: Double(number))
        }
    }

    /// Names of 10 to 25 bytes: some fit into a string's own memory, others do not.
    private static func name(_ number: Int) -> String {
        let first = ["Owen", "Beru", "Shmi", "Anakin", "Padmé", "Jobal", "Sabé", "Wilhuff"]
        let last = ["Lars", "Skywalker", "Whitesun", "Naberrie", "Tarkin", "Organa", "Antilles"]
        return "\(first[number % first.count]) \(last[number % last.count]) \(number % 1000)"
    }
}
