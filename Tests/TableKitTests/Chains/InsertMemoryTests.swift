import Foundation
import SiltstoneTesting
import TableKit
import Testing

struct InsertMemoryTests {
    private struct Document: Codable {
        var id: Int, body: Data
    }

    @Test("An insert whose first rows are far larger than the others reserves no memory for others of their size")
    func firstRowsAreLarge() {
        let db = Database(configuration: ReferenceDatabaseConfiguration())
        let large = Data(count: 4 << 20), small = Data(count: 1)
        // By the size of the first eight rows, all of them would need 188 GB.
        let documents = (0..<40_000).map { Document(id: $0, body: $0 < 8 ? large : small) }
        // The rows are encoded before the engine is asked. It has no such table.
        let error = #expect(throws: CRUDSQLExeError.self) { try db.table(Document.self).insert(documents) }
        #expect(error?.code == .noTable)
    }
}
