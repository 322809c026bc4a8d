#if PostgreSQL || MySQL
import Synchronization
import TableKit
import TableSQL
import Testing

#if PostgreSQL
@testable import PostgresTables
#endif
#if MySQL
@testable import MySQLTables
#endif

/// Which refused logins repositories try again.
struct PassingRefusalTests {
    private func refusal(_ code: String?) -> SQLConnectionError {
        SQLConnectionError(.noConnection, code: .unavailable, serverCode: code, "refused")
    }

    #if PostgreSQL
    private func postgres(_ hosts: String) throws -> PostgresConnector {
        try PostgresConnector("sslmode=disable user=a \(hosts)", options: PostgresOptions())
    }

    @Test("A PostgreSQL that stops, starts or is full may take the next login") func postgres() throws {
        let one = try postgres("host=127.0.0.1 port=1")
        let two = try postgres("host=127.0.0.1,127.0.0.1 port=1,2")
        for code in ["57P01", "57P02", "57P03", "53300"] {
            #expect(one.mayConnectLater(refusal(code)) && two.mayConnectLater(refusal(code)))
        }
        for code in ["28P01", "3D000", "57P04", "42501"] {
            #expect(!one.mayConnectLater(refusal(code)) && !two.mayConnectLater(refusal(code)))
        }
        // As without a code: the only host, never reached, may be a wrong name.
        for code in [nil, "08006", "08P01"] {
            #expect(!one.mayConnectLater(refusal(code)) && two.mayConnectLater(refusal(code)))
        }
    }
    #endif

    #if MySQL
    @Test("A MariaDB that stops, is full or without its cluster may take the next login") func mariaDB() throws {
        let connector = MySQLConnector(try MySQLLogin("mysql://a@127.0.0.1:1/b"), options: MySQLOptions())
        for code in ["1040", "1203", "1226", "1047", "1053"] { #expect(connector.mayConnectLater(refusal(code))) }
        for code in ["1045", "1049", nil] { #expect(!connector.mayConnectLater(refusal(code))) }
    }
    #endif

    /// Refuses some logins first.
    private struct Refusing: ServerConnector {
        let server: FullServer
        let codes: Codes
        var place: String { "memory" }
        var mayRecover: Bool { false }
        static var passingRefusals: Set<String> { ["passing"] }

        final class Codes: Sendable {
            let left: Mutex<[String]>
            init(_ codes: [String]) { left = Mutex(codes) }
        }

        func connect() throws -> FullServerConnection {
            if let code = codes.left.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) {
                throw SQLConnectionError(.noConnection, code: .unavailable, serverCode: code, "refused")
            }
            return try FullServerConnection(server)
        }

        func isHealthy(_ connection: FullServerConnection) -> Bool { connection.isUsable }
    }

    private func isServed(_ codes: [String]) async throws -> Bool {
        let connector = Refusing(server: FullServer(room: 1), codes: Refusing.Codes(codes))
        let server = ServerPool(
            connector, PostgresDialect(), ConnectionPoolOptions(), observation: .ownCommits, conflictRetries: 0,
            failoverTimeout: .seconds(3600))
        defer { server.close() }
        return try await server.retrying { $0.isUsable }
    }

    @Test("Work is repeated while logins are refused for a time, and no longer") func repeated() async throws {
        #expect(try await isServed(["passing", "passing"]))
        let error = await #expect(throws: SQLConnectionError.self) { _ = try await isServed(["passing", "lasting"]) }
        #expect(error?.serverCode == "lasting")
    }
}
#endif
