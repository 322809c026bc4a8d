import CRUDKit
import Foundation
import Siltstone
import SiltstoneTables
import Testing

@testable import CrashChild

/// A process without standard descriptors.
struct ClosedDescriptorTests {
    @Test(
        "no file gets the number of a standard descriptor, and nothing is printed into one",
        arguments: [[0, 1, 2], [1, 2], [2]])
    func closed(_ descriptors: [Int]) async throws {
        let directory = FileManager.default.temporaryDirectory.path + "/siltstone-closed-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        try await OwnThread.run {
            let journal = try CrashJournal(path: directory + "/journal", isNew: true)
            let child = try CrashChildProcess(
                ["closed", directory] + descriptors.map { String($0) }, journal: journal, errors: directory + "/errors")
            try child.waitForSuccess()
        }
        try checkStores(in: directory)
        let items = FileSystemRepository(directoryURL: URL(fileURLWithPath: directory + "/items"))
        #expect(try await items.count() == 10)
        try FileManager.default.removeItem(atPath: directory)
    }

    private func checkStores(in directory: String) throws {
        for name in ["store", "checkpoint"] {
            let store = try KeyValueStore.open(at: directory + "/" + name)
            #expect(try store.verify().problems.isEmpty)
            try store.close()
        }
        let db = Database(configuration: try SiltstoneDatabaseConfiguration(directory + "/tables"))
        #expect(try db.verify().isEmpty)
        #expect(try db.table(LifeRow.self).count() == 100)
        try db.close()
    }
}
