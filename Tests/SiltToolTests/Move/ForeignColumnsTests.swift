import TableKit
import Testing

@testable import SiltTool

/// References to keys of another type.
struct ForeignColumnsTests {
    private static let tables = [
        TableStructure(name: "Owner", columns: [Column("id", .int64)], primaryKey: [0]),
        TableStructure(
            name: "Pet",
            columns: [
                Column("id", .int64),
                Column("owner", .string, foreignKey: ForeignKeyReference(table: "Owner")),
            ], primaryKey: [0]),
    ]

    private var columns: ForeignColumns {
        ForeignColumns(Self.tables.map { TableInfo(structure: $0, indexes: [], estimatedRows: 0) })
    }

    @Test("are kept by a store that has both tables")
    func bothMade() throws {
        try columns.refuseMixedReferences(besides: ["Owner", "Pet", "Other"])
    }

    @Test("are refused where the store would have to make one of the tables", arguments: [[], ["Owner"], ["Pet"]])
    func oneMade(_ made: [String]) {
        let error = #expect(throws: ToolError.self) { try columns.refuseMixedReferences(besides: Set(made)) }
        #expect(error?.message.contains("Pet.owner (string) refers to Owner.id (int64)") == true)
    }
}
