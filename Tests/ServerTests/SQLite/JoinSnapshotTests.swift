#if SQLite
import Foundation
import Synchronization
import TableKit
import Testing

@testable import SQLiteTables
@testable import TableSQL

private struct Parent: Codable {
    var id: Int
    var children: [Child]?
}

private struct Child: Codable {
    var id: Int
    var parentId: Int
}

/// The statements that a connection was given.
private final class StatementLog: Sendable {
    let texts = Mutex<[String]>([])
}

/// A connection that writes down its statements.
private final class LoggedConnection: SQLConnection {
    private let connection: SQLiteConnection
    private let log: StatementLog

    init(_ connection: SQLiteConnection, _ log: StatementLog) {
        self.connection = connection
        self.log = log
    }

    var isUsable: Bool { connection.isUsable }
    func close() { connection.close() }

    func execute(_ statement: SQLStatement) throws -> SQLResultSet {
        log.texts.withLock { $0.append(statement.text) }
        return try connection.execute(statement)
    }

    func open(_ statement: SQLStatement, batchRows: Int) throws -> any SQLRows {
        log.texts.withLock { $0.append(statement.text) }
        return try connection.open(statement, batchRows: batchRows)
    }
}

private struct LoggedConnector: SQLConnector {
    let connector: SQLiteConnector
    let log: StatementLog
    var place: String { connector.place }
    func connect() throws -> LoggedConnection { LoggedConnection(try connector.connect(), log) }
    func isHealthy(_ connection: LoggedConnection) -> Bool { connection.isUsable }
}

private struct LoggedConfiguration: DatabaseConfigurationProtocol {
    let engine: any TableEngine

    init(_ path: String, _ log: StatementLog) {
        let connector = SQLiteConnector(path: path, pragmas: [], busyTimeout: 1)
        engine = SQLEngine(
            dialect: SQLiteDialect(), pool: ConnectionPool(LoggedConnector(connector: connector, log: log)),
            observation: .ownCommits)
    }

    init(url: String?, name: String?, host: String?, port: Int?, user: String?, pass: String?) throws {
        throw CRUDSQLGenError("Not made by name.")
    }
}

struct JoinSnapshotTests {
    @Test("a query with a join reads parents and children in one transaction, also for the first one alone")
    func oneState() throws {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("join-\(UUID().uuidString).sqlite")
        defer { for end in ["", "-wal", "-shm"] { _ = unlink(url.path + end) } }
        let log = StatementLog()
        let db = Database(configuration: LoggedConfiguration(url.path, log))
        try db.create(Parent.self)
        try db.table(Parent.self).insert([Parent(id: 1), Parent(id: 2)])
        try db.table(Child.self).insert([Child(id: 1, parentId: 1), Child(id: 2, parentId: 1)])
        log.texts.withLock { $0 = [] }
        let found = try db.table(Parent.self).order(by: \.id).join(\.children, on: \.id, equals: \.parentId).first()
        #expect(found?.children?.count == 2)
        let texts = log.texts.withLock { $0 }
        let begin = try #require(texts.firstIndex(of: "BEGIN"))
        let end = try #require(texts.firstIndex(of: "ROLLBACK"))
        let reads = texts.indices.filter {
            texts[$0].contains(" FROM \"Parent\"") || texts[$0].contains(" FROM \"Child\"")
        }
        #expect(reads.count == 2 && reads.allSatisfy { begin < $0 && $0 < end })
    }
}
#endif
