import Dispatch
import Siltstone
import SiltstoneTesting
import TableKit
import Testing

@testable import SiltstoneTables

/// Changes of the schema.
struct SchemaTests {
    private static let first = TableStructure(
        name: "t", columns: [Column("id", .int64), Column("a", .string)], primaryKey: [0])
    private static let second = TableStructure(
        name: "t",
        columns: [Column("id", .int64), Column("b", .int32, defaultValue: .integer(5)), Column("a", .string)],
        primaryKey: [0])

    @Test("columns come, go and change their names without a change of rows, and old rows read as they should")
    func columns() throws {
        let (_, engine) = try makeEngine()
        try engine.change { session in
            try session.alter(.createTable(Self.first))
            try session.insert(Self.first, [[.integer(1), .text("x")]])
            #expect(code { try session.alter(.addColumn(table: "t", Column("b", .int32))) } == .notNull)
            try session.alter(.addColumn(table: "t", Column("b", .int32, defaultValue: .integer(5))))
            try session.insert(Self.second, [[.integer(2), .integer(6), .text("y")]])
            try session.insert(Self.first, [[.integer(3), .text("z")]])
            #expect(try session.all(Self.second).map { $0[1] } == [.integer(5), .integer(6), .integer(5)])
            #expect(try session.all(Self.second).map { $0[2] } == [.text("x"), .text("y"), .text("z")])
            try session.alter(.dropColumn(table: "t", "a"))
            #expect(code { try session.alter(.dropColumn(table: "t", "id")) } == .unsupported)
            try session.alter(.renameColumn(table: "t", "b", to: "c"))
            try session.alter(.addColumn(table: "t", Column("a", .string, isOptional: true)))
            let now = try #require(try session.table(named: "t")).structure
            #expect(now.columns.map(\.name) == ["id", "c", "a"])
            #expect(
                try session.all(now) == [
                    [.integer(1), .integer(5), .null], [.integer(2), .integer(6), .null],
                    [.integer(3), .integer(5), .null],
                ])
            try session.alter(.renameTable("t", to: "u"))
            #expect(try session.table(named: "t") == nil)
            #expect(try session.table(named: "u") != nil)
        }
        #expect(try engine.verify(progress: nil) == [])
    }

    @Test("a new column whose default refers to nothing is refused if the table has rows, and one that refers is not")
    func defaultReferences() throws {
        let (_, engine) = try makeEngine()
        let parents = TableStructure(name: "p", columns: [Column("id", .int32)], primaryKey: [0])
        func reference(_ name: String, to table: String, _ value: Int64) -> SchemaChange {
            .addColumn(
                table: "t",
                Column(
                    name, .int64, isOptional: true, defaultValue: .integer(value),
                    foreignKey: ForeignKeyReference(table: table, onDelete: .cascade)))
        }
        try engine.change { session in
            try session.alter(.createTable(parents))
            try session.alter(.createTable(Self.first))
            // Without rows nothing refers.
            try session.alter(reference("none", to: "p", 99))
            let row: [ColumnValue] = [.integer(1), .text("x"), .null]
            let now = try #require(try session.table(named: "t")).structure
            try session.insert(now, [row])
        }
        try engine.change { session in
            for (table, value) in [("p", 99), ("p", 1 << 40), ("t", 2), ("missing", 1)] as [(String, Int64)] {
                #expect(code { try session.alter(reference("new", to: table, value)) } == .foreignKey, "\(table)")
            }
            #expect(try session.table(named: "t")?.structure.columns.map(\.name) == ["id", "a", "none"])
            try session.insert(parents, [[.integer(7)]])
            try session.alter(reference("new", to: "p", 7))
            try session.alter(reference("own", to: "t", 1))
        }
        #expect(try engine.verify(progress: nil) == [])
        try engine.change { session in
            _ = try session.delete(DeleteStatement(parents))
            #expect(try session.all(Self.first).isEmpty)
        }
    }

    @Test("tables come by name, in whatever order they were made")
    func names() throws {
        let (_, engine) = try makeEngine()
        for name in ["b", "c", "a"] {
            let table = TableStructure(name: name, columns: [Column("x", .int64)], primaryKey: [])
            try engine.change { try $0.alter(.createTable(table)) }
        }
        try engine.change { session in
            try session.alter(.renameTable("a", to: "d"))
            #expect(try session.tables().map(\.structure.name) == ["b", "c", "d"])
        }
    }

    @Test("a savepoint and a rollback take changes of the schema back, with the rows in their tables")
    func rollback() throws {
        let (store, engine) = try makeEngine()
        try engine.change { session in
            try session.alter(.createTable(Self.first))
            let savepoint = try session.savepoint()
            try session.alter(.addColumn(table: "t", Column("b", .int32, isOptional: true)))
            try session.insert(Self.first, [[.integer(1), .text("x")]])
            try session.rollback(to: savepoint)
            #expect(try session.table(named: "t")?.structure.columns.count == 2)
            try session.insert(Self.first, [[.integer(2), .text("y")]])
        }
        let session = try engine.begin(.serial)
        try session.alter(.dropTable("t"))
        session.rollback()
        let reading = try engine.beginRead()
        #expect(try reading.all(Self.first) == [[.integer(2), .text("y")]])
        reading.rollback()
        try store.close()
    }

    @Test("a read that began before a change of the schema sees the tables of then")
    func snapshots() throws {
        let (_, engine) = try makeEngine()
        try engine.change { session in
            try session.alter(.createTable(Self.first))
            try session.insert(Self.first, [[.integer(1), .text("x")]])
        }
        let before = try engine.beginRead()
        try engine.change { try $0.alter(.dropTable("t")) }
        #expect(try before.all(Self.first).count == 1)
        before.rollback()
        let after = try engine.beginRead()
        #expect(code { _ = try after.all(Self.first) } == .noTable)
        after.rollback()
    }

    @Test("a concurrent transaction conflicts with a change of the schema under way")
    func conflict() throws {
        let (_, engine) = try makeEngine()
        try engine.change { try $0.alter(.createTable(Self.first)) }
        let session = try engine.begin(.concurrent(retries: 0))
        try session.insert(Self.first, [[.integer(1), .text("x")]])
        try engine.change { try $0.alter(.addColumn(table: "t", Column("b", .int32, isOptional: true))) }
        #expect(code { try session.commit() } == .conflict)
    }

    @Test("an index over many rows is built in chunks, while writers go on, and equals one made from the rows")
    func build() throws {
        let (store, engine) = try makeEngine()
        let rows = Int64(5_000)
        try engine.change { session in
            try session.alter(.createTable(Self.first))
            try session.insert(Self.first, (0..<rows).map { [.integer($0 * 2), .text("v\($0 % 100)")] })
        }
        let siltstone = try #require(engine as? SiltstoneEngine)
        let index = try begin(siltstone, isUnique: false)
        let build = IndexBuild(engine: siltstone, table: 1, index: index)
        var steps = 0
        while case .goesOn = try build.step() {
            steps += 1
            try engine.change { session in
                let id = Int64(steps)
                try session.insert(Self.first, [[.integer(id * 2_000 + 1), .text("new")]])
                let new = try Self.first.rows([[.integer(0), .text("changed")]])
                for id in [id * 2, rows * 2 - id * 2] {
                    let match = TableKit.Predicate.compare(ColumnReference(column: 0), .equal, .integer(id))
                    _ = try session.update(UpdateStatement(Self.first, columns: [1], row: new, predicate: match))
                }
                for id in [id * 2 + 100, rows * 2 - id * 2 - 100] {
                    let match = TableKit.Predicate.compare(ColumnReference(column: 0), .equal, .integer(id))
                    _ = try session.delete(DeleteStatement(Self.first, predicate: match))
                }
            }
        }
        #expect(steps >= 4)
        #expect(try engine.verify(progress: nil) == [])
        #expect(try store.count(prefix: KeySpace.builds) == 0)
        #expect(try store.count(prefix: KeySpace.index(1, index)) == store.count(prefix: KeySpace.rows(1)))
    }

    private func begin(_ engine: SiltstoneEngine, isUnique: Bool) throws -> UInt64 {
        let definition = IndexDefinition(table: "t", columns: ["a"], isUnique: isUnique)
        return try engine.change { session in
            let session = try #require(session as? SiltstoneSession<Transaction>)
            var id: UInt64?
            try session.edit { id = try $0.addIndex(definition) }
            return try #require(id)
        }
    }

    @Test("duplicates end the build of a unique index with an error that names the values, and leave no index")
    func duplicates() throws {
        let (store, engine) = try makeEngine()
        try engine.change { session in
            try session.alter(.createTable(Self.first))
            try session.insert(Self.first, (0..<3_000).map { [.integer($0), .text("v\($0 == 2_999 ? 7 : $0)")] })
        }
        let definition = IndexDefinition(table: "t", columns: ["a"], isUnique: true)
        do {
            try engine.buildIndex(definition)
            Issue.record("no error")
        } catch let error as CRUDSQLExeError {
            #expect(error.code == .unique && error.key == "\"v7\"" && error.message.contains("2999"))
        }
        #expect(try store.count(prefix: KeySpace.index(1, 2)) == 0)
        let session = try engine.beginRead()
        #expect(try session.table(named: "t")?.indexes.isEmpty == true)
        session.rollback()
        #expect(try engine.verify(progress: nil) == [])
    }

    @Test("each of several callers that build one unique index over duplicates gets the error of the duplicates")
    func duplicatesOfSeveral() throws {
        let (_, engine) = try makeEngine()
        try engine.change { session in
            try session.alter(.createTable(Self.first))
            try session.insert(Self.first, (0..<3_000).map { [.integer($0), .text("v\($0 == 2_999 ? 7 : $0)")] })
        }
        let definition = IndexDefinition(table: "t", columns: ["a"], isUnique: true)
        let siltstone = try #require(engine as? SiltstoneEngine)
        let other = IndexBuild(engine: siltstone, table: 1, index: try begin(siltstone, isUnique: true))
        #expect(code { try engine.buildIndex(definition) } == .unique)
        #expect(try !other.run())
        let codes = Locked<[TableErrorCode?]>([])
        DispatchQueue.concurrentPerform(iterations: 4) { _ in
            let found = code { try engine.buildIndex(definition) }
            codes.withLock { $0.append(found) }
        }
        #expect(codes.withLock { $0 } == [.unique, .unique, .unique, .unique])
        #expect(try engine.verify(progress: nil) == [])
    }

    /// The indexes of the table.
    private func indexes(_ engine: any TableEngine) throws -> [IndexInfo] {
        let session = try engine.beginRead()
        defer { session.rollback() }
        return try #require(try session.table(named: "t")).indexes
    }

    @Test("a unique index that is asked for while a plain one of its columns is built replaces it")
    func uniqueBesidePlain() throws {
        let (_, engine) = try makeEngine()
        try engine.change { session in
            try session.alter(.createTable(Self.first))
            try session.insert(Self.first, (0..<3_000).map { [.integer($0), .text("v\($0)")] })
        }
        let siltstone = try #require(engine as? SiltstoneEngine)
        let plain = IndexBuild(engine: siltstone, table: 1, index: try begin(siltstone, isUnique: false))
        guard case .goesOn = try plain.step() else {
            Issue.record("one step")
            return
        }
        try engine.buildIndex(IndexDefinition(table: "t", columns: ["a"], isUnique: true))
        #expect(try !plain.run())
        let left = try indexes(engine)
        #expect(left.count == 1 && left[0].definition.isUnique && left[0].state == .ready)
        try engine.change { session in
            #expect(code { try session.insert(Self.first, [[.integer(9_999), .text("v7")]]) } == .unique)
        }
        #expect(try engine.verify(progress: nil) == [])
    }

    @Test("a plain index that is asked for while a unique one of its columns is built does not wait for it or end it")
    func plainBesideUnique() throws {
        let (_, engine) = try makeEngine()
        try engine.change { session in
            try session.alter(.createTable(Self.first))
            try session.insert(Self.first, (0..<3_000).map { [.integer($0), .text("v\($0)")] })
        }
        let siltstone = try #require(engine as? SiltstoneEngine)
        let unique = IndexBuild(engine: siltstone, table: 1, index: try begin(siltstone, isUnique: true))
        guard case .goesOn = try unique.step() else {
            Issue.record("one step")
            return
        }
        try engine.buildIndex(IndexDefinition(table: "t", columns: ["a"]))
        let both = try indexes(engine)
        #expect(both.count == 2 && both.filter { $0.state == .ready }.map(\.definition.isUnique) == [false])
        #expect(try unique.run())
        let left = try indexes(engine)
        #expect(left.count == 1 && left[0].definition.isUnique && left[0].state == .ready)
        #expect(try engine.verify(progress: nil) == [])
    }

    @Test("an index that is asked for in a transaction or a small table is ready at the end, also if it is being built")
    func joinedInTransaction() throws {
        let (store, engine) = try makeEngine()
        try engine.change { session in
            try session.alter(.createTable(Self.first))
            try session.insert(Self.first, (0..<3_000).map { [.integer($0), .text("v\($0)")] })
        }
        let siltstone = try #require(engine as? SiltstoneEngine)
        let definition = IndexDefinition(table: "t", columns: ["a"])
        let first = IndexBuild(engine: siltstone, table: 1, index: try begin(siltstone, isUnique: false))
        guard case .goesOn = try first.step() else {
            Issue.record("one step")
            return
        }
        try engine.change { try $0.alter(.createIndex(definition)) }
        #expect(try indexes(engine).map(\.state) == [.ready])
        #expect(try first.run())
        try engine.change { session in
            try session.alter(.dropIndex(table: "t", columns: ["a"]))
            let match = TableKit.Predicate.compare(ColumnReference(column: 0), .greater, .integer(99))
            _ = try session.delete(DeleteStatement(Self.first, predicate: match))
        }
        let second = IndexBuild(engine: siltstone, table: 1, index: try begin(siltstone, isUnique: false))
        try engine.buildIndex(definition)
        #expect(try indexes(engine).map(\.state) == [.ready])
        #expect(try second.run())
        #expect(try store.count(prefix: KeySpace.builds) == 0)
        #expect(try engine.verify(progress: nil) == [])
    }

    @Test("a duplicate that is removed while its unique index is built harms no other row's entry")
    func duplicateRemoved() throws {
        let (_, engine) = try makeEngine()
        try engine.change { session in
            try session.alter(.createTable(Self.first))
            try session.insert(Self.first, (0..<3_000).map { [.integer($0), .text("v\($0 == 2_999 ? 7 : $0)")] })
        }
        let siltstone = try #require(engine as? SiltstoneEngine)
        let build = IndexBuild(engine: siltstone, table: 1, index: try begin(siltstone, isUnique: true))
        guard case .goesOn = try build.step() else {
            Issue.record("one step")
            return
        }
        let match = TableKit.Predicate.compare(ColumnReference(column: 0), .equal, .integer(2_999))
        try engine.change { _ = try $0.delete(DeleteStatement(Self.first, predicate: match)) }
        try build.run()
        #expect(try engine.verify(progress: nil) == [])
    }

    @Test("a duplicate may change in other columns while its unique index is built, which then ends the build")
    func duplicateChanged() throws {
        let (_, engine) = try makeEngine()
        let rows = (0..<3_000).map { id -> [ColumnValue] in
            [.integer(Int64(id)), .integer(0), .text("v\(id == 2_999 ? 7 : id)")]
        }
        try engine.change { session in
            try session.alter(.createTable(Self.second))
            try session.insert(Self.second, rows)
        }
        let siltstone = try #require(engine as? SiltstoneEngine)
        let build = IndexBuild(engine: siltstone, table: 1, index: try begin(siltstone, isUnique: true))
        guard case .goesOn = try build.step() else {
            Issue.record("one step")
            return
        }
        func update(_ column: Int, of id: Int64) throws -> Int {
            let new = try Self.second.rows([[.integer(5_000), .integer(1), .text("v7")]])
            let match = TableKit.Predicate.compare(ColumnReference(column: 0), .equal, .integer(id))
            let statement = UpdateStatement(Self.second, columns: [column], row: new, predicate: match)
            return try engine.change { try $0.update(statement).count }
        }
        #expect(try update(1, of: 2_999) == 1)
        #expect(try update(2, of: 2_999) == 1)
        #expect(try update(1, of: 7) == 1)
        // A row that moves might escape the build, and one that becomes a duplicate is refused as ever.
        #expect(code { _ = try update(0, of: 2_999) } == .unique)
        #expect(code { _ = try update(2, of: 2_998) } == .unique)
        #expect(code { try build.run() } == .unique)
        #expect(try engine.verify(progress: nil) == [])
    }

    @Test("an index is known by table and columns: asked for again it stays, asked for as unique it becomes so")
    func identity() throws {
        let (_, engine) = try makeEngine()
        try engine.change { session in
            try session.alter(.createTable(Self.first))
            try session.insert(Self.first, [[.integer(1), .text("x")], [.integer(2), .text("y")]])
            try session.alter(.createIndex(IndexDefinition(table: "t", columns: ["a"])))
            try session.alter(.createIndex(IndexDefinition(table: "t", columns: ["a"])))
            try session.alter(.createIndex(IndexDefinition(table: "t", columns: ["a"], isUnique: true)))
            try session.alter(.createIndex(IndexDefinition(table: "t", columns: ["a"])))
            let indexes = try #require(try session.table(named: "t")).indexes
            #expect(indexes.count == 1 && indexes[0].definition.isUnique)
            #expect(code { try session.insert(Self.first, [[.integer(3), .text("x")]]) } == .unique)
            try session.alter(.dropIndex(table: "t", columns: ["a"]))
            try session.insert(Self.first, [[.integer(3), .text("x")]])
            #expect(code { try session.alter(.dropIndex(table: "t", columns: ["a"])) } == .noIndex)
            #expect(
                code {
                    try session.alter(.createIndex(IndexDefinition(table: "t", columns: ["a"], isUnique: true)))
                } == .unique)
        }
        #expect(try engine.verify(progress: nil) == [])
    }
}
