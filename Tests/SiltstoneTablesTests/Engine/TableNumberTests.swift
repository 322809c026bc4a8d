import Siltstone
import TableKit
import Testing

@testable import SiltstoneTables

/// A concurrent transaction that will conflict at its end still creates tables beside others until then.
struct TableNumberTests {
    private static let keyless = TableStructure(name: "keyless", columns: [Column("name", .string)], primaryKey: [])
    private static let keyed = TableStructure(
        name: "keyed", columns: [Column("id", .int64), Column("name", .string)], primaryKey: [0])
    private static let other = TableStructure(name: "other", columns: [Column("id", .int64)], primaryKey: [0])

    private static func name(_ names: String...) -> [[ColumnValue]] { names.map { [.text($0)] } }

    @Test("rows of a table without a key stay, though another transaction creates a table between their inserts")
    func rowNumbers() throws {
        let (_, engine) = try makeEngine()
        let late = try engine.begin(.concurrent(retries: 0))
        let early = try engine.begin(.serial)
        try early.alter(.createTable(Self.keyless))
        try early.alter(.createIndex(IndexDefinition(table: "keyless", columns: ["name"])))
        try early.insert(Self.keyless, Self.name("a", "b", "c"))
        try late.alter(.createTable(Self.other))
        try late.insert(Self.other, [[.integer(50)]])
        try early.insert(Self.keyless, Self.name("d"))
        #expect(try early.all(Self.keyless) == Self.name("a", "b", "c", "d"))
        try early.commit()
        #expect(code { try late.commit() } == .conflict)
        #expect(try engine.verify(progress: nil) == [])
        let session = try engine.beginRead()
        defer { session.rollback() }
        #expect(try session.count(Query(Self.keyless)) == 4)
    }

    @Test("a key is unique, and the next number is free, though another transaction creates a table between inserts")
    func keys() throws {
        let (_, engine) = try makeEngine()
        let late = try engine.begin(.concurrent(retries: 0))
        let early = try engine.begin(.serial)
        try early.alter(.createTable(Self.keyed))
        try early.insert(Self.keyed, (1...3).map { [.integer($0), .text("first")] })
        try late.alter(.createTable(Self.other))
        #expect(code { try early.insert(Self.keyed, [[.integer(2), .text("second")]]) } == .unique)
        #expect(try early.insert(Self.keyed, [[.null, .text("first")]]).lastInsertID == 4)
        try early.commit()
        late.rollback()
        let session = try engine.beginRead()
        defer { session.rollback() }
        #expect(try session.all(Self.keyed) == (1...4).map { [.integer($0), .text("first")] })
    }

    @Test("a transaction older than a table creates another one while a third inserts, and no row is lost")
    func olderTransaction() throws {
        let (_, engine) = try makeEngine()
        let late = try engine.begin(.concurrent(retries: 0))
        try engine.change { session in
            try session.alter(.createTable(Self.keyless))
            try session.insert(Self.keyless, Self.name("a"))
        }
        let early = try engine.begin(.serial)
        try early.insert(Self.keyless, Self.name("b"))
        try late.alter(.createTable(Self.other))
        try early.insert(Self.keyless, Self.name("c"))
        try early.commit()
        late.rollback()
        let session = try engine.beginRead()
        defer { session.rollback() }
        #expect(try session.all(Self.keyless) == Self.name("a", "b", "c"))
    }

    @Test("a table whose creation was rolled back, as a whole or to a savepoint, leaves nothing to the next one")
    func rolledBack() throws {
        let (_, engine) = try makeEngine()
        let session = try engine.begin(.serial)
        try session.alter(.createTable(Self.keyed))
        try session.insert(Self.keyed, [[.integer(100), .text("x")]])
        session.rollback()
        try engine.change { session in
            let savepoint = try session.savepoint()
            try session.alter(.createTable(Self.keyed))
            try session.insert(Self.keyed, [[.integer(200), .text("y")]])
            _ = try session.delete(DeleteStatement(Self.keyed))
            try session.rollback(to: savepoint)
            try session.alter(.createTable(Self.keyed))
            #expect(try session.insert(Self.keyed, [[.null, .text("z")]]).lastInsertID == 1)
        }
        let reading = try engine.beginRead()
        defer { reading.rollback() }
        #expect(try reading.count(Query(Self.keyed)) == 1)
    }
}
