#if PostgreSQL || MySQL
import Foundation
import Siltstone
import SiltstoneTables
import Synchronization
import TableKit
import Testing
import TestServers

@testable import SiltTool

/// Moves whose server does not do as it should.
struct MoveFaultTests {
    /// A store with one table of two columns.
    private func store(_ sample: MovedSample, _ type: ColumnType, _ value: ColumnValue) throws -> String {
        let path = sample.directory + "/one.silt"
        let table = TableStructure(
            name: "One", columns: [Column("id", .int64), Column("value", type)], primaryKey: [0])
        try KeyValueStore.open(at: path).closing { store in
            try SiltstoneDatabaseConfiguration(store: store).engine.change { session in
                try session.alter(.createTable(table))
                var rows = RowBuffer()
                try rows.append([.integer(1), value], layout: table.layout)
                _ = try session.insert(InsertStatement(table, rows: rows))
            }
        }
        return path
    }

    #if PostgreSQL
    /// Loses answers of PostgreSQL with a tag, from the first drop of a table on.
    private final class LostAnswers: Sendable {
        private let tag: String
        private let state: Mutex<(isDropped: Bool, left: Int)>

        init(_ tag: String, times: Int = 1) {
            self.tag = tag
            state = Mutex((false, times))
        }

        /// How many answers are still to be lost.
        var left: Int { state.withLock { $0.left } }

        func change(_ bytes: inout [UInt8]) {
            let (isDrop, isMeant) = (Self.has("DROP TABLE", bytes), Self.has(tag, bytes))
            let isLost = state.withLock { state in
                state.isDropped = state.isDropped || isDrop
                guard state.isDropped, isMeant, state.left > 0 else { return false }
                state.left -= 1
                return true
            }
            // What is no message ends the connection.
            if isLost { for index in bytes.indices { bytes[index] = 0 } }
        }

        /// Whether there is a CommandComplete with a tag.
        private static func has(_ tag: String, _ bytes: [UInt8]) -> Bool {
            let message = [0x43, 0, 0, 0, UInt8(tag.utf8.count + 5)] + Array(tag.utf8) + [0]
            return bytes.firstRange(of: message) != nil
        }
    }

    /// The URL of a database behind a way.
    private func place(_ port: Int, _ name: String) -> String {
        "postgresql://postgres@127.0.0.1:\(port)/\(name)?sslmode=disable&gssencmode=disable"
    }

    @Test(
        "a move ends well that gets no answer to the drop of its ledger, or to the commit behind it",
        .enabled(if: PostgresServer.programs != nil, Comment(rawValue: PostgresServer.absence)),
        arguments: ["DROP TABLE", "COMMIT"])
    func lostEnd(_ tag: String) async throws {
        try await onThread {
            let (server, sample) = (try PostgresServer.shared(), try MovedSample())
            let name = try server.makeDatabase()
            let answers = LostAnswers(tag)
            let way = try LongWay(to: server.port) { answers.change(&$0) }
            defer { way.end() }
            let report = try move(sample.store, place(way.port, name))
            #expect(answers.left == 0)
            #expect(report.rows == MovedSample.persons + 120 && report.records == 75)
            #expect(try catalogue(place(server.port, name)).allSatisfy { !$0.hasPrefix(MoveLedger.tableName) })
        }
    }

    @Test(
        "a move that cannot drop its ledger says that only this is left; the same command ends it",
        .enabled(if: PostgresServer.programs != nil, Comment(rawValue: PostgresServer.absence)))
    func leftLedger() async throws {
        try await onThread {
            let (server, sample) = (try PostgresServer.shared(), try MovedSample())
            let name = try server.makeDatabase()
            let answers = LostAnswers("DROP TABLE", times: 2)
            let way = try LongWay(to: server.port) { answers.change(&$0) }
            defer { way.end() }
            let there = place(way.port, name)
            let error = try #require(throws: ToolError.self) { try move(sample.store, there) }
            #expect(answers.left == 0 && error.exitCode == .inputOutput)
            #expect(
                error.message.hasPrefix("everything is moved and compared; only the table silt_move may be left in "),
                "\(error.message)")
            let report = try move(sample.store, there)
            #expect(report.continued && report.rows == MovedSample.persons + 120 && report.records == 75)
        }
    }

    @Test(
        "a text that PostgreSQL cannot hold names its table, and nothing of it is stored",
        .enabled(if: PostgresServer.programs != nil, Comment(rawValue: PostgresServer.absence)))
    func nullCharacter() async throws {
        try await onThread {
            let sample = try MovedSample()
            let there = try MoveTarget.postgres.place(sample)
            let path = try store(sample, .string, .text("a\0b"))
            let error = try #require(throws: ToolError.self) { try move(path, there) }
            #expect(error.exitCode == .usage)
            #expect(error.message.hasPrefix("moving the table One: TO (\(there)): "), "\(error.message)")
        }
    }

    @Test(
        "a server that dies during a move ends it with status 5; when it is back, the move goes on",
        .enabled(if: PostgresServer.programs != nil, Comment(rawValue: PostgresServer.absence)))
    func deadServer() async throws {
        try await onThread {
            let server = try PostgresServer()
            defer { server.remove() }
            let sample = try MovedSample()
            let there = "postgresql://postgres@127.0.0.1:\(server.port)/\(try server.makeDatabase())"
            var commits = 0
            let error = try #require(throws: ToolError.self) {
                try move(sample.store, there) { _, _ in
                    commits += 1
                    if commits == 5 { server.kill() }
                }
            }
            #expect(error.exitCode == .inputOutput, "\(error.message)")
            try server.start()
            let report = try move(sample.store, there)
            #expect(report.continued && report.rows == MovedSample.persons + 120 && report.records == 75)
        }
    }
    #endif

    #if MySQL
    @Test(
        "a number that MariaDB cannot hold names its table, and nothing of it is stored",
        .enabled(if: MySQLServer.program != nil, Comment(rawValue: MySQLServer.absence)))
    func notANumber() async throws {
        try await onThread {
            let sample = try MovedSample()
            let there = try MoveTarget.mysql.place(sample)
            let path = try store(sample, .double, .real(.nan))
            let error = try #require(throws: ToolError.self) { try move(path, there) }
            #expect(error.exitCode == .usage && error.message.hasPrefix("moving the table One: "), "\(error.message)")
        }
    }
    #endif
}
#endif
