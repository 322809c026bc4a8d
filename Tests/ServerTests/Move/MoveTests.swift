#if PostgreSQL || MySQL || SQLite
import Foundation
import TableKit
import Testing

@testable import SiltTool

/// Moves from a store to other databases and back, with interruptions.
@Suite struct MoveTests {
    private struct Interruption: Error {}

    @Test("all tables and repositories arrive, and come back the same", arguments: MoveTarget.available)
    func thereAndBack(target: MoveTarget) async throws {
        try await onThread {
            let sample = try MovedSample()
            let (there, back) = (try target.place(sample), sample.directory + "/back.silt")
            let first = try move(sample.store, there)
            #expect(first.tables.map(\.name).sorted() == ["Left", "Log", "Person", "Right", "Values"])
            #expect(first.repositories.map(\.name) == MovedSample.repositories)
            #expect(first.rows == MovedSample.persons + 60 + 20 + 40 && first.records == 75)
            let second = try move(there, back)
            func contents(_ report: MoveRun.Report) -> [String] {
                (report.tables + report.repositories).map { "\($0.name) \($0.rows) \($0.checksum)" }.sorted()
            }
            #expect(contents(first) == contents(second))
            #expect(try catalogue(sample.store) == catalogue(back))
            #expect(try catalogue(there).allSatisfy { !$0.hasPrefix(MoveLedger.tableName) })
        }
    }

    @Test("a move that is interrupted behind every commit goes on to the same end", arguments: MoveTarget.available)
    func interruptions(target: MoveTarget) async throws {
        try await onThread {
            let sample = try MovedSample()
            let there = try target.place(sample)
            var runs = 0
            while true {
                runs += 1
                do {
                    let report = try move(sample.store, there) { _, _ in throw Interruption() }
                    // The first run that commits nothing.
                    #expect(report.continued && report.rows == MovedSample.persons + 120 && report.records == 75)
                    break
                } catch is Interruption {} catch let error as ToolError where error.message.contains("Interruption") {
                    #expect(error.message.contains("the same command goes on"))
                }
                try #require(runs < 100)
            }
            #expect(runs > 15)
        }
    }

    @Test("a target with rows or records is refused and left as it is", arguments: MoveTarget.available)
    func contents(target: MoveTarget) async throws {
        try await onThread {
            let sample = try MovedSample()
            let there = try target.place(sample)
            try move(sample.store, there, choice: .init(tables: ["Log"], repositories: ["Clients"]))
            for choice in [MoveRun.Choice(tables: ["Log"]), .init(repositories: ["Clients"]), .init()] {
                let error = try #require(throws: ToolError.self) { try move(sample.store, there, choice: choice) }
                #expect(error.exitCode == .usage && error.message.contains("a move fills"))
            }
            #expect(try move(sample.store, there, choice: .init(tables: ["Person"])).rows == MovedSample.persons)
            let other = try #require(throws: ToolError.self) {
                try move(sample.store, there, choice: .init(tables: ["Nobody"]))
            }
            #expect(other.message.contains("no table 'Nobody'"))
        }
    }

    @Test("an unfinished move refuses another, and restarting removes what it left", arguments: MoveTarget.available)
    func restarting(target: MoveTarget) async throws {
        try await onThread {
            let sample = try MovedSample()
            let there = try target.place(sample)
            var commits = 0
            #expect(throws: (any Error).self) {
                try move(sample.store, there) { _, _ in
                    commits += 1
                    if commits == 12 { throw Interruption() }
                }
            }
            let error = try #require(throws: ToolError.self) {
                try move(sample.store, there, choice: .init(tables: ["Log"]))
            }
            #expect(error.message.contains("unfinished move"))
            let report = try move(sample.store, there, isRestarting: true)
            #expect(!report.continued && report.rows == MovedSample.persons + 120 && report.records == 75)
        }
    }

    @Test("a change of the target during the move is found at the end", arguments: MoveTarget.available)
    func changes(target: MoveTarget) async throws {
        try await onThread {
            let sample = try MovedSample()
            let there = try target.place(sample)
            let other = try MovePlace(there).open(isTarget: true)
            defer { try? other.close() }
            var isChanged = false
            let error = try #require(throws: ToolError.self) {
                try move(sample.store, there, choice: .init(tables: ["Person"])) { _, _ in
                    if isChanged { return }
                    isChanged = true
                    let isFirst = TableKit.Predicate.compare(ColumnReference(column: 0), .equal, .integer(0))
                    try other.engine.change {
                        _ = try $0.delete(DeleteStatement(MovedSample.person, predicate: isFirst))
                    }
                }
            }
            #expect(error.exitCode == .negative && error.message.contains("230 rows"))
        }
    }
}
#endif
