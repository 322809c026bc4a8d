import TableKit
import Testing

struct TableNameTests {
    private struct Plain: Codable {}
    private struct Box<T: Codable>: Codable {}
    private struct Named: Codable, TableNameProvider { static let tableName = "other" }

    @Test func theNameIsTheUnqualifiedTypeUnlessProvided() {
        #expect(Plain.CRUDTableName == "Plain")
        #expect(Box<Int>.CRUDTableName == "Box<Int>")
        #expect(Named.CRUDTableName == "other")
    }
}
