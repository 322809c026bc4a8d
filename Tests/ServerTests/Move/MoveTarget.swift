#if PostgreSQL || MySQL || SQLite
import Foundation
import TableKit
import Testing
import TestServers

@testable import SiltTool

/// A kind of database on which tests run: to which they move, or on which several programs work.
enum MoveTarget: String, CaseIterable, CustomTestStringConvertible {
    case sqlite, postgres, mysql

    var testDescription: String { rawValue }

    /// Those whose trait is on and whose server is here.
    static var available: [MoveTarget] {
        var targets: [MoveTarget] = []
        #if SQLite
        targets.append(.sqlite)
        #endif
        #if PostgreSQL
        if PostgresServer.programs != nil { targets.append(.postgres) }
        #endif
        #if MySQL
        if MySQLServer.program != nil { targets.append(.mysql) }
        #endif
        return targets
    }

    /// An empty database, as the command line names it.
    func place(_ sample: MovedSample) throws -> String {
        switch self {
        case .sqlite: return "sqlite:\(sample.directory)/\(UUID().uuidString).sqlite"
        case .postgres:
            #if PostgreSQL
            let server = try PostgresServer.shared()
            let name = try server.makeDatabase()
            return "postgresql://postgres@127.0.0.1:\(server.port)/\(name)"
            #else
            return ""
            #endif
        case .mysql:
            #if MySQL
            let server = try MySQLServer.shared()
            return server.networkURL(database: try server.makeDatabase())
            #else
            return ""
            #endif
        }
    }

    /// Runs `body` on a thread of its own.
    /// - Parameter body: gets an engine on an empty database, and the place, where it may open others.
    func withDatabase(_ body: @escaping @Sendable (any TableEngine, String) throws -> Void) async throws {
        try await onThread {
            let sample = try MovedSample()
            let place = try place(sample)
            let endpoint = try MovePlace(place).open(isTarget: true)
            defer { try? endpoint.close() }
            // The sample's end removes the directory of a database in a file.
            try withExtendedLifetime(sample) { try body(endpoint.engine, place) }
        }
    }
}

extension RowBuffer {
    /// Rows of integers and NULLs.
    init(_ rows: [[Int?]], of table: TableStructure) throws {
        self.init()
        for row in rows {
            try append(row.map { $0.map { .integer(Int64($0)) } ?? .null }, layout: table.layout)
        }
    }
}

/// Opens both places, moves, and closes them.
/// - Parameters:
///   - batchRows: the most rows in a transaction: few, so that a small table takes several.
///   - batchRecords: the most records in a transaction.
@discardableResult
func move(
    _ from: String, _ to: String, choice: MoveChoice = MoveChoice(), isRestarting: Bool = false,
    acceptsRounding: Bool = false,
    batchRows: Int = 50, batchRecords: Int = 10,
    committed: @escaping (Int, Int) throws -> Void = { _, _ in }
) throws -> MoveRun.Report {
    let (origin, destination) = (MovePlace(from), MovePlace(to))
    let source = try origin.open(isTarget: false)
    defer { try? source.close() }
    let target = try destination.open(isTarget: true)
    defer { try? target.close() }
    var run = MoveRun(
        origin: origin.description, destination: destination.description, source: source, target: target,
        choice: choice)
    run.isRestarting = isRestarting
    run.acceptsRounding = acceptsRounding
    (run.batchRows, run.batchRecords) = (batchRows, batchRecords)
    run.committed = committed
    return try run.run()
}

/// The tables of a place, as text: names, columns, keys, references, indexes.
func catalogue(_ place: String) throws -> [String] {
    let endpoint = try MovePlace(place).open(isTarget: false)
    defer { try? endpoint.close() }
    return try endpoint.engine.reading { session in
        endpoint.ownTables(try session.tables()).map { table in
            let structure = table.structure
            let columns = structure.columns.map { "\($0)" }.sorted()
            let indexes = table.indexes.map { "\($0.definition.columns) \($0.definition.isUnique)" }.sorted()
            return "\(structure.name) \(columns) \(structure.primaryKey.map { structure.columns[$0].name }) \(indexes)"
        }.sorted()
    }
}
#endif
