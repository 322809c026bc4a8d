#if PostgreSQL
import CRUDKit
import Foundation
import TableKit
import TableSQL
import Testing
import TestServers

@testable import PostgresTables

extension PostgresTests {
    /// What happens when server or network fail, and that each wait ends.
    @Suite(.serialized) struct Faults {
        /// A server that waits for a standby which is not there, where a session asks for that.
        func withServer(_ body: (PostgresServer) throws -> Void) throws {
            let server = try PostgresServer(settings: [
                "synchronous_standby_names": "nobody", "synchronous_commit": "local", "restart_after_crash": "off",
            ])
            defer { server.remove() }
            try body(server)
        }

        func impatient(statement: Duration = .milliseconds(400)) -> PostgresOptions {
            var options = PostgresOptions()
            options.statementTimeout = statement
            options.answerTimeout = .milliseconds(400)
            options.connectTimeout = .seconds(2)
            return options
        }

        /// Waits until the server runs a statement with this text.
        func awaitStatement(_ text: String, _ server: PostgresServer) throws {
            let observer = try server.connection()
            defer { observer.close() }
            try waitUntil("the server runs \(text)") { try isRunning(text, observer) }
        }

        func isRunning(_ text: String, _ observer: PostgresConnection) throws -> Bool {
            try observer.rows(
                "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND query LIKE $1::text AND pid <> pg_backend_pid()",
                [.value(.text(text + "%"), .string)], as: [.int64]) != [[.integer(0)]]
        }

        struct Item: Codable, Sendable {
            var id: Int
        }

        @Test("Callers of a full server wait for the connections that the pool has", .timeLimit(.minutes(10)))
        func fullServer() async throws {
            let server = try PostgresServer(settings: ["max_connections": "5", "superuser_reserved_connections": "0"])
            defer { server.remove() }
            let database = Database(configuration: try PostgresDatabaseConfiguration(server.connectionString()))
            let table = try await database.create(Item.self)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for id in 0..<60 { group.addTask { try await table.insert(Item(id: id)) } }
                try await group.waitForAll()
            }
            #expect(try await table.count() == 60)
            // A pool without connections tells of the refusal.
            let pool = database.configuration.server.pool
            var held: [PostgresConnection] = []
            for _ in 0..<5 { held.append(try await pool.acquire()) }
            let error = try connectionError { _ = try server.connection() }
            #expect(error.kind == .noConnection && error.serverCode == "53300", "\(error)")
            for connection in held { pool.release(connection) }
            try await database.close()
        }

        @Test("A statement that takes too long is cancelled by the server") func statementTimeout() throws {
            var options = PostgresOptions()
            options.statementTimeout = .milliseconds(50)
            let connection = try PostgresServer.shared().connection(options)
            defer { connection.close() }
            let error = try connectionError { try connection.run("SELECT pg_sleep(3600)") }
            #expect(error.kind == .timedOut && error.serverCode == "57014")
            #expect(connection.isUsable)
        }

        @Test("A lock that is held too long is told") func lockTimeout() throws {
            let server = try PostgresServer.shared()
            var options = PostgresOptions()
            options.lockTimeout = .milliseconds(20)
            let (holder, waiter) = (try server.connection(), try server.connection(options))
            defer {
                holder.close()
                waiter.close()
            }
            try holder.run("CREATE TABLE locked (a integer)")
            try holder.run("BEGIN")
            try holder.run("LOCK TABLE locked")
            let error = try connectionError { try waiter.run("INSERT INTO locked VALUES (1)") }
            #expect(error.kind == .timedOut && error.serverCode == "55P03")
            try holder.run("ROLLBACK")
        }

        @Test("A frozen server: statements end as with a lost connection, commits as unknown, connections as refused")
        func frozen() throws {
            try withServer { server in
                let (plain, commit) = (try server.connection(impatient()), try server.connection(impatient()))
                var patient = impatient(statement: .seconds(1000))
                patient.answerTimeout = .seconds(15)
                let (autocommit, cancelled) = (try server.connection(impatient()), try server.connection(patient))
                try plain.run("CREATE TABLE t (a integer)")
                try commit.run("BEGIN")
                try commit.run("INSERT INTO t VALUES (1)")
                server.freeze()
                let cancelling = Background { try connectionError { try cancelled.run("SELECT 1") } }
                let silence = try connectionError { try plain.run("SELECT 1") }
                #expect(silence.kind == .connectionLost && silence.code == .unavailable)
                #expect(try connectionError { try commit.run("COMMIT") }.kind == .unknownOutcome)
                #expect(try connectionError { try autocommit.run("INSERT INTO t VALUES (2)") }.kind == .unknownOutcome)
                // A cancellation leaves the server the time to answer, and no more.
                cancelled.cancel()
                #expect(try cancelling.get().kind == .cancelled)
                for connection in [plain, commit, autocommit, cancelled] {
                    #expect(!connection.isUsable)
                    #expect(try connectionError { try connection.run("SELECT 1") }.kind == .connectionLost)
                    connection.close()
                }
                let error = try connectionError { _ = try server.connection(impatient()) }
                #expect(error.kind == .noConnection)
                server.thaw()
            }
        }

        @Test("A repository tells a change without an answer as unknown, not as failed") func repository() async throws
        {
            let server = try PostgresServer()
            defer { server.remove() }
            var options = impatient(statement: .seconds(30))
            // Otherwise the pool may find out that the server is frozen before the change is sent.
            options.healthCheckAfter = 3600
            let repository = try PostgresRepository(server.connectionString(), tableName: "items", options: options)
            try await repository.create(id: "a", item: 1)
            server.freeze()
            let error = await #expect(throws: CRUDRepositoryError.self) {
                try await repository.create(id: "b", item: 2)
            }
            guard case .unknownOutcome? = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            server.thaw()
            repository.close()
        }

        @Test("A frozen host among several costs a moment, not the time-out") func frozenHost() throws {
            let shared = try PostgresServer.shared()
            try withServer { frozen in
                frozen.freeze()
                defer { frozen.thaw() }
                let connector = try PostgresConnector(
                    "host=127.0.0.1,127.0.0.1 port=\(frozen.port),\(shared.port) user=postgres dbname=postgres",
                    options: PostgresOptions())
                for _ in 0..<3 {
                    let connection = try connector.connect()
                    #expect(try connection.rows("SHOW port", as: [.string]) == [[.text("\(shared.port)")]])
                    connection.close()
                }
            }
        }

        @Test("Health: a connection whose server is frozen, gone or read-only is not fit") func health() throws {
            try withServer { server in
                let connector = try PostgresConnector(
                    server.connectionString() + " target_session_attrs=read-write", options: impatient())
                let (first, second, third) = (try connector.connect(), try connector.connect(), try connector.connect())
                #expect(connector.isHealthy(first) && connector.isHealthy(second) && connector.isHealthy(third))
                try third.run("SET default_transaction_read_only = on")
                #expect(!connector.isHealthy(third))
                server.freeze()
                #expect(!connector.isHealthy(first))
                server.thaw()
                server.kill()
                #expect(!connector.isHealthy(second))
                #expect(try connectionError { _ = try connector.connect() }.kind == .noConnection)
                for connection in [first, second, third] { connection.close() }
            }
        }

        @Test("A write that a standby refuses ends the connection, and its outcome is known") func demoted() throws {
            try withServer { server in
                let leader = try server.connection()
                try leader.run("CREATE TABLE t (a integer)")
                leader.close()
                server.kill()
                try Data().write(to: URL(fileURLWithPath: "\(server.directory)/data/standby.signal"))
                try server.start()
                let insert = SQLStatement("INSERT INTO t VALUES (1)")
                let writes = [
                    [insert], [SQLStatement("BEGIN ISOLATION LEVEL REPEATABLE READ"), insert, SQLStatement("COMMIT")],
                    [SQLStatement("BEGIN ISOLATION LEVEL SERIALIZABLE"), insert, SQLStatement("COMMIT")],
                ]
                for statements in writes {
                    let connection = try server.connection()
                    #expect(try connection.rows("SELECT count(*) FROM t", as: [.int64]) == [[.integer(0)]])
                    let error = try connectionError { _ = try connection.executeAll(statements) }
                    #expect(error.kind == .connectionLost && error.code == .unavailable, "\(error)")
                    #expect(!connection.isUsable)
                    connection.close()
                }
            }
        }

        @Test("A transaction that only reads, on a leader, is all that a refused write ends")
        func readOnlyTransaction() throws {
            let connection = try PostgresServer.shared().connection()
            defer { connection.close() }
            for text in ["BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", "BEGIN READ WRITE"] {
                try connection.run(text)
                #expect(connection.onlyReads == text.hasSuffix("READ ONLY"))
                try connection.run("ROLLBACK")
                #expect(!connection.onlyReads)
            }
            try connection.run("BEGIN READ ONLY")
            let error = try connectionError { try connection.run("CREATE TABLE never (a integer)") }
            #expect(error.kind == .statement && error.serverCode == "25006", "\(error)")
            try connection.run("ROLLBACK")
            #expect(connection.isUsable)
        }

        @Test("A server that does not say whether it is a standby may be one, unless the transaction only reads")
        func standbyUnknown() {
            for onlyReads in [false, true] {
                #expect(PostgresError.mayBeStandby("on", inReadOnlyTransaction: onlyReads))
                #expect(!PostgresError.mayBeStandby("off", inReadOnlyTransaction: onlyReads))
                #expect(PostgresError.mayBeStandby(nil, inReadOnlyTransaction: onlyReads) != onlyReads)
            }
        }

        @Test("A server that is killed amid a transaction, a result, a commit") func killed() throws {
            try withServer { server in
                let (transaction, result, commit) = (
                    try server.connection(), try server.connection(), try server.connection()
                )
                let (statement, autocommit) = (try server.connection(), try server.connection())
                try transaction.run("CREATE TABLE t (a integer)")
                try transaction.run("BEGIN")
                try transaction.run("INSERT INTO t VALUES (1)")
                try result.run("BEGIN")
                let rows = try result.open(
                    SQLStatement("SELECT a FROM generate_series(1, 1000) AS s(a)", results: [.int64]), batchRows: 10)
                #expect(try rows.next()?.count == 10)
                // Waits for a standby that never comes, after it has committed.
                for connection in [commit, autocommit] { try connection.run("SET synchronous_commit = on") }
                try commit.run("BEGIN")
                try commit.run("INSERT INTO t VALUES (2)")
                let committing = Background { try connectionError { try commit.run("COMMIT") } }
                let inserting = Background { try connectionError { try autocommit.run("INSERT INTO t VALUES (3)") } }
                let sleeping = Background { try connectionError { try statement.run("SELECT pg_sleep(3600)") } }
                for text in ["COMMIT", "INSERT INTO t VALUES (3)", "SELECT pg_sleep(3600)"] {
                    try awaitStatement(text, server)
                }
                server.kill()
                #expect(try committing.get().kind == .unknownOutcome)
                #expect(try inserting.get().kind == .unknownOutcome)
                #expect(try sleeping.get().kind == .connectionLost)
                #expect(try connectionError { try transaction.run("INSERT INTO t VALUES (4)") }.kind == .connectionLost)
                #expect(try connectionError { _ = try rows.next() }.kind == .connectionLost)
                for connection in [transaction, result, commit, statement, autocommit] {
                    #expect(!connection.isUsable)
                    connection.close()
                }
                try server.start()
                let after = try server.connection()
                // Both had committed. Unknown was the truth.
                #expect(try after.rows("SELECT a FROM t ORDER BY a", as: [.int64]) == [[.integer(2)], [.integer(3)]])
                after.close()
            }
        }

        @Test(
            "A commit whose wait for its standby is cancelled is unknown, though the server says success",
            arguments: ["postgres", "quiet"])
        func commitWithoutStandby(_ user: String) throws {
            try withServer { server in
                let other = try server.connection()
                // A role that hears of errors alone would not hear the warning.
                try other.run("CREATE ROLE quiet LOGIN SUPERUSER")
                try other.run("ALTER ROLE quiet SET client_min_messages = error")
                let connector = try PostgresConnector(
                    server.connectionString(user: user), options: PostgresOptions())
                let connection = try connector.connect()
                try connection.run("CREATE TABLE t (a integer)")
                try connection.run("SET synchronous_commit = on")
                for (number, isOneStatement) in [true, false].enumerated() {
                    if !isOneStatement { try connection.run("BEGIN") }
                    let insert = "INSERT INTO t VALUES (\(number))"
                    if !isOneStatement { try connection.run(insert) }
                    let work = Background {
                        try connectionError { try connection.run(isOneStatement ? insert : "COMMIT") }
                    }
                    try waitUntil("the commit waits") {
                        try other.rows(
                            "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'",
                            as: [.bool]) == [[.bool(true)]]
                    }
                    #expect(try work.get().kind == .unknownOutcome)
                    #expect(connection.isUsable)
                }
                #expect(try connection.rows("SELECT count(*) FROM t", as: [.int64]) == [[.integer(2)]])
                connection.close()
                other.close()
            }
        }

        @Test("A commit is not cancelled, and one that waits too long is unknown") func impatientCommit() throws {
            try withServer { server in
                let connection = try server.connection(impatient())
                try connection.run("CREATE TABLE t (a integer)")
                try connection.run("SET synchronous_commit = on")
                try connection.run("BEGIN")
                try connection.run("INSERT INTO t VALUES (1)")
                let work = Background { try connectionError { try connection.run("COMMIT") } }
                try awaitStatement("COMMIT", server)
                connection.cancel()
                #expect(try work.get().kind == .unknownOutcome)
                #expect(!connection.isUsable)
                connection.close()
            }
        }

        @Test("A connection that the server ends is lost, and its transaction with it") func terminated() throws {
            let server = try PostgresServer.shared()
            let (victim, other) = (try server.connection(), try server.connection())
            let pid = try victim.rows("SELECT pg_backend_pid()", as: [.int64])[0][0]
            try victim.run("BEGIN")
            _ = try other.rows("SELECT pg_terminate_backend($1::integer)", [.value(pid, .int32)], as: [.bool])
            try waitUntil("the backend is gone") {
                try other.rows(
                    "SELECT 1 FROM pg_stat_activity WHERE pid = $1::integer", [.value(pid, .int32)], as: [.int64]
                )
                .isEmpty
            }
            let error = try connectionError { try victim.run("SELECT 1") }
            #expect(error.kind == .connectionLost && !victim.isUsable)
            victim.close()
            victim.close()
            other.close()
        }
    }

    struct Logins {
        private func refusal(_ text: String) throws -> SQLConnectionError {
            try connectionError {
                let connector = try PostgresConnector(text, options: PostgresOptions())
                try connector.connect().close()
            }
        }

        @Test("A refused login, an unknown database and a silent port are told apart, without the password")
        func refusals() throws {
            let server = try PostgresServer(hba: ["host all locked 127.0.0.1/32 scram-sha-256"])
            defer { server.remove() }
            let admin = try server.connection()
            try admin.run("CREATE ROLE locked LOGIN PASSWORD 'right'")
            admin.close()
            let wrong = try refusal(server.networkString(user: "locked") + " password=secret-wrong")
            #expect(wrong.kind == .noConnection && wrong.serverCode == "28P01", "\(wrong)")
            #expect(!wrong.message.contains("secret-wrong"))
            let right = try PostgresConnector(
                server.networkString(user: "locked"), overrides: [("password", "right")], options: PostgresOptions())
            try right.connect().close()
            #expect(!right.place.contains("right"))
            let unknown = try refusal(server.networkString(database: "nowhere"))
            #expect(unknown.kind == .noConnection && unknown.serverCode == "3D000", "\(unknown)")
            let role = try refusal(server.networkString(user: "nobody-of-that-name"))
            #expect(role.kind == .noConnection && role.serverCode?.hasPrefix("28") == true, "\(role)")
            let silent = try refusal("host=127.0.0.1 port=\(try FreePort.find()) user=postgres")
            #expect(silent.kind == .noConnection && silent.serverCode == nil, "\(silent)")
        }

        @Test(
            "A connection string that cannot be read is refused before any connection",
            arguments: [
                "host=a nonsense=1", "postgresql://[", "host='", "dbname=a\0b", "host=a,b port=1,2,3",
                "host=a,b hostaddr=::1", "hostaddr=::1,::2,::3 port=1,2",
            ])
        func syntax(_ text: String) throws {
            let error = try connectionError { _ = try PostgresConnector(text, options: PostgresOptions()) }
            #expect(error.kind == .noConnection && error.code == .argument)
            #expect(throws: CRUDSQLExeError.self) { try PostgresDatabaseConfiguration(text) }
        }

        @Test(
            "A refused connection string shows no part of its password",
            arguments: [
                "host=a password=one secret", "host=a password='secret", "postgresql://u:se%cret@h/d",
                "postgresql://u:secret@[h/d", "postgresql://h/d?password=secret=secret",
                "postgresql://u@h/d?passwort=secret", "host=a password=one \"secret\"=1",
                "postgresql://u:se/cret@h/d", "postgresql://u:se@cret:x@127.0.0.1/d", "postgresql://u:secret/d",
            ])
        func secrets(_ text: String) throws {
            let error = try connectionError { _ = try PostgresConnector(text, options: PostgresOptions()) }
            #expect(error.code == .argument && !error.message.contains("cret"), "\(error)")
        }

        @Test(
            "Signs that are encoded, and an @ where it belongs, are taken",
            arguments: [
                "postgresql://u:p%40a%2Fs@h/d", "postgresql://h/a%40b", "dbname='a@b'", "host=@/tmp",
                "postgresql://u@h1,h2:2/d?application_name=a@b", "host=a,b port=1,2",
            ])
        func signs(_ text: String) throws { _ = try PostgresConnector(text, options: PostgresOptions()) }

        @Test("Of several hosts, the one that takes writes is found") func readWrite() throws {
            let shared = try PostgresServer.shared()
            let other = try PostgresServer(settings: ["default_transaction_read_only": "on"])
            defer { other.remove() }
            let dead = try FreePort.find()
            let text = "host=127.0.0.1,127.0.0.1,127.0.0.1 port=\(dead),\(other.port),\(shared.port) user=postgres"
            let connector = try PostgresConnector(text, options: PostgresOptions())
            let connection = try connector.connect()
            defer { connection.close() }
            #expect(try connection.rows("SHOW port", as: [.string]) == [[.text("\(shared.port)")]])
            let none = try refusal("host=127.0.0.1,127.0.0.1 port=\(dead),\(other.port) user=postgres")
            #expect(none.message.contains(":\(dead)") && none.message.contains(":\(other.port)"), "\(none)")
        }

        @Test("Every session has its settings") func settings() throws {
            var options = PostgresOptions()
            options.statementTimeout = .seconds(7)
            options.lockTimeout = .milliseconds(1500)
            options.applicationName = "a test's name"
            let connection = try PostgresServer.shared().connection(options)
            defer { connection.close() }
            let settings = [
                ("statement_timeout", "7s"), ("lock_timeout", "1500ms"), ("application_name", "a test's name"),
                ("client_encoding", "UTF8"), ("standard_conforming_strings", "on"), ("client_min_messages", "warning"),
            ]
            for (name, value) in settings {
                #expect(try connection.rows("SHOW \(name)", as: [.string]) == [[.text(value)]])
            }
        }
    }
}
#endif
