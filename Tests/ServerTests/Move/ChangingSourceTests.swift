#if PostgreSQL || MySQL || SQLite
import CRUDKit
import TableKit
import Testing

@testable import SiltTool

/// A source whose catalogue is another one at each reading, as MariaDB's may be while a table is altered.
private final class ChangingSource: MoveEndpoint {
    private let endpoint: any MoveEndpoint
    private let change: (Int, TableInfo) -> TableInfo?
    let keepsCatalogue: Bool
    /// How often the catalogue was read.
    private(set) var readings = 0

    /// - Parameter change: what the catalogue has in place of a table, at the reading with a number from 1 on.
    init(_ path: String, keepsCatalogue: Bool = false, _ change: @escaping (Int, TableInfo) -> TableInfo?) throws {
        endpoint = try MovePlace(path).open(isTarget: false)
        self.keepsCatalogue = keepsCatalogue
        self.change = change
    }

    var engine: any TableEngine { endpoint.engine }
    func repositoryTable(_ name: String, _ tables: [TableInfo]) -> TableInfo? { endpoint.repositoryTable(name, tables) }
    func hasRepository(_ name: String, _ tables: [TableInfo]) throws -> Bool {
        try endpoint.hasRepository(name, tables)
    }
    func repositoryNames(_ tables: [TableInfo]) throws -> [String] { try endpoint.repositoryNames(tables) }
    func ownTables(_ tables: [TableInfo]) -> [TableInfo] {
        readings += 1
        return endpoint.ownTables(tables).compactMap { change(readings, $0) }
    }
    func repository(_ name: String) throws -> any RecordRepository { try endpoint.repository(name) }
    func close() throws { try endpoint.close() }
}

/// Sources whose tables others change.
struct ChangingSourceTests {
    /// Moves everything, as the command does: with a plan from a session of its own.
    private func moveAll(_ source: ChangingSource, _ target: any MoveEndpoint) throws -> MoveRun.Report {
        var run = MoveRun(
            origin: "here", destination: "there", source: source, target: target, choice: MoveChoice())
        run.earlierPlan = try source.engine.reading {
            try MovePlan($0, of: source, at: "here", MoveChoice(), acceptsRounding: false)
        }
        return try run.run()
    }

    private func tables(_ target: any MoveEndpoint) throws -> [String] {
        try target.engine.reading { try $0.tables().map(\.structure.name) }
    }

    /// A table as the catalogue shows it while it is renamed.
    private static func without(_ part: String, _ table: TableInfo) -> TableInfo? {
        var changed = table
        switch part {
        case "key": changed.structure = TableStructure(name: table.structure.name, columns: table.structure.columns)
        case "indexes": changed.indexes = []
        default: return nil
        }
        return changed
    }

    @Test(
        "a table that is missing in one of two plans, or has no key or no indexes, is told before anything is stored",
        arguments: ["all", "key", "indexes"], [1, 2])
    func twoPlans(_ part: String, reading: Int) async throws {
        try await onThread {
            let sample = try MovedSample()
            let source = try ChangingSource(sample.store) { number, table in
                number == reading && table.structure.name == "Person" ? Self.without(part, table) : table
            }
            let target = try MovePlace(sample.directory + "/to.silt").open(isTarget: true)
            let error = #expect(throws: ToolError.self) { _ = try moveAll(source, target) }
            #expect(error?.exitCode == .negative)
            #expect(
                error?.message == "the tables of here are changing (table Person); run the command again",
                "\(String(describing: error))")
            #expect(try tables(target).isEmpty)
            try source.close()
            try target.close()
        }
    }

    @Test(
        "a table that both plans lack is found at the end, unless sessions keep the catalogue",
        arguments: [false, true])
    func lastReading(keepsCatalogue: Bool) async throws {
        try await onThread {
            let sample = try MovedSample()
            let source = try ChangingSource(sample.store, keepsCatalogue: keepsCatalogue) { number, table in
                number < 3 && table.structure.name == "Log" ? nil : table
            }
            let target = try MovePlace(sample.directory + "/to.silt").open(isTarget: true)
            if keepsCatalogue {
                #expect(try moveAll(source, target).rows == MovedSample.persons + 60)
                #expect(source.readings == 2)
            } else {
                let error = #expect(throws: ToolError.self) { _ = try moveAll(source, target) }
                #expect(error?.message.contains("changing (table Log)") == true, "\(String(describing: error))")
                #expect(source.readings == 3)
            }
            #expect(try tables(target).contains(MoveLedger.tableName) != keepsCatalogue)
            try source.close()
            try target.close()
        }
    }

    @Test("a table that is missing only at the end is there for the same command")
    func again() async throws {
        try await onThread {
            let sample = try MovedSample()
            let source = try ChangingSource(sample.store) { number, table in
                number == 3 && table.structure.name == "Log" ? nil : table
            }
            let target = try MovePlace(sample.directory + "/to.silt").open(isTarget: true)
            let error = #expect(throws: ToolError.self) { _ = try moveAll(source, target) }
            #expect(error?.message.contains("run the command again") == true, "\(String(describing: error))")
            let report = try moveAll(source, target)
            #expect(report.continued && report.rows == MovedSample.persons + 120 && report.records == 75)
            #expect(try !tables(target).contains(MoveLedger.tableName))
            try source.close()
            try target.close()
        }
    }
}
#endif
