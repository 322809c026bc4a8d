import Foundation
import TableKit

/// The row of the main table: six columns of the usual types.
struct Player: Codable, Equatable, Sendable, PlayerColumns {
    let id: Int
    var name: String
    var group: Int
    var score: Double
    var created: Date
    var note: String?
}

/// The same row for ``RowDecodable``, which reads columns by number.
struct FastPlayer: Codable, RowDecodable, TableNameProvider, PlayerColumns {
    static let tableName = "Player"
    static let rowColumns: [String]? = ["id", "name", "group", "score", "created", "note"]

    let id: Int
    let name: String
    let group: Int
    let score: Double
    let created: Date
    let note: String?

    init(row: borrowing Row) throws {
        id = try row.value(0)
        name = try row.value(1)
        group = try row.value(2)
        score = try row.value(3)
        created = try row.value(4)
        note = try row.value(5)
    }
}

/// The row of a table that nobody queries, in which another task writes meanwhile.
struct Event: Codable, Sendable {
    let id: Int
    let text: String
}

/// A parent with its children.
struct Team: Codable, Equatable, Sendable {
    let id: Int
    let name: String
    let members: [Member]?
}

/// A child.
struct Member: Codable, Equatable, Sendable {
    let id: Int
    let teamId: Int
    let name: String
    let score: Double
}

/// What a tally takes of a row.
protocol PlayerColumns {
    var id: Int { get }
    var name: String { get }
    var group: Int { get }
    var score: Double { get }
    var created: Date { get }
    var note: String? { get }
}

extension Tally {
    /// Counts a row, with something of each of its columns.
    @inline(__always)
    mutating func add(_ player: some PlayerColumns) {
        found &+= 1
        var sum = UInt64(bitPattern: Int64(player.id)) &* 0x9E37_79B9_7F4A_7C15
        sum ^= player.score.bitPattern &+ player.created.timeIntervalSinceReferenceDate.bitPattern
        sum = mixed(sum &+ UInt64(truncatingIfNeeded: player.group))
        checksum &+= sum &+ UInt64(player.name.utf8.count &* 256 &+ (player.note?.utf8.count ?? 255))
    }

    /// Counts a parent and its children.
    @inline(__always)
    mutating func add(_ team: Team) {
        found &+= 1
        let weight = mixed(UInt64(bitPattern: Int64(team.id)))
        checksum &+= weight &+ UInt64(team.name.utf8.count)
        for member in team.members ?? [] {
            found &+= 1
            if member.teamId != team.id { wrong &+= 1 }
            checksum &+= weight ^ member.score.bitPattern &+ UInt64(member.id &* 256 &+ member.name.utf8.count)
        }
    }
}
