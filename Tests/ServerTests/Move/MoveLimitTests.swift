#if PostgreSQL || MySQL || SQLite
import CRUDKit
import Foundation
import Siltstone
import SiltstoneCRUD
import TableKit
import Testing

#if MySQL
import MySQLTables
#endif
#if PostgreSQL
import PostgresTables
#endif

@testable import SiltTool

/// Limits of bytes and time.
struct MoveLimitTests {
    private static let small = String(repeating: "s", count: 4000)
    private static let large = String(repeating: "l", count: TableMove.batchBytes + 1000)

    /// The commits of more than one row or record that have more bytes than a statement should.
    private func longCommits(_ from: String, _ to: String) throws -> (rows: Int, tooLong: [Int]) {
        var tooLong: [Int] = []
        let report = try move(from, to, batchRows: 5000, batchRecords: 5000) { count, bytes in
            if count > 1, bytes > TableMove.batchBytes { tooLong.append(bytes) }
        }
        return (report.rows + report.records, tooLong)
    }

    @Test("a large row behind small ones has a statement of its own", arguments: MoveTarget.available)
    func largeRow(target: MoveTarget) async throws {
        try await onThread {
            let sample = try MovedSample()
            let table = TableStructure(
                name: "Texts", columns: [Column("id", .int64), Column("text", .string)], primaryKey: [0])
            let from = try makeStore(sample) { engine in
                try engine.change { session in
                    try session.alter(.createTable(table))
                    try session.insert(table, (0..<1000).map { [.integer($0), .text(Self.small)] })
                    try session.insert(table, [[.integer(1000), .text(Self.large)], [.integer(1001), .text("x")]])
                }
            }
            let moved = try longCommits(from, try target.place(sample))
            #expect(moved.rows == 1002 && moved.tooLong == [])
        }
    }

    @Test("a large record behind small ones has a statement of its own", arguments: MoveTarget.available)
    func largeRecord(target: MoveTarget) async throws {
        try await onThread {
            let sample = try MovedSample()
            let from = sample.directory + "/records.silt"
            try KeyValueStore.open(at: from).closing { store in
                let repository = SiltstoneRepository(store: store, tableName: "Texts")
                let records = (0..<1000).map { (id: "\(1000 + $0)", record: Data(Self.small.utf8)) }
                let last = [(id: "3000", record: Data(Self.large.utf8)), (id: "4000", record: Data())]
                _ = try AsyncWork.wait { try await repository.insertRecords(records + last) }
            }
            let moved = try longCommits(from, try target.place(sample))
            #expect(moved.rows == 1002 && moved.tooLong == [])
        }
    }

    #if PostgreSQL
    @Test("a statement of a move has no limit that a large index exceeds: PostgreSQL")
    func postgresStatements() {
        let options = MovePlace.postgresOptions
        #expect(options.statementTimeout.map { $0 > .seconds(7 * 24 * 3600) } == true)
        #expect(options.answerTimeout == PostgresOptions().answerTimeout)
    }
    #endif

    #if MySQL
    @Test("a statement of a move has no limit that a large index exceeds: MariaDB")
    func mysqlStatements() {
        let options = MovePlace.mysqlOptions
        #expect(options.statementTimeout.map { $0 > .seconds(7 * 24 * 3600) } == true)
        #expect(options.answerTimeout == MySQLOptions().answerTimeout)
    }
    #endif
}
#endif
