#if PostgreSQL || MySQL || SQLite
import Foundation
import Synchronization
import TableKit
import Testing

@testable import TableSQL

/// Sessions over a connection to no server.
@Suite(.timeLimit(.minutes(10))) struct SessionTests {
    private func engine(
        _ dialect: any SchemaDialect, _ connection: ScriptedConnection
    ) -> SQLEngine<ScriptedConnector> {
        let pool = ConnectionPool(ScriptedConnector(connection: connection))
        return SQLEngine(dialect: dialect, pool: pool, observation: .ownCommits)
    }

    @Test(
        "observers hear of a change that is stored, although its result cannot be read",
        arguments: [PostgresDialect(), MySQLDialect()] as [any SchemaDialect])
    func unreadableResult(_ dialect: any SchemaDialect) async throws {
        let engine = engine(dialect, ScriptedConnection())
        let observation = TableWatchObservation(engine.core.watch, ["t"], since: engine.core.watch.mark())
        let session = try engine.session(.singleChange)
        session.changedTables = ["t"]
        let error = #expect(throws: CRUDSQLExeError.self) {
            try session.change(isOne: true) { _ in
                throw SQLConnectionError(.statement, code: .type, "300 is no UInt8.").afterCommit
            }
        }
        #expect(error?.code == .unknownOutcome)
        session.rollback()
        try await observation.change()
        engine.close()
    }

    private struct Failure: Error {}

    @Test("an asynchronous transaction runs savepoints and rollbacks on threads that may block") func threads() async {
        let connection = ScriptedConnection()
        let engine = engine(MySQLDialect(), connection)
        let db = Database(configuration: ScriptedConfiguration(engine))
        await #expect(throws: Failure.self) {
            try await db.transaction { () async throws in
                do { try await db.transaction { () async throws in throw Failure() } } catch is Failure {}
                try await db.transaction { () async throws in }
                throw Failure()
            }
        }
        #expect(
            connection.calls.filter { $0.contains("SAVEPOINT") || $0 == "ROLLBACK" } == [
                "SAVEPOINT s1", "ROLLBACK TO SAVEPOINT s1", "SAVEPOINT s2", "ROLLBACK",
            ])
        #expect(connection.threads == ["siltstone.sql"])
        engine.close()
    }

    @Test("a cancelled task rolls back to its savepoint") func cancelledRollback() async throws {
        let connection = ScriptedConnection()
        let engine = engine(MySQLDialect(), connection)
        let (begun, begin) = AsyncStream.makeStream(of: Void.self)
        let task = Task {
            try await TaskCancellation.run(on: engine.core.threads) {
                let session = try engine.session(.write(.serial))
                defer { session.rollback() }
                let savepoint = try session.savepoint()
                begin.finish()
                while TaskCancellation.current?.isCancelled == false { Thread.sleep(forTimeInterval: 0.001) }
                #expect(throws: CancellationError.self) { try session.savepoint() }
                try session.rollback(to: savepoint)
            }
        }
        for await _ in begun {}
        task.cancel()
        try await task.value
        #expect(connection.calls.contains("ROLLBACK TO SAVEPOINT s1"))
        engine.close()
    }

    @Test("a script that cannot be rolled back ends its transaction, which then does not commit")
    func failedRollback() {
        let connection = ScriptedConnection { text in
            text.hasPrefix("ROLLBACK TO") ? SQLConnectionError(.statement, code: .engine, "No.") : nil
        }
        let engine = engine(SQLiteDialect(), connection)
        let db = Database(configuration: ScriptedConfiguration(engine))
        var first: (any Error)?
        let error = #expect(throws: CRUDSQLExeError.self) {
            try db.transaction {
                // There is no such table.
                do { try db.sql("SAVEPOINT a; DELETE FROM missing; RELEASE a") } catch { first = error }
            }
        }
        #expect((first as? any TableError)?.code == .noTable)
        #expect(error?.code == .transaction)
        #expect(connection.calls.contains("ROLLBACK") && !connection.calls.contains("COMMIT"))
        engine.close()
    }

    @Test("a transaction in which a failed statement could not be taken back by itself does not commit")
    func failedUndo() throws {
        let connection = ScriptedConnection { text in
            let isUndo = text.hasPrefix("ROLLBACK TO")
            return isUndo ? SQLConnectionError(.cancelled, code: .engine, serverCode: "1317", "Interrupted.") : nil
        }
        let engine = engine(MySQLDialect(), connection)
        let session = try engine.session(.write(.serial))
        try session.change { _ = try $0.execute(SQLStatement("INSERT 1")) }
        let first = #expect(throws: CRUDSQLExeError.self) {
            try session.change { connection in
                _ = try connection.execute(SQLStatement("INSERT 2"))
                throw SQLConnectionError(.statement, code: .unique, "There is such a row.")
            }
        }
        #expect(first?.code == .unique)
        // The body goes on as if nothing had happened.
        try session.change { _ = try $0.execute(SQLStatement("INSERT 3")) }
        let error = #expect(throws: CRUDSQLExeError.self) { try session.commit() }
        #expect(error?.code == .transaction)
        #expect(connection.calls.contains("ROLLBACK") && !connection.calls.contains("COMMIT"))
        engine.close()
    }

    @Test("a transaction whose savepoint meets a conflict may run again: its commit throws the conflict and sends none")
    func conflictingUndo() throws {
        let connection = ScriptedConnection { text in
            let isUndo = text.hasPrefix("ROLLBACK TO")
            return isUndo ? SQLConnectionError(.conflict, code: .conflict, serverCode: "1213", "Deadlock.") : nil
        }
        let engine = engine(MySQLDialect(), connection)
        let session = try engine.session(.write(.serial))
        try session.change { _ = try $0.execute(SQLStatement("INSERT 1")) }
        let first = #expect(throws: CRUDSQLExeError.self) {
            try session.change { _ in throw SQLConnectionError(.statement, code: .unique, "There is such a row.") }
        }
        #expect(first?.code == .unique)
        let error = #expect(throws: CRUDSQLExeError.self) { try session.commit() }
        #expect(error?.code == .conflict)
        #expect(connection.calls.contains("ROLLBACK") && !connection.calls.contains("COMMIT"))
        engine.close()
    }

    private struct Item: Codable { var id: Int }

    /// A connection whose first rollback to a savepoint meets a conflict, and which creates no table.
    private func firstUndoConflicts() -> ScriptedConnection {
        let undoes = Mutex(0)
        return ScriptedConnection { text in
            if text.hasPrefix("CREATE TABLE") { return SQLConnectionError(.statement, code: .unsupported, "No.") }
            guard text.hasPrefix("ROLLBACK TO") else { return nil }
            let isFirst = undoes.withLock { undoes in
                undoes += 1
                return undoes == 1
            }
            return isFirst ? SQLConnectionError(.conflict, code: .conflict, serverCode: "1213", "Deadlock.") : nil
        }
    }

    @Test("a transaction that goes on after a failed statement runs again if its savepoint meets a conflict")
    func conflictAfterStatement() throws {
        let connection = firstUndoConflicts()
        let engine = engine(PostgresDialect(), connection)
        let db = Database(configuration: ScriptedConfiguration(engine))
        var codes: [TableErrorCode] = []
        try db.transaction {
            do { try db.create(Item.self) } catch let error as CRUDSQLExeError { codes.append(error.code) }
        }
        #expect(codes == [.unsupported, .unsupported])
        #expect(connection.calls.filter { $0 == "COMMIT" }.count == 1)
        engine.close()
    }

    @Test("a transaction that goes on after a failed script runs again if its savepoint meets a conflict")
    func conflictAfterScript() throws {
        let connection = firstUndoConflicts()
        let engine = engine(MySQLDialect(), connection)
        let db = Database(configuration: ScriptedConfiguration(engine))
        var codes: [TableErrorCode] = []
        try db.transaction {
            // There is no such table.
            do { try db.sql("SAVEPOINT a; DELETE FROM missing; RELEASE a") } catch let error as any TableError {
                codes.append(error.code)
            }
        }
        #expect(codes == [.noTable, .noTable])
        #expect(connection.calls.filter { $0 == "COMMIT" }.count == 1)
        engine.close()
    }

    @Test("a transaction that goes on after a failed nested one runs again if the savepoint meets a conflict")
    func conflictAfterNested() throws {
        let connection = firstUndoConflicts()
        let engine = engine(MySQLDialect(), connection)
        let db = Database(configuration: ScriptedConfiguration(engine))
        var attempts = 0
        try db.transaction {
            attempts += 1
            do { try db.transaction { () throws in throw Failure() } } catch is Failure {}
        }
        #expect(attempts == 2)
        #expect(connection.calls.filter { $0 == "COMMIT" }.count == 1)
        engine.close()
    }

    @Test("an asynchronous transaction that goes on after a failed nested one runs again after a conflict")
    func conflictAfterNestedTask() async throws {
        let connection = firstUndoConflicts()
        let engine = engine(MySQLDialect(), connection)
        let db = Database(configuration: ScriptedConfiguration(engine))
        var attempts = 0
        try await db.transaction { () async throws in
            attempts += 1
            do { try await db.transaction { () async throws in throw Failure() } } catch is Failure {}
        }
        #expect(attempts == 2)
        #expect(connection.calls.filter { $0 == "COMMIT" }.count == 1)
        engine.close()
    }

    @Test(
        "an observation goes on after a read that conflicts with another program, whatever time is given to a failover",
        .timeLimit(.minutes(5)), arguments: [Duration.zero, .seconds(3600)])
    func conflictingRead(failoverTimeout: Duration) async throws {
        let reads = Mutex(0)
        let connection = ScriptedConnection { text in
            guard text.hasPrefix("BEGIN") else { return nil }
            let isFirst = reads.withLock { reads in
                reads += 1
                return reads == 1
            }
            return isFirst ? SQLConnectionError(.conflict, code: .conflict, "The table has changed.") : nil
        }
        let engine = SQLEngine(
            dialect: PostgresDialect(), pool: ConnectionPool(ScriptedConnector(connection: connection)),
            observation: .polled(every: .milliseconds(1)), failoverTimeout: failoverTimeout)
        let db = Database(configuration: ScriptedConfiguration(engine))
        // The body needs no statement. The first look for changes begins a transaction.
        var values = try db.observe { 1 }.makeAsyncIterator()
        #expect(try await values.next(isolation: #isolation) == 1)
        #expect(try await values.next(isolation: #isolation) == 1)
        #expect(reads.withLock { $0 } >= 1)
        engine.close()
    }

    @Test("a transaction that fails to begin leaves no isolation level for the connection's next user")
    func failedBegin() throws {
        let connection = ScriptedConnection { text in
            text == "START TRANSACTION" ? SQLConnectionError(.cancelled, code: .engine, "Cancelled.") : nil
        }
        let engine = engine(MySQLDialect(), connection)
        let session = try engine.session(.write(.concurrent(retries: 0)))
        #expect(throws: CRUDSQLExeError.self) { try session.savepoint() }
        session.rollback()
        let calls = connection.calls
        let begin = try #require(calls.firstIndex(of: "START TRANSACTION"))
        #expect(calls[begin - 1].hasPrefix("SET TRANSACTION") && calls[begin + 1] == "close")
        engine.close()
    }
}
#endif
