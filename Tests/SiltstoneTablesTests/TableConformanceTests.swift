import Foundation
import SiltstoneTables
import SiltstoneTesting
import TableKit
import Testing

struct TableConformanceTests {
    @Test(arguments: TableConformance<SiltstoneDatabaseConfiguration>.promises)
    func theStoreKeeps(promise: String) async throws {
        QuietErrors.begin()
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("tables-\(UUID())")
        defer {
            do { try FileManager.default.removeItem(at: directory) } catch {
                Issue.record("\(directory) stays: \(error)")
            }
        }
        try await TableConformance { try SiltstoneDatabaseConfiguration(directory.path) }.check(promise)
    }
}
