import Siltstone
import TableKit
import Testing

@testable import SiltstoneTables

/// The greatest number of a key.
struct RowNumberTests {
    private static func table(_ type: ColumnType) -> TableStructure {
        TableStructure(name: "t", columns: [Column("id", type), Column("name", .string)], primaryKey: [0])
    }

    private static func row(_ id: Int64?, _ name: String = "") -> [[ColumnValue]] {
        [[id.map(ColumnValue.integer) ?? .null, .text(name)]]
    }

    private static let types: [(ColumnType, Int64)] = [(.int64, .max), (.uint64, .max), (.int8, 127)]

    @Test("the greatest number, rolled back, leaves the others to rows, also after a delete", arguments: types)
    func rolledBack(type: ColumnType, greatest: Int64) throws {
        let (store, engine) = try makeEngine()
        let table = Self.table(type)
        try engine.change { try $0.alter(.createTable(table)) }
        let session = try engine.begin(.serial)
        try session.insert(table, Self.row(greatest))
        #expect(code { try session.insert(table, Self.row(nil)) } == .argument)
        session.rollback()
        try engine.change { session in
            #expect(try session.insert(table, Self.row(nil)).lastInsertID == 1)
            #expect(try session.insert(table, Self.row(nil)).lastInsertID == 2)
            _ = try session.delete(DeleteStatement(table))
        }
        let other = try SiltstoneEngine(store, nil, durability: nil)
        #expect(try other.change { try $0.insert(table, Self.row(nil)).lastInsertID } == 3)
    }

    @Test("a committed row with the greatest number ends the numbers for good, and is not replaced", arguments: types)
    func stored(type: ColumnType, greatest: Int64) throws {
        let (store, engine) = try makeEngine()
        let table = Self.table(type)
        try engine.change { session in
            try session.alter(.createTable(table))
            try session.insert(table, Self.row(greatest, "last"))
            try session.insert(table, Self.row(5, "first"))
        }
        func check(_ engine: any TableEngine, end: (any TableSession) throws -> Void) throws {
            let session = try engine.begin(.serial)
            #expect(code { try session.insert(table, Self.row(nil)) } == .argument)
            #expect(code { try session.insert(table, Self.row(greatest, "again")) } == .unique)
            #expect(code { try session.insert(table, Self.row(5, "again")) } == .unique)
            #expect(try session.all(table) == Self.row(5, "first") + Self.row(greatest, "last"))
            let match = TableKit.Predicate.compare(ColumnReference(column: 0), .equal, .integer(greatest))
            _ = try session.delete(DeleteStatement(table, predicate: match))
            #expect(code { try session.insert(table, Self.row(nil)) } == .argument)
            try end(session)
        }
        try check(engine) { $0.rollback() }
        try check(try SiltstoneEngine(store, nil, durability: nil)) { $0.rollback() }
        try check(engine) { try $0.commit() }
        for engine in [engine, try SiltstoneEngine(store, nil, durability: nil)] as [any TableEngine] {
            let session = try engine.begin(.serial)
            #expect(code { try session.insert(table, Self.row(nil)) } == .argument)
            session.rollback()
        }
    }

    @Test(
        "the greatest number, deleted or changed in its transaction, leaves the numbers behind its statement's others",
        arguments: types, [true, false])
    func besideOthers(type: (ColumnType, Int64), isDeleted: Bool) throws {
        let (store, engine) = try makeEngine()
        let table = Self.table(type.0)
        let match = TableKit.Predicate.compare(ColumnReference(column: 0), .equal, .integer(type.1))
        try engine.change { session in
            try session.alter(.createTable(table))
            try session.alter(.createIndex(IndexDefinition(table: "t", columns: ["name"])))
        }
        try engine.change { session in
            try session.insert(table, Self.row(7, "a") + Self.row(type.1, "last") + Self.row(3, "b"))
            if isDeleted {
                _ = try session.delete(DeleteStatement(table, predicate: match))
            } else {
                let row = try table.rows([[.integer(0), .text("")]])
                _ = try session.update(UpdateStatement(table, columns: [0], row: row, predicate: match))
            }
        }
        for engine in [engine, try SiltstoneEngine(store, nil, durability: nil)] as [any TableEngine] {
            let session = try engine.begin(.serial)
            #expect(try session.insert(table, Self.row(nil, "next")).lastInsertID == 8)
            let rows = Self.row(3, "b") + Self.row(7, "a") + Self.row(8, "next")
            #expect(try session.all(table) == (isDeleted ? [] : Self.row(0, "last")) + rows)
            session.rollback()
        }
        try engine.change { _ = try $0.insert(table, Self.row(nil, "next")) }
        #expect(try engine.verify(progress: nil) == [])
    }

    @Test("the last number of an insert is that of the last row that it stored, and none if the key is no Int64")
    func lastInserted() throws {
        let (_, engine) = try makeEngine()
        let table = Self.table(.uint64)
        let keyless = TableStructure(name: "k", columns: [Column("name", .string)], primaryKey: [])
        try engine.change { session in
            try session.alter(.createTable(table))
            try session.alter(.createTable(keyless))
            try session.insert(table, Self.row(5))
            #expect(try session.insert(table, Self.row(5), onConflict: .ignore).lastInsertID == nil)
            #expect(try session.insert(table, Self.row(7) + Self.row(5), onConflict: .ignore).lastInsertID == 7)
            #expect(try session.insert(table, Self.row(9) + Self.row(5), onConflict: .replace).lastInsertID == 5)
            #expect(try session.insert(table, Self.row(11) + [[.unsigned(.max), .text("")]]).lastInsertID == nil)
            #expect(try session.insert(keyless, [[.text("a")], [.text("b")]]).lastInsertID == 2)
        }
    }

    @Test("rows beside a transaction with the greatest number get theirs, and both commit")
    func concurrent() throws {
        let (_, engine) = try makeEngine()
        let table = Self.table(.int64)
        try engine.change { try $0.alter(.createTable(table)) }
        let open = try engine.begin(.concurrent(retries: 0))
        try open.insert(table, Self.row(.max))
        #expect(try engine.change { try $0.insert(table, Self.row(nil)).lastInsertID } == 1)
        try open.commit()
        let session = try engine.beginRead()
        defer { session.rollback() }
        #expect(try session.all(table) == Self.row(1) + Self.row(.max))
    }
}
