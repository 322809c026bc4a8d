#if PostgreSQL || MySQL || SQLite
import Foundation
import Siltstone
import SiltstoneTables
import SiltstoneTesting
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

/// Random tables, changes and queries, done to all engines at once: the arrays of the reference engine, Siltstone's tables
/// and each database whose trait is on and whose server is here.
///
/// A failure prints its seed, all that was done before, the query and both answers.
struct RandomQueryTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let isThorough = environment["SILTSTONE_THOROUGH"].map { $0 != "0" } ?? false
    private static let firstSeed = environment["SILTSTONE_SEED"].flatMap { UInt64($0) } ?? 40_000
    private static let queries = isThorough ? 10_000 : 300

    @Test("random queries have the same answers on all engines")
    func queries() async throws {
        try await onThread { try Self.compare() }
    }

    /// Whether a unique index is one of MariaDB's hashes, which a key that the server numbers cannot be part of.
    private static func isNumberedHash(_ index: IndexDefinition, _ table: TableStructure) -> Bool {
        guard index.isUnique, table.primaryKey.count == 1 else { return false }
        let key = table.columns[table.primaryKey[0]]
        let types = index.columns.compactMap { table.number(of: $0).map { table.columns[$0].type } }
        return key.type.isInteger && index.columns.contains(key.name) && types.contains { $0.fixedWidth == nil }
    }

    private static func compare() throws {
        let directory = FileManager.default.temporaryDirectory.path + "/random-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let store = try KeyValueStore.inMemory()
        var configurations: [(String, any DatabaseConfigurationProtocol)] = [
            ("reference", ReferenceDatabaseConfiguration()),
            ("Siltstone", try SiltstoneDatabaseConfiguration(store: store)),
        ]
        #if SQLite
        configurations.append(("SQLite", try SQLiteDatabaseConfiguration(directory + "/random.sqlite")))
        #endif
        #if PostgreSQL
        if PostgresServer.programs != nil {
            let server = try PostgresServer.shared()
            let string = server.connectionString(database: try server.makeDatabase())
            configurations.append(("PostgreSQL", try PostgresDatabaseConfiguration(string)))
        }
        #endif
        var hasInfinities = true
        #if MySQL
        if MySQLServer.program != nil {
            let server = try MySQLServer.shared()
            let url = server.url(database: try server.makeDatabase())
            configurations.append(("MariaDB", try MySQLDatabaseConfiguration(url)))
            hasInfinities = false
        }
        #endif
        defer { for (_, configuration) in configurations { try? configuration.close() } }
        QuietErrors.begin()
        let contestants = configurations.map { EngineComparison.Contestant($0.0, $0.1.engine) }
        var total = EngineComparison.Figures()
        var seed = firstSeed
        while total.queries < queries {
            let run = EngineComparison(
                seed: seed, contestants, hasInfinities: hasInfinities,
                canHave: { hasInfinities || !Self.isNumberedHash($0, $1) })
            do { try run.run(rounds: 4, queries: 8) } catch {
                let text = "SILTSTONE_SEED=\(seed)\n\(run.history.joined(separator: "\n"))\n\n\(error)"
                Issue.record(Comment(rawValue: text.replacing("TableKit.", with: "")))
                return
            }
            total += run.figures
            seed += 1
        }
        print(
            """
            attack: tables on \(configurations.map(\.0).joined(separator: ", ")): \(total.queries) queries, \
            \(total.joins) with joins, \(total.answered) with results, \(total.changes) changes
            """)
    }
}
#endif
