#if PostgreSQL || MySQL || SQLite
import TableKit
import Testing

@testable import TableSQL

/// When the rows of a cursor are closed: while the connection still belongs to their session, and on its thread.
@Suite(.timeLimit(.minutes(10))) struct OpenRowsTests {
    private struct Item: Codable, Sendable, Equatable {
        var id: Int
    }

    private static let item = TableStructure(name: "Item", columns: [Column("id", .int64)], primaryKey: [0])

    /// Two batches of one row each.
    private func connection() -> ScriptedConnection {
        ScriptedConnection(batches: [[[.integer(1)]], [[.integer(2)]]])
    }

    /// An engine with one connection that knows the table.
    private func engine(
        _ connection: ScriptedConnection, _ observation: EngineObservation = .ownCommits
    ) -> SQLEngine<ScriptedConnector> {
        var options = ConnectionPoolOptions()
        options.maximumConnections = 1
        options.acquireTimeout = 1
        let pool = ConnectionPool(ScriptedConnector(connection: connection), options)
        let engine = SQLEngine(dialect: MySQLDialect(), pool: pool, observation: observation)
        let table = SQLTable(info: TableInfo(structure: Self.item, indexes: [], estimatedRows: 0))
        engine.core.catalogue.keep(["Item": table], generation: engine.core.catalogue.generation)
        return engine
    }

    /// Waits for the connection that is in use; notes when it is granted.
    private func wait(_ engine: SQLEngine<ScriptedConnector>) {
        let closed = SQLConnectionError(.noConnection, code: .unavailable, "The pool is closed.")
        _ = engine.pool.queue.wait(nil, closed: closed) { _ in engine.pool.connector.connection.note("granted") }
    }

    /// The closing of rows, and the grant of the connection.
    private func order(_ connection: ScriptedConnection) -> [String] {
        connection.calls.filter { $0 == "rows closed" || $0 == "granted" }
    }

    @Test("an iteration that is left closes its rows before anybody else gets the connection")
    func brokenIteration() throws {
        let connection = connection()
        let engine = engine(connection)
        let db = Database(configuration: ScriptedConfiguration(engine))
        func readOne() throws {
            for item in try db.table(Item.self).select() {
                #expect(item == Item(id: 1))
                wait(engine)
                break
            }
        }
        try readOne()
        #expect(order(connection) == ["rows closed", "granted"])
        engine.close()
    }

    @Test("a stream that outlives its session has no part in the connection any more") func keptStream() throws {
        let connection = connection()
        let engine = engine(connection)
        let session = try engine.session(.read)
        let stream = try session.run(Query(Self.item))
        #expect(try stream.next()?.rows.count == 1)
        wait(engine)
        session.rollback()
        #expect(order(connection) == ["rows closed", "granted"])
        let error = #expect(throws: CRUDSQLExeError.self) { try stream.next() }
        #expect(error?.code == .transaction)
        engine.close()
    }

    @Test("a commit closes the rows that are still open") func commit() throws {
        let connection = connection()
        let engine = engine(connection)
        let session = try engine.session(.write(.serial))
        let stream = try session.run(Query(Self.item))
        #expect(try stream.next()?.rows.count == 1)
        try session.commit()
        #expect(connection.calls.suffix(2) == ["rows closed", "COMMIT"])
        engine.close()
    }

    @Test("an observed read closes the rows that it has not read to their end") func observedRead() throws {
        let connection = connection()
        let engine = engine(connection, .polled(every: .seconds(3600)))
        let (stream, observation) = try engine.observe { session in
            let stream = try session.run(Query(Self.item))
            #expect(try stream.next()?.rows.count == 1)
            wait(engine)
            return stream
        }
        #expect(order(connection) == ["rows closed", "granted"])
        #expect(throws: CRUDSQLExeError.self) { try stream.next() }
        observation.cancel()
        engine.close()
    }

    @Test("a stream that is dropped in a transaction is closed with the next statement") func droppedStream() throws {
        let connection = connection()
        let engine = engine(connection)
        let session = try engine.session(.write(.serial))
        var stream: (any RowStream)? = try session.run(Query(Self.item))
        #expect(try stream?.next()?.rows.count == 1)
        stream = nil
        // Another task's statement may run at this moment.
        #expect(!connection.calls.contains("rows closed"))
        _ = try session.savepoint()
        #expect(connection.calls.suffix(2) == ["rows closed", "SAVEPOINT s1"])
        session.rollback()
        #expect(connection.calls.count { $0 == "rows closed" } == 1)
        engine.close()
    }

    @Test("an asynchronous iteration reads all batches on one connection") func oneConnection() async throws {
        let engine = engine(connection())
        let db = Database(configuration: ScriptedConfiguration(engine))
        var ids: [Int] = []
        for try await item in try db.table(Item.self).rows() { ids.append(item.id) }
        #expect(ids == [1, 2])
        engine.close()
    }

    @Test("an asynchronous iteration that is left ends on a thread that may block") func brokenRows() async throws {
        let connection = connection()
        let engine = engine(connection)
        let db = Database(configuration: ScriptedConfiguration(engine))
        func readOne() async throws {
            for try await item in try db.table(Item.self).rows() {
                #expect(item == Item(id: 1))
                wait(engine)
                break
            }
        }
        try await readOne()
        while !connection.calls.contains("granted") { await Task.yield() }
        #expect(order(connection) == ["rows closed", "granted"])
        #expect(connection.calls.contains("ROLLBACK"))
        #expect(connection.threads == ["siltstone.sql"])
        engine.close()
    }
}
#endif
