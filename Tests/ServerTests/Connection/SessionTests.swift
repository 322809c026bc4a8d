#if PostgreSQL || MySQL || SQLite
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
}
#endif
