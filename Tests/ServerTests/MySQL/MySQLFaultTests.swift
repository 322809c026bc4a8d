#if MySQL
import Foundation
import TableKit
import TableSQL
import Testing
import TestServers

@testable import MySQLTables

extension MySQLTests {
    /// What happens when server or network fail, and that each wait ends.
    @Suite(.serialized) struct Faults {
        private func withServer(_ options: [String] = [], _ body: (MySQLServer) throws -> Void) throws {
            let server = try MySQLServer(options)
            defer { server.remove() }
            try body(server)
        }

        private func impatient(statement: Duration = .milliseconds(400)) -> MySQLOptions {
            var options = MySQLOptions()
            options.statementTimeout = statement
            options.answerTimeout = .milliseconds(400)
            options.connectTimeout = .seconds(2)
            return options
        }

        /// Waits until the server runs a statement with this text.
        func awaitStatement(_ text: String, _ server: MySQLServer) throws {
            let observer = try server.connection()
            defer { observer.close() }
            try waitUntil("the server runs \(text)") { try isRunning(text, observer) }
        }

        func isRunning(_ text: String, _ observer: MySQLConnection) throws -> Bool {
            try observer.rows(
                "SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE INFO LIKE ? AND ID <> CONNECTION_ID()",
                [.value(.text(text + "%"), .string)], as: [.int64]) != [[.integer(0)]]
        }

        private func makeTable(_ connection: MySQLConnection) throws {
            try connection.run("CREATE TABLE t (a INT PRIMARY KEY, b INT) ENGINE = InnoDB")
        }

        struct Item: Codable, Sendable {
            var id: Int
        }

        @Test("Callers of a full server wait for the connections that the pool has", .timeLimit(.minutes(10)))
        func fullServer() async throws {
            // The least that it can be set to, and one more for a superuser.
            let server = try MySQLServer(["--max-connections=10"])
            defer { server.remove() }
            let database = Database(
                configuration: try MySQLDatabaseConfiguration(server.url(database: try server.makeDatabase())))
            let table = try await database.create(Item.self)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for id in 0..<60 { group.addTask { try await table.insert(Item(id: id)) } }
                try await group.waitForAll()
            }
            #expect(try await table.count() == 60)
            try await database.close()
        }

        @Test("A statement that takes too long is ended by the server") func statementTimeout() throws {
            var options = MySQLOptions()
            // Long enough for the statements of the login, also beside other tests.
            options.statementTimeout = .seconds(1)
            let connection = try MySQLServer.shared().connection(options)
            defer { connection.close() }
            let long = "SELECT COUNT(*) FROM seq_1_to_100000000 AS a JOIN seq_1_to_100000000 AS b ON a.seq < b.seq"
            let error = try connectionError { _ = try connection.rows(long, as: [.int64]) }
            #expect(error.kind == .timedOut && error.serverCode == "1969")
            #expect(connection.isUsable)
        }

        @Test(
            "A lock that is held too long is a conflict, and the transaction is of no more use until it is rolled back")
        func lockTimeout() throws {
            let server = try MySQLServer.shared()
            var options = MySQLOptions()
            options.lockTimeout = .seconds(1)
            let database = try server.makeDatabase()
            let (holder, waiter) = (
                try server.connection(database: database), try server.connection(database: database, options)
            )
            defer {
                holder.close()
                waiter.close()
            }
            try makeTable(holder)
            try holder.run("INSERT INTO t VALUES (1, 1)")
            try holder.run("BEGIN")
            try holder.run("UPDATE t SET b = 2 WHERE a = 1")
            try waiter.run("BEGIN")
            try waiter.run("INSERT INTO t VALUES (2, 2)")
            let error = try connectionError { try waiter.run("UPDATE t SET b = 3 WHERE a = 1") }
            #expect(error.kind == .conflict && error.serverCode == "1205")
            for text in ["INSERT INTO t VALUES (3, 3)", "SELECT * FROM t", "COMMIT"] {
                #expect(try connectionError { try waiter.run(text) }.kind == .conflict)
            }
            try holder.run("COMMIT")
            try waiter.run("BEGIN")
            try waiter.run("INSERT INTO t VALUES (4, 4)")
            try waiter.run("COMMIT")
            #expect(
                try waiter.rows("SELECT a, b FROM t ORDER BY a", as: [.int64, .int64])
                    == [[.integer(1), .integer(2)], [.integer(4), .integer(4)]])
        }

        @Test("The victim of a deadlock does nothing outside of a transaction") func deadlock() throws {
            let server = try MySQLServer.shared()
            let database = try server.makeDatabase()
            let connections = [try server.connection(database: database), try server.connection(database: database)]
            defer { for connection in connections { connection.close() } }
            try makeTable(connections[0])
            try connections[0].run("INSERT INTO t VALUES (1, 0), (2, 0)")
            for (number, connection) in connections.enumerated() {
                try connection.run("BEGIN")
                try connection.run("UPDATE t SET b = 1 WHERE a = \(number + 1)")
            }
            let first = Background { try connections[0].run("UPDATE t SET b = 1 WHERE a = 2") }
            try awaitStatement("UPDATE t SET b = 1 WHERE a = 2", server)
            let second = Background { try connections[1].run("UPDATE t SET b = 1 WHERE a = 1") }
            let errors = [first, second].map { work in try? connectionError { try work.get() } }
            #expect(errors.compactMap { $0?.serverCode } == ["1213"])
            let victim = connections[errors[0] == nil ? 1 : 0], other = connections[errors[0] == nil ? 0 : 1]
            #expect(try connectionError { try victim.run("INSERT INTO t VALUES (3, 3)") }.kind == .conflict)
            try victim.run("ROLLBACK TO SAVEPOINT s")  // the session's own tidying up
            #expect(try connectionError { try victim.run("COMMIT") }.kind == .conflict)
            try other.run("COMMIT")
            #expect(
                try victim.rows("SELECT a, b FROM t ORDER BY a", as: [.int64, .int64])
                    == [[.integer(1), .integer(1)], [.integer(2), .integer(1)]])
        }

        @Test("In a snapshot, a row that has changed since is a conflict when it is changed") func snapshot() throws {
            let server = try MySQLServer.shared()
            let database = try server.makeDatabase()
            let (first, second) = (try server.connection(database: database), try server.connection(database: database))
            defer {
                first.close()
                second.close()
            }
            try makeTable(first)
            try first.run("INSERT INTO t VALUES (1, 1)")
            for text in MySQLDialect().begin(.concurrent(retries: 0)) { try second.run(text) }
            #expect(try second.rows("SELECT b FROM t", as: [.int64]) == [[.integer(1)]])
            try first.run("UPDATE t SET b = 2")
            #expect(try second.rows("SELECT b FROM t", as: [.int64]) == [[.integer(1)]])
            #expect(try connectionError { try second.run("UPDATE t SET b = 3") }.kind == .conflict)
            try second.run("ROLLBACK")
            #expect(try second.rows("SELECT b FROM t", as: [.int64]) == [[.integer(2)]])
        }

        @Test("A frozen server: statements end as with a lost connection, commits as unknown, connections as refused")
        func frozen() throws {
            try withServer { server in
                let (plain, commit) = (try server.connection(impatient()), try server.connection(impatient()))
                var patient = impatient(statement: .seconds(1000))
                patient.answerTimeout = .seconds(5)
                let (autocommit, cancelled) = (try server.connection(impatient()), try server.connection(patient))
                try makeTable(plain)
                try commit.run("BEGIN")
                try commit.run("INSERT INTO t VALUES (1, 1)")
                server.freeze()
                let cancelling = Background { try connectionError { _ = try cancelled.rows("SELECT 1", as: [.int64]) } }
                let silence = try connectionError { _ = try plain.rows("SELECT 1", as: [.int64]) }
                #expect(silence.kind == .connectionLost && silence.code == .unavailable)
                #expect(try connectionError { try commit.run("COMMIT") }.kind == .unknownOutcome)
                // More than the socket holds.
                let large = SQLStatement(
                    "INSERT INTO t SELECT 2, LENGTH(?)",
                    [.value(.bytes([UInt8](repeating: 0, count: 8_000_000)), .bytes)])
                #expect(try connectionError { _ = try autocommit.execute(large) }.kind != .statement)
                // The server would be given 10 s at least; a cancellation leaves it the time to answer.
                cancelled.cancel()
                #expect(try cancelling.get().kind == .cancelled)
                for connection in [plain, commit, autocommit, cancelled] {
                    #expect(!connection.isUsable)
                    #expect(try connectionError { try connection.run("SELECT 1") }.kind == .connectionLost)
                    connection.close()
                    connection.close()
                }
                #expect(try connectionError { _ = try server.connection(impatient()) }.kind == .noConnection)
                server.thaw()
            }
        }

        @Test("A frozen server is given up though its statement may take long; one that is only slow is not")
        func silence() throws {
            try withServer { server in
                let connections = try (0..<2).map { _ in
                    try server.connection(impatient(statement: .seconds(1000)))
                }
                // Many times as long as the server may be silent before it is asked.
                #expect(try connections[0].rows("SELECT SLEEP(2)", as: [.int64]) == [[.integer(0)]])
                try connections[0].run("CREATE TABLE t (a INT PRIMARY KEY)")
                server.freeze()
                #expect(
                    try connectionError { _ = try connections[0].rows("SELECT 1", as: [.int64]) }.kind
                        == .connectionLost)
                #expect(
                    try connectionError { try connections[1].run("INSERT INTO t VALUES (1)") }.kind == .unknownOutcome)
                server.thaw()
                for connection in connections { connection.close() }
            }
        }

        @Test("A slow statement of a server far away goes on, though a whole login takes longer than `answerTimeout`")
        func farAway() throws {
            let way = try LongWay(to: try MySQLServer.shared().port, delay: .milliseconds(1500))
            defer { way.end() }
            var options = impatient(statement: .seconds(1000))
            options.answerTimeout = .seconds(4)
            options.connectTimeout = .seconds(60)
            let connection = try MySQLConnector(
                MySQLLogin("mysql://root@127.0.0.1:\(way.port)/mysql"), options: options
            ).connect()
            defer { connection.close() }
            #expect(try connection.rows("SELECT SLEEP(9)", as: [.int64]) == [[.integer(0)]])
        }

        @Test("A slow statement goes on, though a login would refuse the server's certificate by then")
        func untrusted() throws {
            var options = impatient(statement: .seconds(1000))
            options.answerTimeout = .seconds(2)
            options.connectTimeout = .seconds(30)
            guard Certificates.arePossible else { return }
            let certificates = try Certificates()
            defer { certificates.remove() }
            try certificates.trust("right")
            try withServer([
                "--ssl-cert=\(certificates.certificate("right"))", "--ssl-key=\(certificates.key("right"))",
            ]) { server in
                let connector = MySQLConnector(
                    try MySQLLogin(
                        server.networkURL() + "?ssl-mode=verify-identity&ssl-ca=\(certificates.trusted)"),
                    options: options)
                let connection = try connector.connect()
                defer { connection.close() }
                try certificates.trust("wrong")
                #expect(try connection.rows("SELECT SLEEP(5)", as: [.int64]) == [[.integer(0)]])
                #expect(throws: SQLConnectionError.self) { try connector.connect() }
                server.freeze()
                defer { server.thaw() }
                #expect(
                    try connectionError { _ = try connection.rows("SELECT 1", as: [.int64]) }.kind == .connectionLost)
            }
        }

        @Test("A statement that takes longer to send than a server may be silent arrives") func slowUpload() throws {
            // Ten seconds, of which the system's own buffers hide several.
            let way = try LongWay(to: try MySQLServer.shared().port, rate: 800_000)
            defer { way.end() }
            var options = impatient(statement: .seconds(2))
            options.answerTimeout = .seconds(1)
            let connection = try MySQLConnector(
                MySQLLogin("mysql://root@127.0.0.1:\(way.port)/mysql"), options: options
            ).connect()
            defer { connection.close() }
            let bytes = [UInt8](repeating: 0, count: 8_000_000)
            #expect(
                try connection.rows("SELECT LENGTH(?)", [.value(.bytes(bytes), .bytes)], as: [.int64])
                    == [[.integer(8_000_000)]])
        }

        @Test("TCP asks a silent server after a minute") func keepalive() throws {
            let way = try LongWay(to: try MySQLServer.shared().port)
            defer { way.end() }
            let connection = try MySQLConnector(
                MySQLLogin("mysql://root@127.0.0.1:\(way.port)/mysql"), options: MySQLOptions()
            ).connect()
            defer { connection.close() }
            if keepaliveTimers(toPort: way.port).isEmpty { return }
            // After the acknowledgements, which have a timer of their own.
            try waitUntil("the timer runs") {
                keepaliveTimers(toPort: way.port).contains { $0.map { $0 <= 60 && $0 > 25 } ?? false }
            }
        }

        @Test("Who waits for the lock of migrations learns which connection holds it") func migrationLock() throws {
            let server = try MySQLServer.shared()
            let database = try server.makeDatabase()
            let holder = try server.connection(database: database)
            let waiter = try server.connection(database: database)
            defer {
                holder.close()
                waiter.close()
            }
            let lock = try #require(MySQLDialect().migrationLock)
            let question = try #require(MySQLDialect().migrationLockHolder)
            #expect(try waiter.execute(question).rows == [[.null]])
            #expect(try holder.execute(lock).rows == [[.integer(1)]])
            #expect(try waiter.execute(lock).rows == [[.integer(0)]])
            let number = try holder.rows("SELECT CONNECTION_ID()", as: [.int64])
            #expect(try waiter.execute(question).rows == number)
        }

        @Test("A frozen host among several costs a moment, not the time-out") func frozenHost() throws {
            let shared = try MySQLServer.shared()
            try withServer { frozen in
                frozen.freeze()
                defer { frozen.thaw() }
                let connector = MySQLConnector(
                    try MySQLLogin("mysql://root@127.0.0.1:\(frozen.port),127.0.0.1:\(shared.port)/mysql"),
                    options: MySQLOptions())
                for _ in 0..<3 {
                    let connection = try connector.connect()
                    #expect(
                        try connection.rows("SELECT @@port", as: [.int64]) == [[.integer(Int64(shared.port))]])
                    connection.close()
                }
            }
        }

        @Test("Health: a connection whose server is frozen, gone or read-only is not fit") func health() throws {
            try withServer { server in
                let connector = try server.connector(impatient())
                let (first, second, third) = (try connector.connect(), try connector.connect(), try connector.connect())
                #expect(connector.isHealthy(first) && connector.isHealthy(second) && connector.isHealthy(third))
                try third.run("SET GLOBAL read_only = 1")
                #expect(!connector.isHealthy(third))
                #expect(try connectionError { _ = try connector.connect() }.kind == .noConnection)
                try third.run("SET GLOBAL read_only = 0")
                #expect(connector.isHealthy(third))
                server.freeze()
                #expect(!connector.isHealthy(first))
                server.thaw()
                server.kill()
                #expect(!connector.isHealthy(second))
                #expect(try connectionError { _ = try connector.connect() }.kind == .noConnection)
                for connection in [first, second, third] { connection.close() }
            }
        }

        @Test("A server that takes no writes any more loses its connections") func readOnly() throws {
            try withServer { server in
                let admin = try server.connection()
                try makeTable(admin)
                try admin.run("CREATE USER app")
                try admin.run("GRANT SELECT, INSERT ON mysql.t TO app")
                let app = try MySQLConnector(MySQLLogin(server.url(user: "app")), options: MySQLOptions()).connect()
                try app.run("INSERT INTO t VALUES (1, 1)")
                try admin.run("SET GLOBAL read_only = 1")
                // The statement has not taken place: the work may go on elsewhere.
                let error = try connectionError { try app.run("INSERT INTO t VALUES (2, 2)") }
                #expect(error.kind == .connectionLost && error.serverCode == "1290", "\(error)")
                #expect(!app.isUsable)
                app.close()
                admin.close()
            }
        }

        @Test("A server that is killed amid a transaction, a result, a commit") func killed() throws {
            try withServer { server in
                let (transaction, result, commit) = (
                    try server.connection(), try server.connection(), try server.connection()
                )
                let (statement, holder) = (try server.connection(), try server.connection())
                try makeTable(transaction)
                try transaction.run("BEGIN")
                try transaction.run("INSERT INTO t VALUES (1, 1)")
                try result.run("BEGIN")
                let rows = try result.open(
                    SQLStatement("SELECT seq FROM seq_1_to_1000", results: [.int64]), batchRows: 10)
                #expect(try rows.next()?.count == 10)
                try commit.run("BEGIN")
                try commit.run("INSERT INTO t VALUES (2, 2)")
                // Commits wait for this lock.
                try holder.run("FLUSH TABLES WITH READ LOCK")
                let committing = Background { try connectionError { try commit.run("COMMIT") } }
                let sleeping = Background {
                    try connectionError { _ = try statement.rows("SELECT SLEEP(3600)", as: [.int64]) }
                }
                for text in ["COMMIT", "SELECT SLEEP(3600)"] { try awaitStatement(text, server) }
                server.kill()
                #expect(try committing.get().kind == .unknownOutcome)
                #expect(try sleeping.get().kind == .connectionLost)
                #expect(
                    try connectionError { try transaction.run("INSERT INTO t VALUES (4, 4)") }.kind == .connectionLost)
                #expect(try connectionError { _ = try rows.next() }.kind == .connectionLost)
                rows.close()
                for connection in [transaction, result, commit, statement, holder] { connection.close() }
                try server.start()
                let after = try server.connection()
                #expect(try after.rows("SELECT COUNT(*) FROM t WHERE a <> 2", as: [.int64]) == [[.integer(0)]])
                after.close()
            }
        }

        @Test("A commit is not cancelled, and one that waits too long is unknown") func impatientCommit() throws {
            try withServer { server in
                let (connection, holder) = (try server.connection(impatient()), try server.connection())
                try makeTable(holder)
                try connection.run("BEGIN")
                try connection.run("INSERT INTO t VALUES (1, 1)")
                try holder.run("FLUSH TABLES WITH READ LOCK")
                let work = Background { try connectionError { try connection.run("COMMIT") } }
                try awaitStatement("COMMIT", server)
                connection.cancel()
                #expect(try work.get().kind == .unknownOutcome)
                #expect(!connection.isUsable)
                connection.close()
                holder.close()
            }
        }

        @Test("A connection that the server ends is lost, and its transaction with it") func terminated() throws {
            let server = try MySQLServer.shared()
            let (victim, other) = (try server.connection(), try server.connection())
            let number = try victim.rows("SELECT CONNECTION_ID()", as: [.int64])[0][0].int ?? 0
            try victim.run("BEGIN")
            try other.run("KILL \(number)")
            try waitUntil("the session is gone") {
                try other.rows(
                    "SELECT 1 FROM information_schema.PROCESSLIST WHERE ID = ?",
                    [.value(.integer(Int64(number)), .int64)],
                    as: [.int64]
                ).isEmpty
            }
            let error = try connectionError { _ = try victim.rows("SELECT 1", as: [.int64]) }
            #expect(error.kind == .connectionLost && !victim.isUsable)
            victim.close()
            other.close()
        }

        @Test("A server without room says so; nothing of the statement is stored, and the connection goes on")
        func full() throws {
            try withServer([
                "--innodb-file-per-table=0", "--innodb-data-file-path=ibdata1:12M:autoextend:max:24M",
            ]) { server in
                let connection = try server.connection()
                try connection.run("CREATE TABLE full (a INT PRIMARY KEY, b LONGBLOB) ENGINE = InnoDB")
                let insert = { (number: Int64) in
                    SQLStatement(
                        "INSERT INTO full VALUES (?, ?)",
                        [
                            .value(.integer(number), .int64),
                            .value(.bytes([UInt8](repeating: 1, count: 1_000_000)), .bytes),
                        ])
                }
                var stored: Int64 = 0
                let error = try connectionError {
                    while stored < 100 {
                        _ = try connection.execute(insert(stored))
                        stored += 1
                    }
                }
                #expect(error.kind == .statement && error.code == .engine && error.serverCode == "1114", "\(error)")
                #expect(try connection.rows("SELECT COUNT(*) FROM full", as: [.int64]) == [[.integer(stored)]])
                connection.close()
            }
        }
    }
}
#endif
