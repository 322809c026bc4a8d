import CRUDKit
import Foundation
import TableKit

/// Runs work on connections, and repeats it when that is safe.
package protocol RecordServer: Sendable {
    /// - Throws: ``SQLConnectionError``.
    func retrying<R: Sendable>(
        _ work: @escaping @Sendable (any SQLConnection) throws -> R
    ) async throws -> R
    /// Closes the connections.
    func close()
}

/// The records of a repository on a server. The first record creates the table.
public final class SQLRecords: Sendable {
    private let server: any RecordServer
    private let table: any RecordStatements
    private let tableName: String

    package init(_ server: any RecordServer, _ table: any RecordStatements, tableName: String) {
        self.server = server
        self.table = table
        self.tableName = tableName
    }

    func close() { server.close() }

    /// Runs an operation; returns `empty` if the table does not exist.
    func run<R: Sendable>(
        whereMissing empty: R, _ body: @escaping @Sendable (any SQLConnection, any RecordStatements) throws -> R
    ) async throws -> R {
        let table = table
        do { return try await server.retrying { try body($0, table) } } catch let error as SQLConnectionError {
            if error.code == .noTable { return empty }
            throw error.kind == .unknownOutcome
                ? CRUDRepositoryError.unknownOutcome(reason: error.description)
                : .databaseError(reason: error.tableError.message)
        }
    }

    /// Like ``run(whereMissing:_:)``, but creates a missing table.
    func store<R: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection, any RecordStatements) throws -> R
    ) async throws -> R {
        let result = try await run(whereMissing: nil) { try Optional(body($0, $1)) }
        if let result { return result }
        try await run(whereMissing: ()) { connection, table in try table.create(connection) }
        guard let result = try await run(whereMissing: nil, { try Optional(body($0, $1)) }) else {
            throw CRUDRepositoryError.databaseError(reason: "The table \(tableName) is deleted while it is used.")
        }
        return result
    }

    /// Runs a statement; returns whether it changed a record.
    func changes(
        _ statement: @escaping @Sendable (any RecordStatements) -> SQLStatement
    ) async throws -> Bool {
        try await run(whereMissing: false) { try $0.execute(statement($1)).changedRows == 1 }
    }

    /// A page of records.
    func page(
        after id: String?, limit: Int, withItems: Bool
    ) async throws -> [(id: String, record: Data)] {
        try await run(whereMissing: []) { connection, table in
            try table.page(after: id, limit: limit, withItems: withItems, connection).map {
                (String(decoding: $0.id, as: UTF8.self), Data($0.item))
            }
        }
    }
}
