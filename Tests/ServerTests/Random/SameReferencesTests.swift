#if PostgreSQL || MySQL || SQLite
import Foundation
import SiltstoneTesting
import TableKit
import TableSQL
import Testing
import TestServers

@testable import SiltTool

#if PostgreSQL
@testable import PostgresTables
#endif

/// Foreign keys and repeated keys, which every database must treat as Siltstone does.
struct SameReferencesTests {
    /// Runs `body` with two engines on one empty database.
    private func withDatabase(
        _ target: MoveTarget, _ body: @escaping @Sendable (any TableEngine, any TableEngine) throws -> Void
    ) async throws {
        try await target.withDatabase { first, place in
            let second = try MovePlace(place).open(isTarget: true)
            defer { try? second.close() }
            try body(first, second.engine)
        }
    }

    private static func insert(
        _ table: TableStructure, _ rows: [[Int?]], _ conflict: InsertStatement.Conflict = .fail
    ) throws -> InsertStatement {
        var insert = InsertStatement(table, rows: try RowBuffer(rows, of: table))
        insert.onConflict = conflict
        return insert
    }

    private static func numbers(_ value: ColumnValue) -> Int? {
        if case .integer(let number) = value { Int(number) } else { nil }
    }

    private static func returned(_ result: ChangeResult) throws -> [[Int?]] {
        guard let shape = result.shape else { return [] }
        return try (0..<result.rows.count).map { try result.rows.values(ofRow: $0, shape).map(numbers) }
    }

    /// The rows of a table, in the order of the first column.
    private static func rows(_ table: TableStructure, _ engine: any TableEngine) throws -> [[Int?]] {
        var query = Query(table)
        query.order = [OrderTerm(column: 0)]
        return try engine.reading { [query] in try $0.rows(of: query) }.map { $0.values.map(numbers) }
    }

    private static func table(
        _ name: String, _ column: String, isOptional: Bool = true, default value: ColumnValue? = nil,
        _ key: ForeignKeyReference? = nil
    ) -> TableStructure {
        TableStructure(
            name: name,
            columns: [
                Column("id", .int64),
                Column(column, .int64, isOptional: isOptional, defaultValue: value, foreignKey: key),
            ], primaryKey: [0])
    }

    private static let parent = TableStructure(name: "Parent", columns: [Column("id", .int64)], primaryKey: [0])
    private static let child = table("Child", "parent", ForeignKeyReference(table: "Parent"))

    // MARK: Foreign keys without a parent

    // SQLite itself refuses such rows, with another error.
    @Test(
        "a value is refused where the table that it refers to does not exist; NULL is not",
        arguments: MoveTarget.available.filter { $0 != .sqlite })
    func missingParent(target: MoveTarget) async throws {
        try await withDatabase(target) { engine, other in
            try engine.change { try $0.alter(.createTable(Self.child)) }
            let fine = try Self.insert(Self.child, [[1, nil], [2, nil]])
            try engine.change { _ = try $0.insert(fine) }
            let refused = [
                try Self.insert(Self.child, [[3, 7]]), try Self.insert(Self.child, [[3, nil], [4, 7]]),
                try Self.insert(Self.child, [[1, 7]], .replace), try Self.insert(Self.child, [[1, 7]], .ignore),
            ]
            for insert in refused {
                let error = #expect(throws: CRUDSQLExeError.self) {
                    try engine.change { _ = try $0.insert(insert) }
                }
                #expect(error?.code == .foreignKey && error?.table == "Child" && error?.column == "parent")
            }
            func update(_ value: Int?, of id: Int64) throws -> UpdateStatement {
                UpdateStatement(
                    Self.child, columns: [1], row: try RowBuffer([[0, value]], of: Self.child),
                    predicate: .compare(ColumnReference(column: 0), .equal, .integer(id)))
            }
            let (change, none, null) = (try update(7, of: 1), try update(7, of: 99), try update(nil, of: 1))
            let error = #expect(throws: CRUDSQLExeError.self) { try engine.change { _ = try $0.update(change) } }
            #expect(error?.code == .foreignKey)
            let counts = try engine.change { [try $0.update(none).count, try $0.update(null).count] }
            #expect(counts == [0, 1])
            let stored = try Self.rows(Self.child, engine)
            #expect(stored == [[1, nil], [2, nil]])

            // Another program creates the table. The engine that has refused values finds it.
            let parents = try Self.insert(Self.parent, [[7]])
            try other.change { try $0.alter(.createTable(Self.parent)) }
            try other.change { _ = try $0.insert(parents) }
            let (late, dangling) = (try Self.insert(Self.child, [[3, 7]]), try Self.insert(Self.child, [[4, 8]]))
            try engine.change { _ = try $0.insert(late) }
            let last = #expect(throws: CRUDSQLExeError.self) { try engine.change { _ = try $0.insert(dangling) } }
            #expect(last?.code == .foreignKey)
        }
    }

    @Test(
        "a value is refused where the key that it refers to is not one column, also if it is a default",
        arguments: MoveTarget.available.filter { $0 != .sqlite })
    func wideParent(target: MoveTarget) async throws {
        let pair = TableStructure(
            name: "Pair", columns: [Column("a", .int64), Column("b", .int64)], primaryKey: [0, 1])
        let child = Self.table("Child", "pair", default: .integer(7), ForeignKeyReference(table: "Pair"))
        try await withDatabase(target) { engine, _ in
            for table in [pair, child] { try engine.change { try $0.alter(.createTable(table)) } }
            let refused = try Self.insert(child, [[1, 7]])
            let short = InsertStatement(child, columns: [0], rows: try RowBuffer([[1, nil]], of: child))
            for insert in [refused, short] {
                let error = #expect(throws: CRUDSQLExeError.self) {
                    try engine.change { _ = try $0.insert(insert) }
                }
                #expect(error?.code == .foreignKey && error?.column == "pair")
            }
            let fine = try Self.insert(child, [[1, nil]])
            let count = try engine.change { try $0.insert(fine).count }
            #expect(count == 1)
        }
    }

    #if PostgreSQL
    @Test(
        "a foreign key goes on when another program renames its table, and is not taken for a missing one",
        .enabled(if: PostgresServer.programs != nil, Comment(rawValue: PostgresServer.absence)))
    func renamedParent() async throws {
        try await onThread {
            try PostgresServer.withDatabase { database, connection in
                let engine = database.engine
                let (parents, children) = (try Self.insert(Self.parent, [[7]]), try Self.insert(Self.child, [[1, 7]]))
                for table in [Self.parent, Self.child] { try engine.change { try $0.alter(.createTable(table)) } }
                try engine.change { _ = try $0.insert(parents) }
                try connection.run("ALTER TABLE \"Parent\" RENAME TO \"Elder\"")
                // The engine reads the catalogue anew after its own change of the schema.
                try engine.change { try $0.alter(.createTable(Self.table("Other", "mark"))) }
                try engine.change { _ = try $0.insert(children) }
                let stored = try Self.rows(Self.child, engine)
                #expect(stored == [[1, 7]])
            }
        }
    }
    #endif

    // MARK: Deletes

    @Test(
        "a delete counts and returns all matching rows as they were, also those that a cascade reaches first",
        arguments: MoveTarget.available, [ForeignKeyAction.cascade, .setNull])
    func ownCascade(target: MoveTarget, action: ForeignKeyAction) async throws {
        let nodes = Self.table("Node", "up", ForeignKeyReference(table: "Node", onDelete: action))
        try await withDatabase(target) { engine, _ in
            try engine.change { try $0.alter(.createTable(nodes)) }
            let all = try Self.insert(nodes, [[1, nil], [2, 1], [3, 2], [4, nil]])
            var delete = DeleteStatement(
                nodes, predicate: .compare(ColumnReference(column: 0), .less, .integer(4)))
            for isReturning in [false, true] {
                delete.isReturning = isReturning
                try engine.change { _ = try $0.insert(all) }
                let result = try engine.change { [delete] in try $0.delete(delete) }
                #expect(result.count == 3)
                let returned = try Self.returned(result)
                #expect(returned == (isReturning ? [[1, nil], [2, 1], [3, 2]] : []))
                let rest = try Self.rows(nodes, engine)
                #expect(rest == [[4, nil]])
                try engine.change { _ = try $0.delete(DeleteStatement(nodes)) }
            }
            try engine.change { _ = try $0.insert(all) }
            let whole = try engine.change { try $0.delete(DeleteStatement(nodes)).count }
            #expect(whole == 4)
        }
    }

    @Test(
        "a delete, or a drop, sets defaults also of rows that refer to rows of its cascade",
        arguments: MoveTarget.available)
    func defaultsBehindCascade(target: MoveTarget) async throws {
        let top = TableStructure(name: "Top", columns: [Column("id", .int64)], primaryKey: [0])
        let middle = Self.table("Middle", "top", ForeignKeyReference(table: "Top", onDelete: .cascade))
        let last = Self.table(
            "Last", "middle", isOptional: false, default: .integer(9),
            ForeignKeyReference(table: "Middle", onDelete: .setDefault))
        try await withDatabase(target) { engine, _ in
            for (table, rows) in [
                (top, [[1], [2]]), (middle, [[1, 1], [2, 2], [9, nil]]), (last, [[1, 1], [2, 2]]),
            ] as [(TableStructure, [[Int?]])] {
                let insert = try Self.insert(table, rows)
                try engine.change { try $0.alter(.createTable(table)) }
                try engine.change { _ = try $0.insert(insert) }
            }
            let delete = DeleteStatement(top, predicate: .compare(ColumnReference(column: 0), .equal, .integer(1)))
            let count = try engine.change { try $0.delete(delete).count }
            let deleted = try Self.rows(last, engine)
            #expect(count == 1 && deleted == [[1, 9], [2, 2]])
            try engine.change { try $0.alter(.dropTable("Top")) }
            let (middles, dropped) = (try Self.rows(middle, engine), try Self.rows(last, engine))
            #expect(middles == [[9, nil]] && dropped == [[1, 9], [2, 9]])
        }
    }

    // MARK: Keys

    @Test("an upsert stores each row of a repeated key, in order", arguments: MoveTarget.available)
    func repeatedKeys(target: MoveTarget) async throws {
        let table = Self.table("U", "mark", isOptional: false)
        try await withDatabase(target) { engine, _ in
            try engine.change { try $0.alter(.createTable(table)) }
            var upsert = try Self.insert(table, [[1, 1], [1, 2], [2, 3], [1, 4]], .replace)
            upsert.isReturning = true
            let result = try engine.change { [upsert] in try $0.insert(upsert) }
            let returned = try Self.returned(result)
            #expect(result.count == 4 && result.lastInsertID == 1)
            #expect(returned == [[1, 1], [1, 2], [2, 3], [1, 4]])
            let refused = try Self.insert(table, [[3, nil], [3, 5]], .replace)
            let error = #expect(throws: CRUDSQLExeError.self) { try engine.change { _ = try $0.insert(refused) } }
            #expect(error?.code == .notNull)
            let stored = try Self.rows(table, engine)
            #expect(stored == [[1, 4], [2, 3]])
        }
    }

    @Test("a row that is ignored because of its key must be valid", arguments: MoveTarget.available)
    func ignoredRow(target: MoveTarget) async throws {
        let table = Self.table("U", "mark", isOptional: false)
        try await withDatabase(target) { engine, _ in
            try engine.change { try $0.alter(.createTable(table)) }
            let rows = try Self.insert(table, [[1, 1]])
            try engine.change { _ = try $0.insert(rows) }
            let refused = try Self.insert(table, [[2, 2], [1, nil]], .ignore)
            let error = #expect(throws: CRUDSQLExeError.self) { try engine.change { _ = try $0.insert(refused) } }
            #expect(error?.code == .notNull)
            let valid = try Self.insert(table, [[1, 5], [3, 3]], .ignore)
            let count = try engine.change { try $0.insert(valid).count }
            let stored = try Self.rows(table, engine)
            #expect(count == 1 && stored == [[1, 1], [3, 3]])
        }
    }

    // MARK: Foreign keys that a server lacks

    @Test(
        "PostgreSQL refuses a UInt64 that refers to a smaller key; a smaller column may refer to a UInt64",
        arguments: MoveTarget.available.filter { $0 == .postgres })
    func unsignedReference(target: MoveTarget) async throws {
        func child(_ type: ColumnType, of parent: String) -> TableStructure {
            TableStructure(
                name: "Child",
                columns: [
                    Column("id", .int64), Column("parent", type, foreignKey: ForeignKeyReference(table: parent)),
                ], primaryKey: [0])
        }
        let wide = TableStructure(name: "Wide", columns: [Column("id", .uint64)], primaryKey: [0])
        let (refused, accepted) = (child(.uint64, of: "Parent"), child(.int64, of: "Wide"))
        try await withDatabase(target) { engine, _ in
            for table in [Self.parent, wide] { try engine.change { try $0.alter(.createTable(table)) } }
            let error = #expect(throws: CRUDSQLExeError.self) {
                try engine.change { try $0.alter(.createTable(refused)) }
            }
            #expect(error?.code == .unsupported && error?.column == "parent")
            try engine.change { try $0.alter(.createTable(accepted)) }
        }
    }

    @Test(
        "MariaDB refuses SET NULL in a column that cannot be NULL",
        arguments: MoveTarget.available.filter { $0 == .mysql })
    func setNull(target: MoveTarget) async throws {
        let child = Self.table(
            "Child", "parent", isOptional: false, ForeignKeyReference(table: "Parent", onDelete: .setNull))
        try await withDatabase(target) { engine, _ in
            try engine.change { try $0.alter(.createTable(Self.parent)) }
            let error = #expect(throws: CRUDSQLExeError.self) {
                try engine.change { try $0.alter(.createTable(child)) }
            }
            #expect(error?.code == .unsupported && error?.column == "parent")
        }
    }
}
#endif
