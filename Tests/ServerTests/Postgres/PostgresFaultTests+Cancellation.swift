#if PostgreSQL
import Foundation
import TableKit
import TableSQL
import Testing
import TestServers

@testable import PostgresTables

/// What a cancellation ends, and what it does not.
extension PostgresTests.Faults {
    @Test("A cancellation reaches the server, and the connection goes on") func cancellation() throws {
        let server = try PostgresServer.shared()
        let connection = try server.connection()
        defer { connection.close() }
        connection.cancel()  // nothing runs
        connection.forgetCancellation()
        let marks = ["SELECT pg_sleep(3601)", "SELECT pg_sleep(3602)"]
        for mark in marks {
            let work = Background { try connectionError { try connection.run(mark) } }
            try awaitStatement(mark, server)
            connection.cancel()
            connection.cancel()
            #expect(try work.get().kind == .cancelled)
            connection.forgetCancellation()
            let observer = try server.connection()
            defer { observer.close() }
            try waitUntil("the server has stopped") { try !isRunning(mark, observer) }
            for _ in 0..<50 { #expect(try connection.rows("SELECT 1", as: [.int64]) == [[.integer(1)]]) }
        }
        // In a transaction, it ends that alone.
        try connection.run("BEGIN")
        let work = Background { try connectionError { try connection.run("SELECT pg_sleep(3603)") } }
        try awaitStatement("SELECT pg_sleep(3603)", server)
        connection.cancel()
        #expect(try work.get().kind == .cancelled)
        try connection.run("ROLLBACK")
        #expect(connection.isUsable)
    }

    @Test("Cancelling a task ends what the server runs for it", .timeLimit(.minutes(10))) func taskCancellation()
        async throws
    {
        let server = try PostgresServer.shared()
        let database = Database(
            configuration: try PostgresDatabaseConfiguration(
                server.connectionString(database: try server.makeDatabase())))
        let table = try await database.create(Item.self)
        try await table.insert(Item(id: 1))
        let pool = database.configuration.server.pool
        for isInTransaction in [false, true] {
            // Holds the row.
            let holder = try await pool.acquire()
            try await pool.threads.run {
                try holder.run("BEGIN")
                try holder.run("UPDATE \"Item\" SET id = 1")
            }
            let waiter = Task {
                guard isInTransaction else { return _ = try await table.update(Item(id: 1)) }
                try await database.transaction { () -> Void in try await table.update(Item(id: 1)) }
            }
            let waiting = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
            func countWaiting() async throws -> [[ColumnValue]] {
                try await pool.withConnection { try $0.rows(waiting, as: [.int64]) }
            }
            while try await countWaiting() == [[.integer(0)]] {}
            waiter.cancel()
            await #expect(throws: CancellationError.self) { try await waiter.value }
            while try await countWaiting() != [[.integer(0)]] {}
            try await pool.threads.run { try holder.run("ROLLBACK") }
            pool.release(holder)
            try await table.update(Item(id: 1))
        }
    }

    @Test("A cancellation that comes between two statements ends the next one, but no savepoint, rollback or commit")
    func earlyCancellation() throws {
        let connection = try PostgresServer.shared().connection()
        defer { connection.close() }
        try connection.run("CREATE TEMPORARY TABLE early (a integer)")
        let insert = SQLStatement("INSERT INTO early VALUES (1)")
        try connection.run("BEGIN")
        _ = try connection.execute(insert)
        connection.executeLater(SQLStatement("SAVEPOINT s"))
        let trips = connection.roundTrips.waited
        connection.cancel()
        for _ in 0..<2 { #expect(try connectionError { _ = try connection.execute(insert) }.kind == .cancelled) }
        #expect(connection.roundTrips.waited == trips)
        // The savepoint is still to come, and comes before its rollback.
        _ = try connection.executeAll([SQLStatement("ROLLBACK TO SAVEPOINT s"), SQLStatement("RELEASE SAVEPOINT s")])
        _ = try connection.executeAll([SQLStatement("SELECT 1"), SQLStatement("COMMIT")])
        #expect(try connectionError { _ = try connection.execute(insert) }.kind == .cancelled)
        connection.forgetCancellation()
        #expect(try connection.rows("SELECT count(*) FROM early", as: [.int64]) == [[.integer(1)]])
    }

    @Test("A cancellation that comes while a rollback has no answer yet ends the next statement") func lateRollback()
        throws
    {
        let connection = try PostgresServer.shared().connection()
        defer { connection.close() }
        try connection.run("BEGIN")
        try connection.executeWithoutWaiting(SQLStatement("ROLLBACK"))
        connection.cancel()
        #expect(try connectionError { try connection.run("SELECT 1") }.kind == .cancelled)
        connection.forgetCancellation()
        #expect(try connection.rows("SELECT 1", as: [.int64]) == [[.integer(1)]])
    }

    @Test("Cancelling a task does not end the wait of its commit for a standby", .timeLimit(.minutes(10)))
    func taskCancellationAmidCommit() async throws {
        let server = try PostgresServer(settings: [
            "synchronous_standby_names": "nobody", "synchronous_commit": "local",
        ])
        defer { server.remove() }
        let admin = Database(configuration: try PostgresDatabaseConfiguration(server.connectionString()))
        try await admin.create(Item.self)
        let database = Database(
            configuration: try PostgresDatabaseConfiguration(
                server.connectionString() + " options='-c synchronous_commit=on'"))
        let pool = admin.configuration.server.pool
        func waiting() async throws -> Int? {
            let question = "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
            return try await pool.withConnection { try $0.rows(question, as: [.int64]) }.first?.first?.int
        }
        let table = database.table(Item.self)
        let changes = [
            Task { _ = try await table.insert(Item(id: 1)) },
            Task { try await database.transaction { () -> Void in try await table.insert(Item(id: 2)) } },
        ]
        while try await waiting() != changes.count {}
        for change in changes { change.cancel() }
        // Usually a request to the server would have come by then.
        try await Task.sleep(for: .seconds(1))
        #expect(try await waiting() == changes.count)
        // They have nobody to wait for any more.
        try await pool.withConnection { connection in
            try connection.run("ALTER SYSTEM SET synchronous_standby_names = ''")
            _ = try connection.rows("SELECT pg_reload_conf()", as: [.bool])
        }
        for change in changes { try await change.value }
        #expect(try await admin.table(Item.self).count() == 2)
        try await database.close()
        try await admin.close()
    }
}
#endif
