import Foundation
import SiltstoneTesting
import Testing

@testable import TableKit

private enum Old {
    struct Person: Codable {
        let id: Int
        let name: String
        let shoe: Int?
    }
}

private struct Person: Codable {
    let id: Int
    let name: String
    let city: String?
    let pets: [Pet]?
}

private struct Pet: Codable {
    let id: Int
    let owner: Person2?
    let toys: [Toy]?
}

private struct Person2: Codable { let name: String }

private struct Toy: Codable {
    let code: String
    let petId: Int
}

/// Creating tables.
struct CreateTests {
    private func names(_ db: Database<ReferenceDatabaseConfiguration>) throws -> [String] {
        try db.tables().map(\.structure.name).sorted()
    }

    @Test("creates the tables of array properties, and theirs; a shallow one does not")
    func recursion() throws {
        let db = Database(configuration: ReferenceDatabaseConfiguration())
        try db.create(Person.self, policy: .shallow)
        #expect(try names(db) == ["Person"])
        try db.create(Person.self)
        #expect(try names(db) == ["Person", "Pet", "Toy"])
    }

    private struct Priced: Codable, Equatable {
        let id: Int
        let prices: [Decimal]?
        let times: [DateInterval]?
    }

    @Test(
        "an optional array of Foundation's values is a column, not a table", arguments: [TableCreatePolicy(), .shallow])
    func foundationValues(_ policy: TableCreatePolicy) throws {
        let db = Database(configuration: ReferenceDatabaseConfiguration())
        let interval = DateInterval(start: Date(timeIntervalSinceReferenceDate: 0.5), duration: 2)
        let items = [
            Priced(id: 1, prices: [1.5, 2], times: [interval]), Priced(id: 2, prices: nil, times: nil),
        ]
        try db.create(Priced.self, policy: policy).insert(items)
        #expect(try names(db) == ["Priced"])
        #expect(try db.table(Priced.self).order(by: \Priced.id).all() == items)
    }

    @Test("leaves a table that exists as it is, unless it is reconciled or dropped")
    func policies() throws {
        let db = Database(configuration: ReferenceDatabaseConfiguration())
        func columns() throws -> [String] {
            try db.tables().first { $0.structure.name == "Person" }?.structure.columns.map(\.name) ?? []
        }
        try db.create(Old.Person.self)
        try db.sql("INSERT INTO Person (id, name) VALUES (1, 'a')")
        try db.create(Person.self)
        #expect(try columns() == ["id", "name", "shoe"])
        try db.create(Person.self, policy: .reconcileTable)
        #expect(try columns() == ["id", "name", "city"])
        #expect(try db.table(Person.self).count() == 1)
        try db.create(Person.self, policy: [.dropTable, .reconcileTable])
        #expect(try db.table(Person.self).count() == 0)
    }

    @Test("a named key is the table's key, whatever was cached for the type")
    func namedKey() throws {
        let db = Database(configuration: ReferenceDatabaseConfiguration())
        _ = try TableStructure.of(Toy.self)
        try db.create(Toy.self, primaryKey: \.code)
        let structure = try #require(try db.tables().first).structure
        #expect(structure.primaryKey.map { structure.columns[$0].name } == ["code"])
    }

    @Test("an index is one of table and columns, and becomes unique when asked to")
    func indexes() throws {
        let db = Database(configuration: ReferenceDatabaseConfiguration())
        let toys = try db.create(Toy.self), people = try db.create(Person.self)
        try toys.index(\.petId)
        try people.index(\.name, \.city)
        try toys.index(unique: true, \.petId)
        let indexes = try db.tables().flatMap(\.indexes).map(\.definition)
        #expect(
            Set(indexes.map { "\($0.table) \($0.columns) \($0.isUnique)" }) == [
                "Toy [\"petId\"] true", "Person [\"name\", \"city\"] false",
            ])
    }

    @Test("renamed columns and tables keep their rows")
    func renames() throws {
        struct Human: Codable {
            let id: Int
            let fullName: String
            let shoe: Int?
        }
        let db = Database(configuration: ReferenceDatabaseConfiguration())
        try db.create(Old.Person.self)
        try db.sql("INSERT INTO Person (id, name) VALUES (1, 'a')")
        try db.rename(Human.self, from: "Person")
        try db.rename(\Human.fullName, from: "name")
        #expect(try db.table(Human.self).where(\Human.fullName == "a").count() == 1)
        #expect(try db.verify().isEmpty)
    }
}
