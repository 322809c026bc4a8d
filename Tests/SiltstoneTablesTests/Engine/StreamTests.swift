import Siltstone
import SiltstoneTesting
import TableKit
import Testing

@testable import SiltstoneTables

private struct Job: Codable {
    var id: Int
    var state: Int
}

/// The rows of a query in a transaction that changes rows before it has read them all.
struct StreamTests {
    private static let jobs = TableStructure(
        name: "jobs", columns: [Column("id", .int64), Column("state", .int64), Column("code", .int64)],
        primaryKey: [0])
    private static let notes = TableStructure(
        name: "notes", columns: [Column("id", .int64), Column("job", .int64)], primaryKey: [0])

    private static func column(_ number: Int, source: Int = 0) -> ColumnReference {
        ColumnReference(source: source, column: number)
    }

    /// 600 jobs, of which 400 have the state 0, and a note on each.
    private func makeTables() throws -> any TableEngine {
        let (_, engine) = try makeEngine()
        try engine.change { session in
            try session.alter(.createTable(Self.jobs))
            try session.alter(.createTable(Self.notes))
            try session.alter(.createIndex(IndexDefinition(table: "jobs", columns: ["state"])))
            try session.alter(.createIndex(IndexDefinition(table: "jobs", columns: ["code"], isUnique: true)))
            try session.alter(.createIndex(IndexDefinition(table: "notes", columns: ["job"])))
            try session.insert(
                Self.jobs, (0..<600).map { [.integer($0), .integer($0 < 400 ? 0 : 1), .integer($0 + 5_000)] })
            try session.insert(Self.notes, (0..<600).map { [.integer($0 + 7_000), .integer($0)] })
        }
        return engine
    }

    /// Changes the state of all jobs, deletes a part of the jobs and all notes, and adds a job.
    private func change(_ session: any TableSession) throws {
        _ = try session.update(
            UpdateStatement(
                Self.jobs, columns: [1], row: try Self.jobs.rows([[.integer(0), .integer(2), .integer(0)]]),
                predicate: nil))
        _ = try session.delete(
            DeleteStatement(Self.jobs, predicate: .compare(Self.column(0), .greaterOrEqual, .integer(350))))
        _ = try session.delete(DeleteStatement(Self.notes, predicate: nil))
        try session.insert(Self.jobs, [[.integer(351), .integer(0), .integer(5_351)]])
    }

    /// The values of the remaining parents, each with the number of its joined rows.
    private func rest(of stream: any RowStream) throws -> [[ColumnValue]] {
        var rows: [[ColumnValue]] = []
        while let batch = try stream.next() { rows += try values(batch) }
        return rows
    }

    private func values(_ batch: RowBatch) throws -> [[ColumnValue]] {
        var rows = try batch.rows.values(batch.shape)
        for joined in batch.joined {
            for row in rows.indices {
                let start = row == 0 ? 0 : joined.ends[row - 1]
                rows[row].append(.integer(Int64(joined.ends[row] - start)))
            }
        }
        return rows
    }

    /// Queries along the rows, an index, keys and entries of a list, unions, sorts and joins.
    private static var queries: [Query] {
        var all = Query(jobs)
        all.order = [OrderTerm(column: 0)]
        var ofState = Query(jobs)
        ofState.predicate = .compare(column(1), .equal, .integer(0))
        var ofList = Query(jobs)
        ofList.predicate = .isIn(column(0), (0..<300).map { .integer($0 * 2) })
        var ofEntries = Query(jobs)
        ofEntries.predicate = .isIn(column(2), (0..<300).map { .integer($0 * 2 + 5_000) })
        var ofUnion = Query(jobs)
        ofUnion.predicate = .or([
            .compare(column(1), .equal, .integer(0)), .compare(column(2), .greater, .integer(5_450)),
        ])
        var sorted = ofState
        sorted.order = [OrderTerm(column: 2, isDescending: true)]
        var joined = all
        joined.sources.append(notes)
        joined.joins = [JoinClause(property: "notes", source: 1, on: 0, equals: 1)]
        var late = joined
        late.predicate = .compare(column(0, source: 1), .greaterOrEqual, .integer(7_000))
        return [all, ofState, ofList, ofEntries, ofUnion, sorted, joined, late]
    }

    @Test(
        "a stream gives the state of its begin, by each plan, whatever the transaction changes meanwhile",
        arguments: [TransactionMode.serial, .concurrent(retries: 0)], [true, false])
    func state(_ mode: TransactionMode, hasBegun: Bool) throws {
        let engine = try makeTables()
        // In the quick form the one half of the queries where the stream has begun, the other half where it has not.
        for (number, query) in Self.queries.enumerated()
        where TestForm.isThorough || number % 2 == (hasBegun ? 0 : 1) {
            let session = try engine.begin(mode)
            defer { session.rollback() }
            // The state has changes of the transaction itself.
            _ = try session.delete(
                DeleteStatement(Self.jobs, predicate: .compare(Self.column(0), .less, .integer(9))))
            try session.insert(Self.jobs, [[.integer(4), .integer(0), .integer(5_004)]])
            let start = try session.savepoint()
            for plan in try session.plans(for: query).indices {
                var query = query
                query.forcedPlan = plan
                let expected = try rest(of: try session.run(query))
                #expect(expected.count > 256)
                let stream = try session.run(query)
                var found = hasBegun ? try values(try #require(try stream.next())) : []
                try change(session)
                found += try rest(of: stream)
                #expect(found == expected, "query \(number), plan \(plan)")
                // A second stream reads the changes.
                #expect(try rest(of: try session.run(query)) != expected)
                try session.rollback(to: start)
                #expect(try rest(of: try session.run(query)) == expected)
            }
        }
    }

    @Test("a stream goes on with rows that a savepoint has taken back")
    func savepoint() throws {
        let engine = try makeTables()
        let session = try engine.begin(.serial)
        defer { session.rollback() }
        let start = try session.savepoint()
        try change(session)
        let query = Self.queries[0]
        let expected = try rest(of: try session.run(query))
        let stream = try session.run(query)
        var found = try values(try #require(try stream.next()))
        try session.rollback(to: start)
        found += try rest(of: stream)
        #expect(found == expected)
    }

    @Test("an iteration gives rows as its condition says, though its body changes each of them")
    func iteration() throws {
        let configuration = try SiltstoneDatabaseConfiguration(store: try KeyValueStore.inMemory())
        let db = Database(configuration: configuration)
        let jobs = try db.create(Job.self)
        try jobs.index(\.state)
        try jobs.insert((0..<8_000).map { Job(id: $0, state: $0 < 400 ? 0 : 1) })
        var states: [Int] = []
        try db.transaction {
            for job in try jobs.where(\Job.state == 0).select() {
                states.append(job.state)
                if states.count == 1 {
                    try jobs.where(\Job.state == 0).update(Job(id: 0, state: 2), setKeys: \.state)
                } else {
                    try jobs.where(\Job.id == job.id).delete()
                }
            }
        }
        #expect(states == [Int](repeating: 0, count: 400))
        #expect(try jobs.count() == 8_000 - 399)
    }

    @Test("a commit checks all rows that streams have read, those of keys in a list, too")
    func conflicts() throws {
        for query in Self.queries {
            for plan in 0..<3 {
                let engine = try makeTables()
                let session = try engine.begin(.concurrent(retries: 0))
                var query = query
                let plans = try session.plans(for: query).count
                query.forcedPlan = plan < plans ? plan : nil
                _ = try rest(of: try session.run(query))
                try session.insert(Self.notes, [[.integer(1), .integer(1)]])
                // The code alone: no index by which the row is found.
                try engine.change { session in
                    _ = try session.update(
                        UpdateStatement(
                            Self.jobs, columns: [2],
                            row: try Self.jobs.rows([[.integer(0), .integer(0), .integer(-3)]]),
                            predicate: .compare(Self.column(0), .equal, .integer(4))))
                }
                #expect(code { try session.commit() } == .conflict)
            }
        }
    }

    @Test("a stream releases the state that it reads with its last batch: no later write copies the earlier ones")
    func release() throws {
        let tables = try TestTables([
            TestTable(Self.jobs, (0..<600).map { [.integer($0), .integer(0), .integer($0)] }),
            TestTable(Self.notes, (0..<600).map { [.integer($0 + 7_000), .integer($0)] }),
        ])
        let transaction = tables.store.begin()
        defer { transaction.rollback() }
        func check(_ query: Query, _ count: Int) throws {
            weak var state: FrozenTransaction?
            let stream = try {
                let frozen = try transaction.frozen()
                state = frozen
                return try QueryExecutor(reader: frozen, catalogue: tables.catalogue).stream(query)
            }()
            #expect(state != nil)
            var found = 0
            while found < count {
                found += try #require(try stream.next()).rows.count
            }
            #expect(found == count)
            #expect(state == nil)
            #expect(try stream.next() == nil)
        }
        let queries = Self.queries
        for var query in [queries[0], queries[6], queries[7]] {
            try check(query, 600)
            query.limit = RowLimit(count: 40, skip: 3)
            try check(query, 40)
            query.predicate = .compare(Self.column(0), .equal, .integer(5))
            query.limit = nil
            try check(query, 1)
        }
        // Parts of one batch: the limit of a join makes its parents one.
        var whole = queries[6]
        whole.joins[0].limit = RowLimit(count: 10)
        try check(whole, 600)
    }

    @Test("a stream whose transaction has ended throws")
    func end() throws {
        let engine = try makeTables()
        for query in Self.queries[1...3] {
            let session = try engine.begin(.serial)
            let stream = try session.run(query)
            session.rollback()
            #expect(code { while try stream.next() != nil {} } == .transaction)
        }
    }
}
