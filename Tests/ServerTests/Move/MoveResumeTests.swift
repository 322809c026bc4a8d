#if PostgreSQL || MySQL || SQLite
import CRUDKit
import Foundation
import TableKit
import Testing

@testable import SiltTool

/// Interrupted moves: what the next run finds, and what a restart removes.
struct MoveResumeTests {
    private struct Interruption: Error {}

    /// Moves, and stops behind a commit.
    private func interrupt(_ from: String, _ to: String, behind commit: Int, choice: MoveChoice = .init()) throws {
        var commits = 0
        #expect(throws: (any Error).self) {
            try move(from, to, choice: choice) { _, _ in
                commits += 1
                if commits == commit { throw Interruption() }
            }
        }
        #expect(commits == commit)
    }

    /// Moves with an interruption behind each commit.
    private func moveInSteps(_ from: String, _ to: String) throws -> MoveRun.Report {
        for _ in 0..<100 {
            do { return try move(from, to) { _, _ in throw Interruption() } } catch is Interruption {
            } catch let error as ToolError where error.message.contains("Interruption") {}
        }
        return try move(from, to)
    }

    private static let numbered = TableStructure(
        name: "Numbered", columns: [Column("id", .int64, isOptional: true), Column("text", .string)], primaryKey: [0])

    private func numberedStore(_ sample: MovedSample) throws -> String {
        try makeStore(sample) { engine in
            try engine.change { session in
                try session.alter(.createTable(MovedSample.log))
                try session.alter(.createTable(Self.numbered))
                try session.insert(MovedSample.log, [[.text("line"), .real(1)]])
                try session.insert(Self.numbered, (1...120).map { [.integer($0), .text("row \($0)")] })
            }
        }
    }

    @Test(
        "a table whose key is optional in Swift goes on after interruptions, and fills an empty table",
        arguments: MoveTarget.available)
    func optionalKey(target: MoveTarget) async throws {
        try await onThread {
            let sample = try MovedSample()
            let from = try numberedStore(sample)
            let report = try moveInSteps(from, try target.place(sample))
            #expect(report.continued && report.rows == 121)
            let prepared = try target.place(sample)
            try withEngine(prepared) { try $0.change { try $0.alter(.createTable(Self.numbered)) } }
            #expect(try move(from, prepared).rows == 121)
        }
    }

    @Test("a restart keeps a table that was there before the move", arguments: MoveTarget.available)
    func keptTable(target: MoveTarget) async throws {
        try await onThread {
            let sample = try MovedSample()
            let there = try target.place(sample)
            var columns = MovedSample.log.columns
            columns[1].defaultValue = .real(3)
            let log = TableStructure(name: "Log", columns: columns)
            func defaultValue() throws -> ColumnValue? {
                try withEngine(there) { engine in
                    try engine.reading { try $0.table(named: "Log")?.structure.columns[1].defaultValue }
                }
            }
            try withEngine(there) { try $0.change { try $0.alter(.createTable(log)) } }
            let before = try defaultValue()
            #expect(before != nil)
            try interrupt(sample.store, there, behind: 2, choice: .init(tables: ["Log", "Person"]))
            let report = try move(sample.store, there, choice: .init(tables: ["Log", "Person"]), isRestarting: true)
            #expect(!report.continued && report.rows == MovedSample.persons + 60)
            #expect(try defaultValue() == before)
        }
    }

    @Test("a restart removes the tables of another choice, in circles too", arguments: MoveTarget.available)
    func otherChoice(target: MoveTarget) async throws {
        try await onThread {
            let sample = try MovedSample()
            let there = try target.place(sample)
            // In the second pass: all tables have their rows, and references in circles are being set.
            try interrupt(sample.store, there, behind: 11)
            let report = try move(sample.store, there, choice: .init(tables: ["Log"]), isRestarting: true)
            #expect(report.rows == 60)
            #expect(try catalogue(there).count == 1)
        }
    }

    @Test("a move that an earlier release began goes on, or begins anew", arguments: MoveTarget.available)
    func earlierRelease(target: MoveTarget) async throws {
        try await onThread {
            let sample = try MovedSample()
            for isRestarting in [false, true] {
                let there = try target.place(sample)
                try interrupt(sample.store, there, behind: 3)
                // The column that earlier releases did not have.
                try withEngine(there) {
                    try $0.change { try $0.alter(.dropColumn(table: MoveLedger.tableName, "made")) }
                }
                let report = try move(sample.store, there, isRestarting: isRestarting)
                #expect(report.continued != isRestarting)
                #expect(report.rows == MovedSample.persons + 120 && report.records == 75)
            }
        }
    }

    @Test("records stored before an interruption are kept; one that has changed since is not overwritten")
    func changedRecord() async throws {
        try await onThread {
            let sample = try MovedSample()
            let (first, second) = (Data("first".utf8), Data("second".utf8))
            for isChanged in [false, true] {
                let place = sample.directory + "/\(UUID().uuidString).silt"
                let there = try MovePlace(place).open(isTarget: true)
                defer { try? there.close() }
                let (from, to) = (try there.repository("from"), try there.repository("to"))
                try AsyncWork.wait {
                    _ = try await from.insertRecords([(id: "a", record: first), (id: "b", record: first)])
                    try await to.putRecord(isChanged ? second : first, id: "a")
                }
                let ledger = MoveLedger(origin: "x", tables: [], repositories: ["to"])
                try ledger.store(there.engine)
                var entry = ledger.entries[0]
                try MoveLedger.advance(&entry, there.engine) { $0.phase = .rows }
                let move = RecordMove(source: .repository(from), target: to, engine: there.engine)
                if isChanged {
                    let error = #expect(throws: ToolError.self) { try move.run(&entry) }
                    #expect(error?.exitCode == .usage && error?.message.contains("record 'a'") == true)
                } else {
                    _ = try move.run(&entry)
                    #expect(entry.phase == .done && entry.rows == 2)
                }
                let found = try AsyncWork.wait { try await to.records(after: nil, limit: 9).map(\.record) }
                #expect(found == (isChanged ? [second] : [first, first]))
            }
        }
    }

    @Test("records of an interrupted batch are known in a later batch too, if the source has got others since")
    func laterBatch() async throws {
        try await onThread {
            let sample = try MovedSample()
            let there = try MovePlace(sample.directory + "/records.silt").open(isTarget: true)
            let (from, to) = (try there.repository("from"), try there.repository("to"))
            let records = ["a", "b", "c", "d"].map { (id: $0, record: Data($0.utf8)) }
            try AsyncWork.wait {
                _ = try await from.insertRecords(records)
                // A run without b has stored a batch, and was killed before it changed the ledger.
                _ = try await to.insertRecords([records[0], records[2]])
            }
            let ledger = MoveLedger(origin: "x", tables: [], repositories: ["to"])
            try ledger.store(there.engine)
            var entry = ledger.entries[0]
            try MoveLedger.advance(&entry, there.engine) { $0.phase = .rows }
            var move = RecordMove(source: .repository(from), target: to, engine: there.engine)
            move.batchRecords = 2
            _ = try move.run(&entry)
            #expect(entry.phase == .done && entry.rows == 4)
            let found = try AsyncWork.wait { try await to.records(after: nil, limit: 9).map(\.record) }
            #expect(found == records.map(\.record))
            try there.close()
        }
    }

    private static let hen = TableStructure(
        name: "Hen",
        columns: [
            Column("id", .int64),
            Column("first", .int64, isOptional: true, foreignKey: ForeignKeyReference(table: "Egg")),
            Column("last", .int64, isOptional: true, foreignKey: ForeignKeyReference(table: "Egg")),
        ], primaryKey: [0])
    private static let egg = TableStructure(
        name: "Egg",
        columns: [Column("id", .int64), Column("of", .int64, foreignKey: ForeignKeyReference(table: "Hen"))],
        primaryKey: [0])

    /// Two tables that refer to each other, one of them by two columns.
    private func henStore(_ sample: MovedSample) throws -> String {
        try makeStore(sample) { engine in
            try engine.change { session in
                let plain = TableStructure(name: "Hen", columns: [Self.hen.columns[0]], primaryKey: [0])
                try session.alter(.createTable(plain))
                try session.alter(.createTable(Self.egg))
                for column in Self.hen.columns.dropFirst() {
                    try session.alter(.addColumn(table: "Hen", column))
                }
                try session.insert(Self.hen, (1...5).map { [.integer($0), .null, .null] })
                try session.insert(Self.egg, (1...9).map { [.integer($0), .integer(1)] })
                var row = RowBuffer()
                try row.append([.null, .integer(1), .integer(9)], layout: Self.hen.layout)
                _ = try session.update(UpdateStatement(Self.hen, columns: [1, 2], row: row))
            }
        }
    }

    @Test(
        "a move that was killed between two columns that refer to later tables goes on",
        arguments: MoveTarget.available)
    func laterColumns(target: MoveTarget) async throws {
        try await onThread {
            let sample = try MovedSample()
            let (from, there) = (try henStore(sample), try target.place(sample))
            try withEngine(from) { source in
                try withEngine(there) { engine in
                    try source.reading { session in
                        let tables = try MoveOrder.sorted(try session.tables())
                        let ledger = MoveLedger(
                            origin: MovePlace(from).description, tables: tables.map(\.source.name), repositories: [])
                        try ledger.store(engine)
                        for (table, entry) in zip(tables, ledger.entries) {
                            var entry = entry
                            try TableMove(table: table, source: session, target: engine).make(&entry)
                        }
                        let hen = try #require(tables.first { $0.source.name == "Hen" })
                        #expect(hen.laterColumns.count == 2)
                        let column = hen.source.columns[hen.laterColumns[0]]
                        try engine.change { try $0.alter(.addColumn(table: "Hen", column)) }
                    }
                }
            }
            let report = try move(from, there)
            #expect(report.continued && report.rows == 14)
        }
    }

    private static let node = TableStructure(
        name: "Node",
        columns: [Column("id", .uuid), Column("parent", .uuid, foreignKey: ForeignKeyReference(table: "Node"))],
        primaryKey: [0])

    @Test(
        "rows that must refer to rows of their own table arrive in any order, and go with a restart",
        arguments: MoveTarget.available)
    func requiredReferences(target: MoveTarget) async throws {
        try await onThread {
            let sample = try MovedSample()
            let ids = (0..<400).map { _ in UUID() }
            let from = try makeStore(sample) { engine in
                try engine.change { session in
                    try session.alter(.createTable(Self.node))
                    // The root refers to itself.
                    try session.insert(Self.node, ids.indices.map { [.uuid(ids[$0]), .uuid(ids[$0 / 2])] })
                }
            }
            let there = try target.place(sample)
            #expect(try moveInSteps(from, there).rows == 400)
            let again = try target.place(sample)
            // Eight transactions store the rows, the others their references.
            try interrupt(from, again, behind: 10)
            #expect(try move(from, again, isRestarting: true).rows == 400)
        }
    }
}
#endif
