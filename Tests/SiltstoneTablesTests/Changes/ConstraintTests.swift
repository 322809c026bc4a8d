import Siltstone
import SiltstoneTesting
import TableKit
import Testing

@testable import SiltstoneTables

/// The code of the error that a body throws; nil where it throws none.
func code(_ body: () throws -> Void) -> TableErrorCode? {
    do {
        try body()
        return nil
    } catch { return (error as? any TableError)?.code }
}

/// Changes of rows and their constraints.
struct ConstraintTests {
    private static let people = TableStructure(
        name: "people",
        columns: [
            Column("id", .int64), Column("name", .string),
            Column("age", .int32, isOptional: true, defaultValue: .integer(7)),
        ], primaryKey: [0])

    private static func children(_ onDelete: ForeignKeyAction, _ onUpdate: ForeignKeyAction = .ignore) -> TableStructure
    {
        TableStructure(
            name: "children",
            columns: [
                Column("id", .int64),
                Column(
                    "parent", .int64, isOptional: true, defaultValue: .integer(1),
                    foreignKey: ForeignKeyReference(table: "people", onDelete: onDelete, onUpdate: onUpdate)),
            ], primaryKey: [0])
    }

    private static let nodes = TableStructure(
        name: "nodes",
        columns: [
            Column("id", .int64),
            Column(
                "parent", .int64, isOptional: true,
                foreignKey: ForeignKeyReference(table: "nodes", onDelete: .cascade, onUpdate: .cascade)),
        ], primaryKey: [0])

    private func person(_ id: Int64?, _ name: String, _ age: Int64? = nil) -> [ColumnValue] {
        [id.map(ColumnValue.integer) ?? .null, .text(name), age.map(ColumnValue.integer) ?? .null]
    }

    private func equals(_ column: Int, _ value: Int64) -> TableKit.Predicate {
        .compare(ColumnReference(column: column), .equal, .integer(value))
    }

    private func withTables<R>(
        _ structures: TableStructure..., body: (any TableSession) throws -> R
    ) throws -> R {
        let (store, engine) = try makeEngine()
        let result = try engine.change { session in
            for structure in structures { try session.alter(.createTable(structure)) }
            return try body(session)
        }
        #expect(try engine.verify(progress: nil).isEmpty)
        try store.close()
        return result
    }

    @Test("a row whose key exists is refused with table, column and key, and the statement changes nothing")
    func duplicateKey() throws {
        let table = Self.people
        try withTables(table) { session in
            try session.insert(table, [person(1, "a")])
            do {
                try session.insert(table, [person(2, "b"), person(1, "c")])
                Issue.record("no error")
            } catch let error as CRUDSQLExeError {
                #expect(error.code == .unique && error.table == "people" && error.column == "id" && error.key == "1")
            }
            #expect(try session.all(table).count == 1)
            try session.insert(table, [person(1, "c"), person(2, "b")], onConflict: .ignore)
            #expect(try session.all(table).map { $0[1] } == [.text("a"), .text("b")])
            let replaced = try session.insert(table, [person(1, "d"), person(3, "e")], onConflict: .replace)
            #expect(replaced.count == 2)
            #expect(try session.all(table).map { $0[1] } == [.text("d"), .text("b"), .text("e")])
        }
    }

    @Test("an integer key that is NULL takes the next number, and none is used twice")
    func rowNumbers() throws {
        let (store, engine) = try makeEngine()
        let table = Self.people
        try engine.change { session in
            try session.alter(.createTable(table))
            #expect(try session.insert(table, [person(nil, "a"), person(nil, "b")]).lastInsertID == 2)
            #expect(try session.insert(table, [person(10, "c"), person(nil, "d")]).lastInsertID == 11)
        }
        let session = try engine.begin(.serial)
        try session.insert(table, [person(nil, "e")])
        session.rollback()
        try engine.change { session in
            #expect(try session.insert(table, [person(nil, "f")]).lastInsertID == 13)
            _ = try session.delete(DeleteStatement(table, predicate: equals(0, 13)))
        }
        // Another engine knows what the store holds, and no more.
        let other = try SiltstoneEngine(store, nil, durability: nil)
        try other.change { session in
            #expect(try session.insert(table, [person(nil, "g")]).lastInsertID == 14)
            _ = try session.delete(DeleteStatement(table))
            #expect(try session.insert(table, [person(nil, "h")]).lastInsertID == 15)
        }
    }

    @Test("a number that a row was given is taken for the rows behind it, also in the same statement")
    func drawnNumbers() throws {
        try withTables(Self.people) { session in
            try session.insert(Self.people, [person(4, "d")])
            // The first row is given 5; the second one brings it along.
            #expect(code { try session.insert(Self.people, [person(nil, "e"), person(5, "f")]) } == .unique)
            #expect(try session.all(Self.people).map { $0[0] } == [.integer(4)])
            try session.insert(Self.people, [person(nil, "g"), person(9, "h"), person(nil, "i"), person(11, "j")])
            let found = try session.all(Self.people)
            #expect(found.map { $0[0] } == [4, 6, 9, 10, 11].map(ColumnValue.integer))
            #expect(code { try session.insert(Self.people, [person(20, "k"), person(20, "l")]) } == .unique)
            #expect(
                code { try session.insert(Self.people, [person(12, "m"), person(nil, "n"), person(13, "o")]) }
                    == .unique)
        }
    }

    @Test("a statement that changes more rows than it holds in memory meets each of them once")
    func manyRows() throws {
        let table = Self.people
        let name = String(repeating: "n", count: 4_000)
        try withTables(table) { session in
            try session.alter(.createIndex(IndexDefinition(table: table.name, columns: ["age"])))
            try session.insert(table, (0..<600).map { person(Int64($0), name, Int64($0 % 10)) })
            // The rows move forward in the index through which they are found.
            let younger = TableKit.Predicate.compare(ColumnReference(column: 2), .less, .integer(9))
            let old = try table.rows([person(0, "", 9)])
            #expect(try session.update(UpdateStatement(table, columns: [2], row: old, predicate: younger)).count == 540)
            #expect(try session.all(table, where: equals(2, 9)).count == 600)
            #expect(try session.delete(DeleteStatement(table, predicate: equals(2, 9))).count == 600)
            #expect(try session.all(table).isEmpty)
        }
    }

    @Test("columns that an insert leaves out take their default, or NULL")
    func defaults() throws {
        let table = Self.people
        try withTables(table) { session in
            let rows = try table.rows([person(1, "a", 5)])
            _ = try session.insert(InsertStatement(table, columns: [0, 1], rows: rows))
            #expect(try session.all(table) == [[.integer(1), .text("a"), .integer(7)]])
            #expect(code { _ = try session.insert(InsertStatement(table, columns: [0], rows: rows)) } == .notNull)
            // A row that is passed over must be sound, too.
            var ignoring = InsertStatement(table, columns: [0], rows: rows)
            ignoring.onConflict = .ignore
            #expect(code { _ = try session.insert(ignoring) } == .notNull)
            let other = try table.rows([person(2, "a", 5)])
            #expect(code { _ = try session.insert(InsertStatement(table, columns: [0], rows: other)) } == .notNull)
        }
    }

    @Test("an update that violates a constraint changes nothing; one that does not changes rows and entries")
    func updates() throws {
        let table = Self.people
        try withTables(table) { session in
            try session.alter(.createIndex(IndexDefinition(table: "people", columns: ["age"], isUnique: true)))
            try session.insert(table, [person(1, "a", 1), person(2, "b", 2), person(3, "c")])
            func update(_ columns: [Int], _ row: [ColumnValue], _ predicate: TableKit.Predicate?) throws -> Int {
                var statement = UpdateStatement(
                    table, columns: columns, row: try table.rows([row]), predicate: predicate)
                statement.isReturning = true
                let result = try session.update(statement)
                #expect(result.rows.count == result.count)
                return result.count
            }
            #expect(code { _ = try update([2], person(0, "", 9), nil) } == .unique)
            #expect(code { _ = try update([0], person(2, ""), equals(0, 1)) } == .unique)
            #expect(try update([2], person(0, "", 9), equals(2, 1)) == 1)
            #expect(try session.all(table, where: equals(2, 9)).map { $0[0] } == [.integer(1)])
            #expect(try session.all(table, where: equals(2, 1)).isEmpty)
            #expect(try update([0], person(8, ""), equals(0, 2)) == 1)
            #expect(try session.all(table).map { $0[0] } == [.integer(1), .integer(3), .integer(8)])
            #expect(try update([2], person(0, ""), nil) == 3)
            #expect(try session.all(table).allSatisfy { $0[2].isNull })
        }
    }

    @Test("a row that refers to nothing is refused; one that refers to a row of the same statement is not")
    func references() throws {
        let children = Self.children(.ignore)
        try withTables(Self.people, children, Self.nodes) { session in
            #expect(code { try session.insert(children, [[.integer(1), .integer(5)]]) } == .foreignKey)
            try session.insert(children, [[.integer(1), .null]])
            try session.insert(Self.people, [person(5, "a")])
            try session.insert(children, [[.integer(2), .integer(5)]])
            try session.insert(Self.nodes, [[.integer(2), .integer(1)], [.integer(1), .integer(1)]])
            #expect(code { try session.insert(Self.nodes, [[.integer(3), .integer(4)]]) } == .foreignKey)
        }
    }

    @Test(
        "each action does what it says when the row that is referred to goes",
        arguments: [ForeignKeyAction.ignore, .restrict, .setNull, .setDefault, .cascade])
    func deletes(action: ForeignKeyAction) throws {
        let children = Self.children(action)
        try withTables(Self.people, children) { session in
            try session.insert(Self.people, [person(1, "a"), person(2, "b")])
            try session.insert(children, [[.integer(10), .integer(2)], [.integer(11), .integer(1)]])
            let failure = code {
                _ = try session.delete(DeleteStatement(Self.people, predicate: equals(0, 2)))
            }
            let rows = try session.all(children)
            switch action {
            case .ignore, .restrict: #expect(failure == .foreignKey && rows[0][1] == .integer(2))
            case .setNull: #expect(failure == nil && rows[0][1] == .null)
            case .setDefault: #expect(failure == nil && rows[0][1] == .integer(1))
            case .cascade: #expect(failure == nil && rows == [[.integer(11), .integer(1)]])
            }
            let parents = try session.all(Self.people).count
            #expect(parents == (failure == nil ? 1 : 2))
        }
    }

    @Test(
        "each action does what it says when the key that is referred to changes",
        arguments: [ForeignKeyAction.ignore, .restrict, .setNull, .setDefault, .cascade])
    func keyChanges(action: ForeignKeyAction) throws {
        let children = Self.children(.ignore, action)
        try withTables(Self.people, children) { session in
            try session.insert(Self.people, [person(1, "a"), person(2, "b")])
            try session.insert(children, [[.integer(10), .integer(2)], [.integer(11), .integer(1)]])
            let failure = code {
                let row = try Self.people.rows([person(9, "")])
                _ = try session.update(
                    UpdateStatement(Self.people, columns: [0], row: row, predicate: equals(0, 2)))
            }
            let value = try session.all(children)[0][1]
            switch action {
            case .ignore, .restrict: #expect(failure == .foreignKey && value == .integer(2))
            case .setNull: #expect(failure == nil && value == .null)
            case .setDefault: #expect(failure == nil && value == .integer(1))
            case .cascade: #expect(failure == nil && value == .integer(9))
            }
        }
    }

    /// A table of two columns that refer to people.
    private static func pairs(
        key: [Int], _ first: ForeignKeyAction, _ second: ForeignKeyAction, isOptional: Bool = false
    ) -> TableStructure {
        func column(_ name: String, _ action: ForeignKeyAction, isOptional: Bool) -> Column {
            Column(
                name, .int64, isOptional: isOptional, defaultValue: .integer(3),
                foreignKey: ForeignKeyReference(table: "people", onDelete: action, onUpdate: action))
        }
        return TableStructure(
            name: "pairs",
            columns: [
                column("b", first, isOptional: isOptional), column("a", second, isOptional: false),
            ], primaryKey: key)
    }

    @Test(
        "a row that refers to a key by two columns follows by both, also if the first change moves the row",
        arguments: [[0, 1], [1, 0], [0], [1], []])
    func twoReferences(key: [Int]) throws {
        let pairs = Self.pairs(key: key, .cascade, .cascade)
        try withTables(Self.people, pairs) { session in
            try session.insert(Self.people, [person(1, "a"), person(3, "c")])
            try session.insert(pairs, [[.integer(1), .integer(1)], [.integer(3), .integer(3)]])
            let row = try Self.people.rows([person(2, "")])
            _ = try session.update(UpdateStatement(Self.people, columns: [0], row: row, predicate: equals(0, 1)))
            #expect(try Set(session.all(pairs)) == [[.integer(2), .integer(2)], [.integer(3), .integer(3)]])
            _ = try session.delete(DeleteStatement(Self.people, predicate: equals(0, 2)))
            #expect(try session.all(pairs) == [[.integer(3), .integer(3)]])
        }
    }

    @Test("a row whose key takes its default when a row goes also follows by its other column")
    func defaultKeyAndOther() throws {
        for (action, left) in [(ForeignKeyAction.cascade, []), (.setNull, [[.null, .integer(3)]])]
            as [(ForeignKeyAction, [[ColumnValue]])]
        {
            let pairs = Self.pairs(key: [1], action, .setDefault, isOptional: true)
            try withTables(Self.people, pairs) { session in
                try session.insert(Self.people, [person(1, "a"), person(3, "c")])
                try session.insert(pairs, [[.integer(1), .integer(1)]])
                _ = try session.delete(DeleteStatement(Self.people, predicate: equals(0, 1)))
                #expect(try session.all(pairs) == left)
            }
        }
    }

    @Test("a chain of 1,000 references is deleted as a whole, a longer one is refused, and a ring comes to an end")
    func cascades() throws {
        let table = Self.nodes
        try withTables(table) { session in
            func chain(_ count: Int64) -> [[ColumnValue]] {
                (1...count).map { [.integer($0), $0 == 1 ? .null : .integer($0 - 1)] }
            }
            let first = DeleteStatement(table, predicate: equals(0, 1))
            try session.insert(table, chain(1_001))
            #expect(try session.delete(first).count == 1)
            #expect(try session.all(table).isEmpty)
            try session.insert(table, chain(1_002))
            #expect(code { _ = try session.delete(first) } == .foreignKey)
            #expect(try session.all(table).count == 1_002)
            _ = try session.delete(DeleteStatement(table))
            #expect(try session.all(table).isEmpty)
            try session.insert(table, [[.integer(1), .integer(2)], [.integer(2), .integer(1)]])
            _ = try session.delete(first)
            #expect(try session.all(table).isEmpty)
        }
    }

    @Test("a table whose rows are referred to is not dropped; with its children gone it is, and takes its rows along")
    func drops() throws {
        let children = Self.children(.ignore)
        let (store, engine) = try makeEngine()
        try engine.change { session in
            try session.alter(.createTable(Self.people))
            try session.alter(.createTable(children))
            try session.insert(Self.people, [person(1, "a")])
            try session.insert(children, [[.integer(1), .integer(1)]])
            #expect(code { try session.alter(.dropTable("people")) } == .foreignKey)
            try session.alter(.dropTable("children"))
            try session.alter(.dropTable("people"))
            #expect(try session.tables().isEmpty)
            #expect(code { _ = try session.all(children) } == .noTable)
        }
        #expect(try store.count(prefix: [0xFE, 1]) == 0)
    }
}
