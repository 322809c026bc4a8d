#if PostgreSQL || MySQL
import Foundation
import Siltstone
import SiltstoneTables
import TableKit
import Testing
import TestServers

@testable import SiltTool

/// Moves whose server does not do as it should.
@Suite struct MoveFaultTests {
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
    @Test(
        "a text that PostgreSQL cannot hold names its table, and nothing of it is stored",
        .enabled(if: PostgresServer.programs != nil, Comment(rawValue: PostgresServer.absence)))
    func nullCharacter() async throws {
        try await onThread {
            let sample = try MovedSample()
            let there = try MoveTarget.postgres.place(sample)
            let path = try store(sample, .string, .text("a\0b"))
            let error = try #require(throws: ToolError.self) { try move(path, there) }
            #expect(error.exitCode == .usage && error.message.hasPrefix("moving the table One: "), "\(error.message)")
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
