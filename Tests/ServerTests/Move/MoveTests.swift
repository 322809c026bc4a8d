#if PostgreSQL || MySQL || SQLite
import CRUDKit
import Foundation
import Siltstone
import SiltstoneCRUD
import TableKit
import Testing

@testable import SiltTool

/// Moves from a store to other databases and back, with interruptions.
struct MoveTests {
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

    @Test(
        "a refused target keeps no trace: one with other columns, or with a table of the ledger's name",
        arguments: MoveTarget.available)
    func traces(target: MoveTarget) async throws {
        try await onThread {
            let sample = try MovedSample()
            func refusal(_ table: TableStructure) throws -> ToolError {
                let there = try target.place(sample)
                try withEngine(there) { try $0.change { try $0.alter(.createTable(table)) } }
                let before = try catalogue(there)
                let error = try #require(throws: ToolError.self) { try move(sample.store, there) }
                #expect(try before == catalogue(there) && before.count == 1)
                return error
            }
            let other = TableStructure(name: "Log", columns: MovedSample.log.columns + [Column("other", .bool)])
            #expect(try refusal(other).message.contains("a table Log with other columns"))
            let foreign = TableStructure(name: MoveLedger.tableName, columns: [Column("id", .int64)], primaryKey: [0])
            #expect(try refusal(foreign).message.contains("no move has made"))
        }
    }

    @Test(
        "a target with records in one repository gets no table for another", arguments: MoveTarget.available)
    func repositoryTraces(target: MoveTarget) async throws {
        try await onThread {
            let sample = try MovedSample()
            let there = try target.place(sample)
            try move(sample.store, there, choice: .init(repositories: ["Clients"]))
            func tables() throws -> [String] {
                try withEngine(there) { try $0.reading { try $0.tables().map(\.structure.name) } }
            }
            let before = try tables()
            // The missing repository is named first.
            let choice = MoveChoice(repositories: ["", "Clients"])
            let error = try #require(throws: ToolError.self) { try move(sample.store, there, choice: choice) }
            #expect(error.message.contains("repository 'Clients'"))
            #expect(try tables() == before && !before.isEmpty)
        }
    }

    @Test("a source with another program's table of the ledger's name is not taken for an unfinished target")
    func foreignLedger() async throws {
        try await onThread {
            let sample = try MovedSample()
            let from = try makeStore(sample) { engine in
                let table = TableStructure(
                    name: MoveLedger.tableName, columns: [Column("id", .int64)], primaryKey: [0])
                try engine.change { try $0.alter(.createTable(table)) }
            }
            let error = try #require(throws: ToolError.self) { try move(from, sample.directory + "/to.silt") }
            #expect(error.message.contains("no move has made"))
        }
    }

    #if PostgreSQL
    @Test("a source that cannot be read leaves no new store behind") func unreadableSource() async throws {
        try await onThread {
            let there = NSTemporaryDirectory() + UUID().uuidString + ".silt"
            let operands = ["postgresql://nobody@127.0.0.1:1/none?connect_timeout=2", there]
            let invocation = try Invocation(.move, ParsedArguments(operands: operands))
            #expect(throws: (any Error).self) { try Command.move.run(invocation) }
            #expect(!FileManager.default.fileExists(atPath: there))
        }
    }
    #endif

    @Test("a target with rows or records is refused and left as it is", arguments: MoveTarget.available)
    func contents(target: MoveTarget) async throws {
        try await onThread {
            let sample = try MovedSample()
            let there = try target.place(sample)
            try move(sample.store, there, choice: .init(tables: ["Log"], repositories: ["Clients"]))
            for choice in [MoveChoice(tables: ["Log"]), .init(repositories: ["Clients"]), .init()] {
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

    @Test("a table and a repository that are named twice are moved once", arguments: MoveTarget.available)
    func repeatedNames(target: MoveTarget) async throws {
        try await onThread {
            let sample = try MovedSample()
            let there = try target.place(sample)
            // A table with a key, and one without.
            let choice = MoveChoice(
                tables: ["Log", "Person", "Log", "Person"], repositories: ["Clients", "", "Clients"])
            let report = try move(sample.store, there, choice: choice)
            #expect(report.tables.map(\.name) == ["Log", "Person"])
            #expect(report.tables.map(\.rows) == [60, MovedSample.persons])
            #expect(report.repositories.map(\.name) == ["Clients", ""] && report.records == 50)
            let back = try move(there, sample.directory + "/back.silt")
            #expect(back.rows == MovedSample.persons + 60 && back.records == 50)
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

    /// The error of a move that another one has overtaken.
    private func isRival(_ error: any Error) -> Bool {
        guard let error = error as? ToolError else { return false }
        return error.exitCode == .locked && error.message.contains("another move")
    }

    @Test("a move that another one overtakes stops, and nothing is there twice", arguments: MoveTarget.available)
    func overtaken(target: MoveTarget) async throws {
        try await onThread {
            let sample = try MovedSample()
            // At its beginning, in a table without a key, in the second pass of references, in the records.
            for commit in [1, 5, 11, 17] {
                let there = try target.place(sample)
                var commits = 0
                var other: MoveRun.Report?
                let error = try #require(throws: (any Error).self) {
                    try move(sample.store, there) { _, _ in
                        commits += 1
                        if commits == commit { other = try move(sample.store, there) }
                    }
                }
                #expect(isRival(error), "\(error)")
                let report = try #require(other)
                #expect(report.continued && report.rows == MovedSample.persons + 120 && report.records == 75)
                #expect(try catalogue(there).allSatisfy { !$0.hasPrefix(MoveLedger.tableName) })
            }
        }
    }

    @Test(
        "of moves that begin at once, one arrives, and the others say that there is another",
        arguments: MoveTarget.available)
    func atOnce(target: MoveTarget) async throws {
        let sample = try await onThread { try MovedSample() }
        for _ in 0..<3 {
            let there = try await onThread { try target.place(sample) }
            let results = await withTaskGroup(of: Result<MoveRun.Report, any Error>.self) { group in
                for _ in 0..<3 {
                    group.addTask {
                        do { return .success(try await onThread { try move(sample.store, there) }) } catch {
                            return .failure(error)
                        }
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            var arrived = 0
            for result in results {
                do {
                    #expect(try result.get().rows == MovedSample.persons + 120)
                    arrived += 1
                } catch let error as ToolError {
                    #expect(
                        isRival(error) || error.message.contains("a move fills")
                            || error.message.contains("another move, is storing there"), "\(error)")
                }
            }
            #expect(arrived == 1)
            let back = try await onThread { try move(there, sample.directory + "/\(UUID().uuidString).silt") }
            #expect(back.rows == MovedSample.persons + 120 && back.records == 75)
        }
    }

    @Test("a repository whose long name a server digests comes back by its name", arguments: MoveTarget.available)
    func longName(target: MoveTarget) async throws {
        try await onThread {
            let sample = try MovedSample()
            let name = String(repeating: "Längster Name / ", count: 20)
            let (from, there) = (sample.directory + "/long.silt", try target.place(sample))
            let records = [(id: "one", record: Data("first".utf8)), (id: "two", record: Data("second".utf8))]
            try KeyValueStore.open(at: from).closing { store in
                let repository = SiltstoneRepository(store: store, tableName: name)
                _ = try AsyncWork.wait { try await repository.insertRecords(records) }
            }
            #expect(try move(from, there).repositories.map(\.name) == [name])
            if target != .sqlite {
                let error = try #require(throws: ToolError.self) { try move(there, sample.directory + "/all.silt") }
                #expect(error.exitCode == .usage && error.message.contains("--repository NAME"), "\(error.message)")
            }
            let back = sample.directory + "/back.silt"
            #expect(try move(there, back, choice: .init(repositories: [name])).records == 2)
            try KeyValueStore.open(at: back).closing { store in
                let repository = SiltstoneRepository(store: store, tableName: name)
                let found = try AsyncWork.wait { try repository.records(after: nil, limit: 9) }
                #expect(found.map(\.record) == records.map(\.record))
            }
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
