import Foundation
import TableKit

private struct Parent: Codable {
    var id: Int
    var code: String?
    var children: [Child]?
    var others: [Child]?

    init(id: Int, code: String?) {
        self.id = id
        self.code = code
    }
}

private struct Child: Codable, TableNameProvider {
    static let tableName = "the child"
    var id: Int
    var code: String?
    var size: Int
    var parts: [Part]?

    init(id: Int, code: String?, size: Int) {
        self.id = id
        self.code = code
        self.size = size
    }
}

private struct Part: Codable {
    var childId: Int
    var name: String
}

private struct Link: Codable {
    var from: Int
    var to: Int
    var weight: Int
}

private struct Me: Codable {
    var id: Int
    var parentId: Int
    var mes: [Me]?

    init(id: Int, parentId: Int) {
        self.id = id
        self.parentId = parentId
    }
}

private struct Holder: Codable {
    var id: Int
    var notes: [Note]?

    init(id: Int) { self.id = id }
}

private struct Note: Codable {
    var holder: Int
    var text: String
}

/// Edge cases of joins.
extension TableConformance {
    static var joinEdges: [(promise: String, check: Check)] {
        [
            ("a join may be on any column; NULL joins nothing", nullJoins),
            ("a condition filters parents and arrays by all its parts", conditionAcrossTables),
            ("a condition may name a type that a table between joins", conditionThroughPivot),
            ("a child without a row between belongs to nobody; with two it comes once", pivotRows),
            ("conditions of a self join name the parent", selfJoinCondition),
            ("one type fills two properties", oneTypeTwice),
            ("the same property twice throws", samePropertyTwice),
            ("grandchildren are joined", grandchildren),
            ("a limit after a join counts the rows of all parents together", limitTogether),
            ("a limit of each parent cuts each array", limitEach),
            ("equal children without a key come once", equalChildren),
            ("a join without an index is right for many rows", manyRows),
        ]
    }

    /// Parents 1 "a", 2 "b", 3 NULL; children 1, 3 of "a", 2, 4 of "b", 5 of NULL. A child's size is its number.
    private static func family(_ db: Database<C>) throws -> Table<Parent, Database<C>> {
        let table = try db.create(Parent.self)
        try table.insert([Parent(id: 1, code: "a"), Parent(id: 2, code: "b"), Parent(id: 3, code: nil)])
        try db.table(Child.self).insert(
            (1...4).map { Child(id: $0, code: $0 % 2 == 1 ? "a" : "b", size: $0) } + [Child(id: 5, code: nil, size: 5)])
        return table
    }

    private static func children(_ parents: [Parent]) -> [[Int]] { parents.map { $0.children?.map(\.id) ?? [-1] } }

    private static func nullJoins(_ db: Database<C>) throws {
        let parents = try family(db).order(by: \.id).join(\.children, on: \.code, equals: \.code).order(by: \.id).all()
        try requireEqual(children(parents), [[1, 3], [2, 4], []], "The children")
    }

    private static func conditionAcrossTables(_ db: Database<C>) throws {
        let join = try family(db).order(by: \.id).join(\.children, on: \.code, equals: \.code).order(by: \.id)
        let or = try join.where(\Parent.id == 1 || \Child.size == 2).all()
        try requireEqual(or.map(\.id), [1, 2], "The parents of an or")
        try requireEqual(children(or), [[1, 3], [2]], "The children of an or")
        let isNull = try join.where(\Child.code == nil).all()
        try requireEqual(isNull.map(\.id), [3], "Parents without a child")
        try requireEqual(children(isNull), [[]], "Their children")
        let not = try join.where(!(\Child.size > 2)).all()
        try requireEqual(children(not), [[1], [2]], "The children of a negation")
        try requireEqual(try join.where(\Child.size > 0).count(), 2, "Counting")
    }

    private static func linked(_ db: Database<C>) throws -> JoinPivot<
        Parent, Ordering<Parent, Table<Parent, Database<C>>>, Child, Link, Int, Int
    > {
        let table = try family(db)
        try db.create(Link.self)
        try db.table(Link.self).insert([
            Link(from: 1, to: 1, weight: 1), Link(from: 1, to: 1, weight: 2), Link(from: 1, to: 2, weight: 3),
            Link(from: 2, to: 2, weight: 4), Link(from: 2, to: 99, weight: 5),
        ])
        return try table.order(by: \.id).join(
            \.children, with: Link.self, on: \.id, equals: \.from, and: \.id, is: \.to)
    }

    private static func conditionThroughPivot(_ db: Database<C>) throws {
        let join = try linked(db).order(by: \.id)
        let byChild = try join.where(\Child.size == 2).all()
        try requireEqual(byChild.map(\.id), [1, 2], "The parents by a child")
        try requireEqual(children(byChild), [[2], [2]], "The children by a child")
        let byLink = try join.where(\Link.weight == 2).all()
        try requireEqual(children(byLink), [[1]], "The children by a row between")
    }

    private static func pivotRows(_ db: Database<C>) throws {
        try requireEqual(children(try linked(db).order(by: \.id).all()), [[1, 2], [2], []], "The children")
    }

    private static func selfJoinCondition(_ db: Database<C>) throws {
        let table = try db.create(Me.self)
        try table.insert([Me(id: 1, parentId: 0), Me(id: 2, parentId: 1), Me(id: 3, parentId: 2)])
        let found = try table.order(by: \.id).join(\.mes, on: \.id, equals: \.parentId).where(\Me.id <= 2).all()
        try requireEqual(found.map { $0.mes?.map(\.id) ?? [] }, [[2], [3]], "The rows joined")
    }

    private static func oneTypeTwice(_ db: Database<C>) throws {
        let found = try family(db).order(by: \.id).join(\.children, on: \.code, equals: \.code).order(by: \.id)
            .join(\.others, on: \.id, equals: \.size).all()
        try requireEqual(children(found), [[1, 3], [2, 4], []], "The first property")
        try requireEqual(found.map { $0.others?.map(\.id) ?? [] }, [[1], [2], [3]], "The second property")
    }

    private static func samePropertyTwice(_ db: Database<C>) throws {
        let table = try family(db)
        do {
            _ = try table.join(\.children, on: \.code, equals: \.code)
                .join(\.children, on: \.id, equals: \.size).all()
            throw Violation("A property was joined twice.")
        } catch is CRUDSQLGenError {}
    }

    private static func grandchildren(_ db: Database<C>) throws {
        let table = try family(db)
        try db.table(Part.self).insert([
            Part(childId: 1, name: "x"), Part(childId: 1, name: "y"), Part(childId: 4, name: "z"),
        ])
        let join = try table.order(by: \.id).join(\.children, on: \.code, equals: \.code).order(by: \.id)
            .join(\Child.parts, on: \.id, equals: \.childId).order(descending: \.name)
        let names = { (parents: [Parent]) in
            parents.map { $0.children?.map { $0.parts?.map(\.name) ?? ["none"] } ?? [] }
        }
        try requireEqual(names(try join.all()), [[["y", "x"], []], [[], ["z"]], []], "The grandchildren")
        let found = try join.where(\Part.name == "x").all()
        try requireEqual(found.map(\.id), [1], "The parents by a grandchild")
        try requireEqual(names(found), [[["x"]]], "The grandchildren by a condition")
    }

    private static func limitTogether(_ db: Database<C>) throws {
        let table = try family(db)
        let found = try table.order(by: \.id).join(\.children, on: \.code, equals: \.code)
            .order(descending: \.size).limit(3).all()
        try requireEqual(children(found), [[3], [4, 2], []], "The children")
        let skipped = try table.order(by: \.id).join(\.children, on: \.code, equals: \.code)
            .order(by: \.size).limit(1...2).all()
        try requireEqual(children(skipped), [[3], [2], []], "The children after a skip")
    }

    private static func limitEach(_ db: Database<C>) throws {
        let found = try family(db).order(by: \.id).join(\.children, on: \.code, equals: \.code)
            .order(descending: \.size).limit(each: 1).all()
        try requireEqual(children(found), [[3], [4], []], "The children")
    }

    private static func equalChildren(_ db: Database<C>) throws {
        let table = try db.create(Holder.self)
        try table.insert(Holder(id: 1))
        try db.table(Note.self).insert([
            Note(holder: 1, text: "a"), Note(holder: 1, text: "a"), Note(holder: 1, text: "b"),
        ])
        let found = try table.join(\.notes, on: \.id, equals: \.holder).order(by: \.text).first()
        try requireEqual(found?.notes?.map(\.text) ?? [], ["a", "b"], "The children")
    }

    private static func manyRows(_ db: Database<C>) throws {
        let table = try db.create(Holder.self)
        try table.insert((0..<500).map { Holder(id: $0) })
        try db.table(Note.self).insert((0..<3000).map { Note(holder: $0 * 7 % 600, text: "\($0)") })
        let found = try table.order(by: \.id).join(\.notes, on: \.id, equals: \.holder).all()
        try requireEqual(found.count, 500, "The parents")
        try require(found.allSatisfy { $0.notes?.count == 5 }, "A parent has other than 5 children.")
        try require(
            found.allSatisfy { parent in parent.notes?.allSatisfy { $0.holder == parent.id } == true },
            "A child has another parent.")
    }
}
