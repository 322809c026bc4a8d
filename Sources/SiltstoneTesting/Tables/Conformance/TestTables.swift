import Foundation
import TableKit

/// The first table of the documentation, with its own name and column names.
struct TestTable1: Codable, TableNameProvider, Sendable {
    enum CodingKeys: String, CodingKey {
        case id, name, integer = "int", double = "doub", blob, subTables
    }

    static let tableName = "test_table_1"

    let id: Int
    let name: String?
    let integer: Int?
    let double: Double?
    let blob: [UInt8]?
    let subTables: [TestTable2]?

    init(
        id: Int, name: String? = nil, integer: Int? = nil, double: Double? = nil, blob: [UInt8]? = nil,
        subTables: [TestTable2]? = nil
    ) {
        self.id = id
        self.name = name
        self.integer = integer
        self.double = double
        self.blob = blob
        self.subTables = subTables
    }
}

/// The second table: children of the first.
struct TestTable2: Codable, Sendable {
    let id: UUID
    let parentId: Int
    let date: Date
    let name: String?
    let int: Int?
    let doub: Double?
    let blob: [UInt8]?

    init(parentId: Int, name: String?, int: Int? = nil, doub: Double? = nil, date: Date = Date()) {
        id = UUID()
        self.parentId = parentId
        self.date = date
        self.name = name
        self.int = int
        self.doub = doub
        blob = nil
    }
}

extension Database {
    /// Creates both tables, with five parents of five children each. Even children are named "Me", odd ones "Not Me".
    func makeTestTables() throws {
        try create(TestTable1.self, policy: .dropTable)
        try table(TestTable1.self).insert(
            (1...5).map {
                TestTable1(
                    id: $0, name: "This is name bind \($0)", integer: $0, double: Double($0) + 0.5,
                    blob: [UInt8]("This is blob bind \($0)".utf8))
            })
        try table(TestTable2.self).insert(
            (1...5).flatMap { parent in
                (1...5).map {
                    TestTable2(
                        parentId: parent, name: $0.isMultiple(of: 2) ? "Me" : "Not Me", int: $0, doub: Double($0))
                }
            })
    }
}
