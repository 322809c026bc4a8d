import Foundation
import TableKit

private struct TwoColumns: Codable, TableNameProvider {
    static let tableName = "bad"
    let id: Int
    let name: String
}

private struct ThreeColumns: Codable, TableNameProvider {
    static let tableName = "bad"
    let id: Int
    let name: String
    let third: Int
}

private struct PhoneNumber: Codable {
    let personId: UUID
    let planetCode: Int
    let number: String
}

private struct Person: Codable {
    let id: UUID
    let firstName: String
    let lastName: String
    var height: Double?
    let phoneNumbers: [PhoneNumber]?
}

/// Queries of one table, from the test suite of Perfect-SQLite.
extension TableConformance {
    static var classicSelects: [(promise: String, check: Check)] {
        [
            ("SelectAll: all rows come once", selectAll),
            ("SelectIn: rows are chosen by a list of values", selectIn),
            ("SelectLikeString: rows are chosen by parts of text", selectLikeString),
            ("SelectLimit: limits cut and skip", selectLimit),
            ("SelectLimitWhere: a limit cuts what matches", selectLimitWhere),
            ("SelectOrderLimitWhere: an order comes before the limit", selectOrderLimitWhere),
            ("SelectWhereNULL: nil is NULL", selectWhereNULL),
            ("BespokeSQL: rows of SQL are decoded by the names of columns", bespokeSQL),
            ("BadDecoding: a row that does not fit its type throws", badDecoding),
            ("PersonThing: the program of the documentation runs", personThing),
        ]
    }

    private static func selectAll(_ db: Database<C>) throws {
        try db.makeTestTables()
        let rows = try db.table(TestTable1.self).select().map { $0 }
        try requireEqual(rows.map(\.id).sorted(), [1, 2, 3, 4, 5], "The rows")
        try require(rows.allSatisfy { $0.subTables == nil }, "Arrays that are not joined are not nil.")
    }

    private static func selectIn(_ db: Database<C>) throws {
        try db.makeTestTables()
        let table = db.table(TestTable1.self)
        try requireEqual(try table.where(\TestTable1.id ~ [2, 4, 9]).count(), 2, "In")
        try requireEqual(try table.where(\TestTable1.id !~ [2, 4, 9]).count(), 3, "Not in")
    }

    private static func selectLikeString(_ db: Database<C>) throws {
        try db.makeTestTables()
        let table = db.table(TestTable2.self)
        try requireEqual(try table.where(\TestTable2.name %=% "me").count(), 25, "Contains")
        try requireEqual(try table.where(\TestTable2.name =% "me").count(), 10, "Begins with")
        try requireEqual(try table.where(\TestTable2.name %= "me").count(), 25, "Ends with")
        try requireEqual(try table.where(\TestTable2.name %!=% "not").count(), 10, "Does not contain")
        try requireEqual(try table.where(\TestTable2.name !=% "me").count(), 15, "Does not begin with")
        try requireEqual(try table.where(\TestTable2.name %!= "me").count(), 0, "Does not end with")
    }

    private static func selectLimit(_ db: Database<C>) throws {
        try db.makeTestTables()
        let table = db.table(TestTable1.self)
        try requireEqual(try table.limit(3, skip: 2).count(), 3, "Counting 3 after 2")
        try requireEqual(try table.limit(3, skip: 4).count(), 1, "Counting 3 after 4")
        try requireEqual(try table.order(by: \.id).limit(2, skip: 1).all().map(\.id), [2, 3], "2 after 1")
        try requireEqual(try table.order(by: \.id).limit(1..<3).all().map(\.id), [2, 3], "1..<3")
        try requireEqual(try table.order(by: \.id).limit(1...3).all().map(\.id), [2, 3, 4], "1...3")
        try requireEqual(try table.order(by: \.id).limit(..<2).all().map(\.id), [1, 2], "..<2")
        try requireEqual(try table.order(by: \.id).limit(...2).all().map(\.id), [1, 2, 3], "...2")
    }

    private static func selectLimitWhere(_ db: Database<C>) throws {
        try db.makeTestTables()
        let table = db.table(TestTable1.self)
        try requireEqual(try table.limit(3).where(\TestTable1.id > 3).count(), 2, "Counting")
        try requireEqual(try table.limit(1).where(\TestTable1.id > 3).all().count, 1, "Selecting")
    }

    private static func selectOrderLimitWhere(_ db: Database<C>) throws {
        try db.makeTestTables()
        let table = db.table(TestTable1.self)
        let ids = try table.order(by: \.id).limit(3).where(\TestTable1.id > 2).all().map(\.id)
        try requireEqual(ids, [3, 4, 5], "Ascending")
        let descending = try table.order(descending: \.id).limit(2).where(\TestTable1.id < 5).all().map(\.id)
        try requireEqual(descending, [4, 3], "Descending")
    }

    private static func selectWhereNULL(_ db: Database<C>) throws {
        try db.makeTestTables()
        let table = db.table(TestTable1.self)
        try requireEqual(try table.where(\TestTable1.blob == nil).count(), 0, "Equal to nil")
        try requireEqual(try table.where(\TestTable1.blob != nil).count(), 5, "Not equal to nil")
        CRUDLogging.flush()
    }

    private static func bespokeSQL(_ db: Database<C>) throws {
        try db.makeTestTables()
        let name = TestTable1.CRUDTableName
        let all = try db.sql("SELECT * FROM \(name) WHERE id > 3 ORDER BY id", TestTable1.self)
        try requireEqual(all.map(\.id), [4, 5], "All columns")
        try requireEqual(all.map(\.integer), [4, 5], "A renamed column")
        let bound = try db.sql(
            "SELECT * FROM \(name) WHERE id = ?", bindings: [("id", .integer(2))], TestTable1.self)
        try requireEqual(bound.map(\.name), ["This is name bind 2"], "A binding")
    }

    private static func badDecoding(_ db: Database<C>) throws {
        try db.create(TwoColumns.self).insert(TwoColumns(id: 1, name: "a"))
        let table = db.table(ThreeColumns.self)
        do {
            _ = try table.first()
            throw Violation("A row without a column that the type needs was decoded.")
        } catch let error as CRUDDecoderError {
            try requireEqual(error.column, "third", "The error's column")
        }
        try requireEqual(try table.select().map(\.id), [], "Iterating")
    }

    private static func personThing(_ db: Database<C>) throws {
        try db.create(Person.self, policy: .reconcileTable)
        let people = db.table(Person.self), numbers = db.table(PhoneNumber.self)
        try numbers.index(\.personId)
        let owen = Person(id: UUID(), firstName: "Owen", lastName: "Lars", height: 175, phoneNumbers: nil)
        let beru = Person(id: UUID(), firstName: "Beru", lastName: "Lars", phoneNumbers: nil)
        try people.insert([owen, beru])
        try numbers.insert([
            PhoneNumber(personId: owen.id, planetCode: 12, number: "1"),
            PhoneNumber(personId: owen.id, planetCode: 15, number: "2"),
            PhoneNumber(personId: beru.id, planetCode: 12, number: "3"),
        ])
        let query = try people.order(by: \.lastName, \.firstName)
            .join(\.phoneNumbers, on: \.id, equals: \.personId).order(descending: \.planetCode)
            .where(\Person.lastName == "Lars" && \PhoneNumber.planetCode == 12).select()
        try requireEqual(query.map { $0.phoneNumbers?.map(\.number) ?? [] }, [["3"], ["1"]], "The numbers")
        try requireEqual(query.map(\.firstName), ["Beru", "Owen"], "The names")
        try requireEqual(try people.where(\Person.height == nil).all().map(\.firstName), ["Beru"], "No height")
        try requireEqual(
            try people.where(\Person.height! >= 170).all().map(\.firstName), ["Owen"], "A height of 170")
        try requireEqual(
            try people.order(descending: \.height).all().map(\.firstName), ["Owen", "Beru"], "By height")
    }
}
