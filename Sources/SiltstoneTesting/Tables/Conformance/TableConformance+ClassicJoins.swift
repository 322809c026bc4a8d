import Foundation
import TableKit

private struct Parent: Codable {
    let id: Int
    let children: [Child]?
}

private struct Child: Codable {
    let id: Int
    let parentId: Int
}

private struct Student: Codable {
    let id: Int
    let classes: [Class]?
}

private struct Class: Codable {
    let id: Int
    let students: [Student]?
}

private struct StudentClasses: Codable {
    let studentId: Int
    let classId: Int
}

private struct Me: Codable {
    let id: Int
    let parentId: Int
    let mes: [Me]?
}

private struct Node: Codable {
    let id: Int
    let links: [Node]?
}

private struct Link: Codable {
    let from: Int
    let to: Int
}

private struct Person: Codable {
    let id: Int
    let cars: [Car]?
    let boats: [Boat]?
    let houses: [House]?
}

private struct Car: Codable {
    let id: Int
    let owner: Int
}

private struct Boat: Codable {
    let id: Int
    let owner: Int
}

private struct House: Codable {
    let id: Int
    let owner: Int
}

private struct Asset: Codable {
    let id: UUID
    let name: String?
    let logs: [AssetLog]?
}

private struct AssetLog: Codable {
    let assetId: UUID
    let userId: UUID
    let returned: Date?
}

/// Joins, from the test suite of Perfect-SQLite.
extension TableConformance {
    static var classicJoins: [(promise: String, check: Check)] {
        [
            ("SelectJoin: a join fills arrays, in order, where the condition holds", selectJoin),
            ("StandardJoin: children join their parent", standardJoin),
            ("JunctionJoin: many join many by a table between", junctionJoin),
            ("SelfJoin: a table joins itself", selfJoin),
            ("SelfJunctionJoin: a table joins itself by a table between", selfJunctionJoin),
            ("ManyJoins: each join of a chain fills its own property", manyJoins),
            ("Assets: children are counted and joined by UUIDs", assets),
        ]
    }

    private static func selectJoin(_ db: Database<C>) throws {
        try db.makeTestTables()
        let query = try db.table(TestTable1.self).order(by: \.name)
            .join(\.subTables, on: \.id, equals: \.parentId).order(by: \.int)
            .where(\TestTable2.name == "Me")
        try requireEqual(try query.count(), 5, "Counting parents")
        let rows = try query.select().map { $0 }
        try requireEqual(rows.map(\.id), [1, 2, 3, 4, 5], "The parents")
        for row in rows {
            try requireEqual(row.subTables?.map(\.int) ?? [], [2, 4], "The children")
            try require(row.subTables?.allSatisfy { $0.parentId == row.id } == true, "A child has another parent.")
        }
    }

    private static func standardJoin(_ db: Database<C>) throws {
        try db.transaction {
            try db.create(Parent.self, policy: [.shallow, .dropTable]).insert([
                Parent(id: 1, children: nil), Parent(id: 2, children: nil),
            ])
            try db.create(Child.self, policy: [.shallow, .dropTable]).insert(
                (1...3).map { Child(id: $0, parentId: 1) })
        }
        let join = try db.table(Parent.self).join(\.children, on: \.id, equals: \.parentId)
        let parent = try required(try join.where(\Parent.id == 1).first(), "The parent")
        try requireEqual(parent.children?.map(\.id).sorted() ?? [], [1, 2, 3], "The children")
        let lonely = try required(try join.where(\Parent.id == 2).first(), "The parent without children")
        try requireEqual(lonely.children?.count, 0, "The children of a parent without any")
    }

    private static func junctionJoin(_ db: Database<C>) throws {
        try db.transaction {
            try db.create(Student.self, policy: [.dropTable, .shallow]).insert([
                Student(id: 1, classes: nil), Student(id: 2, classes: nil),
            ])
            try db.create(Class.self, policy: [.dropTable, .shallow]).insert(
                (1...4).map { Class(id: $0, students: nil) })
            try db.create(StudentClasses.self, policy: [.dropTable, .shallow]).insert(
                (1...3).map { StudentClasses(studentId: 1, classId: $0) } + [StudentClasses(studentId: 2, classId: 3)])
        }
        let query = try db.table(Student.self).order(by: \.id).join(
            \.classes, with: StudentClasses.self, on: \.id, equals: \.studentId, and: \.id, is: \.classId
        ).order(by: \.id)
        let student = try required(try query.where(\Student.id == 1).first(), "The student")
        try requireEqual(student.classes?.map(\.id) ?? [], [1, 2, 3], "The classes")
        try requireEqual(try query.all().map { $0.classes?.map(\.id) ?? [] }, [[1, 2, 3], [3]], "All classes")
    }

    private static func selfJoin(_ db: Database<C>) throws {
        try db.create(Me.self, policy: .dropTable).insert(
            [Me(id: 1, parentId: 0, mes: nil)] + (2...5).map { Me(id: $0, parentId: 1, mes: nil) })
        let me = try db.table(Me.self).join(\.mes, on: \.id, equals: \.parentId).where(\Me.id == 1).first()
        try requireEqual(me?.mes?.map(\.id).sorted() ?? [], [2, 3, 4, 5], "The rows joined")
    }

    private static func selfJunctionJoin(_ db: Database<C>) throws {
        try db.create(Node.self, policy: .dropTable).insert((1...4).map { Node(id: $0, links: nil) })
        try db.create(Link.self, policy: .dropTable).insert([
            Link(from: 1, to: 2), Link(from: 1, to: 3), Link(from: 2, to: 1),
        ])
        let nodes = try db.table(Node.self).order(by: \.id).join(
            \.links, with: Link.self, on: \.id, equals: \.from, and: \.id, is: \.to
        ).all()
        try requireEqual(
            nodes.map { $0.links?.map(\.id).sorted() ?? [] }, [[2, 3], [1], [], []], "The rows joined")
    }

    private static func manyJoins(_ db: Database<C>) throws {
        try db.create(Person.self, policy: .dropTable).insert([
            Person(id: 1, cars: nil, boats: nil, houses: nil), Person(id: 2, cars: nil, boats: nil, houses: nil),
        ])
        try db.table(Car.self).index(\.owner)
        try db.table(Boat.self).index(\.owner)
        try db.table(Car.self).insert((1...3).map { Car(id: $0, owner: 1) })
        try db.table(Boat.self).insert((1...4).map { Boat(id: $0, owner: $0 % 2 + 1) })
        try db.table(House.self).insert(House(id: 1, owner: 2))
        let people = try db.table(Person.self).order(by: \.id)
            .join(\.cars, on: \.id, equals: \.owner).order(descending: \.id)
            .join(\.boats, on: \.id, equals: \.owner).order(by: \.id)
            .join(\.houses, on: \.id, equals: \.owner).all()
        try requireEqual(people.map { $0.cars?.map(\.id) ?? [] }, [[3, 2, 1], []], "The cars")
        try requireEqual(people.map { $0.boats?.map(\.id) ?? [] }, [[2, 4], [1, 3]], "The boats")
        try requireEqual(people.map { $0.houses?.count ?? -1 }, [0, 1], "The houses")
    }

    private static func assets(_ db: Database<C>) throws {
        try db.create(Asset.self, policy: .dropTable)
        let assets = (1...3).map { Asset(id: UUID(), name: "Asset \($0)", logs: nil) }
        let users = [UUID(), UUID()]
        try db.table(Asset.self).insert(assets)
        try db.table(AssetLog.self).insert(
            users.flatMap { user in
                assets.map { AssetLog(assetId: $0.id, userId: user, returned: user == users[0] ? Date() : nil) }
            })
        let logs = db.table(AssetLog.self)
        try requireEqual(
            try logs.where(\AssetLog.userId == users[1] && \AssetLog.returned == nil).count(), 3, "Open logs")
        let found = try db.table(Asset.self).order(by: \.name).join(\.logs, on: \.id, equals: \.assetId)
            .where(\AssetLog.userId == users[0] && \Asset.name != "Asset 2").all()
        try requireEqual(found.map(\.name), ["Asset 1", "Asset 3"], "The assets")
        try requireEqual(found.map { $0.logs?.count ?? -1 }, [1, 1], "Their logs")
    }
}
