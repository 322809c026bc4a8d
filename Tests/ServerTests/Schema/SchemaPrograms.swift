#if PostgreSQL || MySQL || SQLite
import Foundation
import TableKit
import Testing
import TestServers

#if PostgreSQL
import PostgresTables
#endif
#if MySQL
import MySQLTables
#endif
#if SQLite
import SQLiteTables
#endif

/// Several programs on one database: each has an engine, and so a cached catalogue, of its own.
extension MoveTarget {
    /// The configurations of so many programs on one empty database.
    func programs(_ count: Int) throws -> [any DatabaseConfigurationProtocol] {
        switch self {
        case .sqlite:
            #if SQLite
            let path = FileManager.default.temporaryDirectory.path + "/schema-\(UUID().uuidString).sqlite"
            // Only configurations with the same options share an engine.
            return try (0..<count).map { try SQLiteDatabaseConfiguration(path, busyTimeout: 60 + Double($0)) }
            #else
            return []
            #endif
        case .postgres:
            #if PostgreSQL
            let server = try PostgresServer.shared()
            let string = server.connectionString(database: try server.makeDatabase())
            return try (0..<count).map { _ in try PostgresDatabaseConfiguration(string) }
            #else
            return []
            #endif
        case .mysql:
            #if MySQL
            let server = try MySQLServer.shared()
            let url = server.url(database: try server.makeDatabase())
            return try (0..<count).map { _ in try MySQLDatabaseConfiguration(url) }
            #else
            return []
            #endif
        }
    }

    /// Two programs that have both run a statement, and so know the catalogue.
    func twoPrograms() throws -> (any SchemaProgram, any SchemaProgram) {
        let programs = try programs(2).map(program)
        try programs[0].create(Seed.self)
        for program in programs { _ = try program.count(Seed.self) }
        return (programs[0], programs[1])
    }

    struct Seed: Codable { var id: Int }
}

func program(_ configuration: any DatabaseConfigurationProtocol) -> any SchemaProgram {
    func open<C: DatabaseConfigurationProtocol>(_ configuration: C) -> any SchemaProgram {
        Program(database: Database(configuration: configuration))
    }
    return open(configuration)
}

/// A database of any configuration.
protocol SchemaProgram: Sendable {
    func create<A: Codable>(_ type: A.Type, policy: TableCreatePolicy) throws
    func createInTask<A: Codable>(_ type: A.Type) async throws
    func drop<A: Codable>(_ type: A.Type) throws
    func insert<A: Codable>(_ rows: [A]) throws
    func count<A: Codable>(_ type: A.Type) throws -> Int
    func index<A: Codable>(_ keys: PartialKeyPath<A>, isUnique: Bool) throws
    func indexInTask<A: Codable>(_ keys: any PartialKeyPath<A> & Sendable) async throws
    func change(_ change: SchemaChange) throws
    func run(_ text: String) throws
    func transact(_ body: () throws -> Void) throws
    func infos() throws -> [TableInfo]
    /// Runs a step that makes a table and stores a row in it.
    func migrate<A: Codable & Sendable>(_ row: A) throws -> [String]
    func end() throws
}

extension SchemaProgram {
    func create<A: Codable>(_ type: A.Type) throws { try create(type, policy: .defaultPolicy) }

    /// The columns of a table, sorted; empty without it.
    func columns<A: Codable>(_ type: A.Type) throws -> [String] {
        let name = A.CRUDTableName
        return try infos().first { $0.structure.name == name }?.structure.columns.map(\.name).sorted() ?? []
    }
}

private struct Program<C: DatabaseConfigurationProtocol>: SchemaProgram {
    let database: Database<C>

    func create<A: Codable>(_ type: A.Type, policy: TableCreatePolicy) throws {
        try database.create(type, policy: policy)
    }
    func createInTask<A: Codable>(_ type: A.Type) async throws { try await database.create(type) }
    func drop<A: Codable>(_ type: A.Type) throws { try database.drop(type) }
    func insert<A: Codable>(_ rows: [A]) throws { try database.table(A.self).insert(rows) }
    func count<A: Codable>(_ type: A.Type) throws -> Int { try database.table(type).count() }
    func index<A: Codable>(_ keys: PartialKeyPath<A>, isUnique: Bool) throws {
        try database.table(A.self).index(unique: isUnique, keys)
    }
    func indexInTask<A: Codable>(_ keys: any PartialKeyPath<A> & Sendable) async throws {
        try await database.table(A.self).index(keys)
    }
    func change(_ change: SchemaChange) throws { try database.alter(change) }
    func run(_ text: String) throws { try database.sql(text) }
    func transact(_ body: () throws -> Void) throws { try database.transaction { () throws -> Void in try body() } }
    func infos() throws -> [TableInfo] { try database.tables() }
    func migrate<A: Codable & Sendable>(_ row: A) throws -> [String] {
        var migrator = Migrator<C>()
        migrator.register("first") { try $0.create(A.self).insert(row) }
        return try migrator.migrate(database)
    }
    func end() throws { try database.configuration.close() }
}
#endif
