#if PostgreSQL
import Foundation
import Synchronization
import TableKit
import TableSQL
import Testing
import TestServers

@testable import PostgresTables

/// Servers that are silent: because they are gone, or only slow, far away, or fed slowly.
extension PostgresTests.Faults {
    @Test("A frozen server is given up though its statement may take long; one that is only slow is not")
    func silence() throws {
        try withServer { server in
            var options = impatient(statement: .seconds(1000))
            options.answerTimeout = .seconds(1)
            let connections = try (0..<2).map { _ in try server.connection(options) }
            // Many times as long as the server may be silent before it is asked.
            #expect(try connections[0].rows("SELECT 1 FROM pg_sleep(4)", as: [.int64]) == [[.integer(1)]])
            try connections[0].run("CREATE TABLE t (a integer)")
            server.freeze()
            #expect(try connectionError { try connections[0].run("SELECT 1") }.kind == .connectionLost)
            #expect(
                try connectionError { try connections[1].run("INSERT INTO t VALUES (1)") }.kind == .unknownOutcome)
            server.thaw()
            for connection in connections { connection.close() }
        }
    }

    @Test("A health check ends after `answerTimeout`, although a rollback has no answer yet") func slowRollback() throws
    {
        var options = PostgresOptions()
        options.statementTimeout = .seconds(1000)
        options.answerTimeout = .seconds(1)
        let connector = try PostgresConnector(try PostgresServer.shared().connectionString(), options: options)
        let connection = try connector.connect()
        defer { connection.close() }
        let process = Int32(try #require(try connection.rows("SELECT pg_backend_pid()", as: [.int64])[0][0].int))
        try connection.run("BEGIN")
        // The server itself still answers, so the connection is not given up for that.
        ServerProcess.send(SIGSTOP, to: process)
        defer { ServerProcess.send(SIGCONT, to: process) }
        try connection.executeWithoutWaiting(SQLStatement("ROLLBACK"))
        let isOver = Mutex(false)
        let check = Background {
            defer { isOver.withLock { $0 = true } }
            return connector.isHealthy(connection)
        }
        try waitUntil("the health check is over") { isOver.withLock { $0 } }
        #expect(try !check.get())
    }

    @Test("A slow statement of a server far away goes on, though a whole login takes longer than `answerTimeout`")
    func farAway() throws {
        let way = try LongWay(to: try PostgresServer.shared().port, delay: .milliseconds(1500))
        defer { way.end() }
        var options = impatient(statement: .seconds(1000))
        options.answerTimeout = .seconds(4)
        options.connectTimeout = .seconds(60)
        let connection = try PostgresConnector(
            "host=127.0.0.1 port=\(way.port) user=postgres dbname=postgres", options: options
        ).connect()
        defer { connection.close() }
        #expect(try connection.rows("SELECT 1 FROM pg_sleep(9)", as: [.int64]) == [[.integer(1)]])
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
        let server = try PostgresServer(settings: [
            "ssl": "on", "ssl_cert_file": certificates.certificate("right"),
            "ssl_key_file": certificates.key("right"),
        ])
        defer { server.remove() }
        let connector = try PostgresConnector(
            server.networkString() + " sslmode=verify-ca sslrootcert=\(certificates.trusted)",
            options: options)
        let connection = try connector.connect()
        defer { connection.close() }
        try certificates.trust("wrong")
        #expect(try connection.rows("SELECT 1 FROM pg_sleep(5)", as: [.int64]) == [[.integer(1)]])
        #expect(throws: SQLConnectionError.self) { try connector.connect() }
        server.freeze()
        #expect(try connectionError { try connection.run("SELECT 1") }.kind == .connectionLost)
    }

    @Test("A statement that takes longer to send than a server may be silent arrives") func slowUpload() throws {
        let server = try PostgresServer()
        defer { server.remove() }
        // Ten seconds, of which the system's own buffers hide several.
        let way = try LongWay(to: server.port, rate: 800_000)
        defer { way.end() }
        var options = impatient()
        // The server counts from the message before the long one.
        options.statementTimeout = nil
        options.silenceTimeout = .seconds(3)
        options.answerTimeout = .seconds(1)
        let connection = try PostgresConnector(
            "host=127.0.0.1 port=\(way.port) user=postgres dbname=postgres", options: options
        ).connect()
        defer { connection.close() }
        let bytes = [UInt8](repeating: 0, count: 8_000_000)
        #expect(
            try connection.rows("SELECT length($1::bytea)", [.value(.bytes(bytes), .bytes)], as: [.int64])
                == [[.integer(8_000_000)]])
        // What the server does not take is not sent.
        server.freeze()
        #expect(
            try connectionError {
                _ = try connection.rows("SELECT length($1::bytea)", [.value(.bytes(bytes), .bytes)], as: [.int64])
            }.kind == .connectionLost)
    }

    @Test("TCP asks a silent server after a minute, or when the connection string says so") func keepalive() throws {
        for (keywords, seconds) in [("", 60.0), (" keepalives_idle=30", 30), (" keepalives=0", nil)] {
            let way = try LongWay(to: try PostgresServer.shared().port)
            defer { way.end() }
            let connection = try PostgresConnector(
                "host=127.0.0.1 port=\(way.port) user=postgres dbname=postgres" + keywords,
                options: PostgresOptions()
            ).connect()
            defer { connection.close() }
            // After the acknowledgements, which have a timer of their own.
            if keepaliveTimers(toPort: way.port).isEmpty { return }
            try waitUntil("the timer runs\(keywords)") {
                keepaliveTimers(toPort: way.port).contains { timer in
                    guard let seconds else { return timer == nil }
                    return timer.map { $0 <= seconds && $0 > seconds - 25 } ?? false
                }
            }
        }
    }
}
#endif
