#if MySQL
import Foundation
import TableKit
import TableSQL
import Testing
import TestServers

@testable import MySQLTables

/// What a cancellation ends, and what it does not.
extension MySQLTests.Faults {
    @Test("A cancellation reaches the server, and the connection goes on") func cancellation() throws {
        let server = try MySQLServer.shared()
        let connection = try server.connection()
        defer { connection.close() }
        connection.cancel()  // nothing runs
        connection.forgetCancellation()
        for mark in ["SELECT SLEEP(3601)", "SELECT SLEEP(3602)"] {
            let work = Background { try connection.rows(mark, as: [.int64]) }
            try awaitStatement(mark, server)
            connection.cancel()
            connection.cancel()
            // SLEEP alone ends by itself, and says 1, where it is killed.
            let error = try? connectionError { _ = try work.get() }
            #expect(error == nil || error?.kind == .cancelled)
            connection.forgetCancellation()
            let observer = try server.connection()
            defer { observer.close() }
            try waitUntil("the server has stopped") { try !isRunning(mark, observer) }
            for _ in 0..<50 { #expect(try connection.rows("SELECT 1", as: [.int64]) == [[.integer(1)]]) }
        }
        let long = "SELECT COUNT(*) FROM seq_1_to_100000000 AS a JOIN seq_1_to_100000000 AS b ON a.seq < b.seq"
        try connection.run("BEGIN")
        let work = Background { try connectionError { _ = try connection.rows(long, as: [.int64]) } }
        try awaitStatement(long, server)
        connection.cancel()
        #expect(try work.get().kind == .cancelled)
        try connection.run("ROLLBACK")
        #expect(connection.isUsable)
    }

    @Test("A cancellation ends the next statement, but no savepoint, rollback or commit") func earlyCancellation()
        throws
    {
        let connection = try MySQLServer.shared().connection()
        defer { connection.close() }
        try connection.run("CREATE TEMPORARY TABLE early (a INT) ENGINE = InnoDB")
        let insert = SQLStatement("INSERT INTO early VALUES (1)")
        try connection.run("BEGIN")
        _ = try connection.execute(insert)
        connection.cancel()
        try connection.run("SAVEPOINT s")
        for _ in 0..<2 { #expect(try connectionError { _ = try connection.execute(insert) }.kind == .cancelled) }
        for text in ["ROLLBACK TO SAVEPOINT s", "RELEASE SAVEPOINT s", "COMMIT"] { try connection.run(text) }
        connection.forgetCancellation()
        #expect(try connection.rows("SELECT COUNT(*) FROM early", as: [.int64]) == [[.integer(1)]])
    }

    @Test("Cancelling a task does not end the wait of its change for a replica", .timeLimit(.minutes(10)))
    func taskCancellationAmidCommit() async throws {
        let server = try MySQLServer([
            "--log-bin", "--server-id=1", "--rpl-semi-sync-master-timeout=3600000",
        ])
        defer { server.remove() }
        let database = Database(
            configuration: try MySQLDatabaseConfiguration(server.url(database: try server.makeDatabase())))
        let table = try await database.create(Item.self)
        let admin = try server.connection()
        defer { admin.close() }
        func isWaiting() throws -> Bool {
            let waiting = "information_schema.PROCESSLIST WHERE STATE LIKE '%semi-sync%'"
            return try admin.rows("SELECT COUNT(*) FROM \(waiting)", as: [.int64]) == [[.integer(1)]]
        }
        // Otherwise the change would read the catalogue, in a transaction.
        #expect(try await table.count() == 0)
        // There is no replica.
        try admin.run("SET GLOBAL rpl_semi_sync_master_enabled = ON")
        let change = Task { _ = try await table.insert(Item(id: 1)) }
        while try !isWaiting() { await Task.yield() }
        change.cancel()
        // Usually the request has come to the server by then.
        try await Task.sleep(for: .seconds(2))
        #expect(try isWaiting())
        try admin.run("SET GLOBAL rpl_semi_sync_master_enabled = OFF")
        try await change.value
        #expect(try await table.count() == 1)
        try await database.close()
    }
}
#endif
