import CRUDKit
import Foundation
import Siltstone
import SiltstoneTables

/// A child that closes its standard descriptors, as daemons do, and then uses everything that opens files:
/// `closed DIRECTORY DESCRIPTOR…`. It fails if a file or a directory gets the number of a standard descriptor.
struct ClosedDescriptors {
    struct TakenDescriptor: Error {
        var number: Int32
        var step: String
    }

    private let directory: String
    private let descriptors: [Int32]

    init(_ line: [String]) throws {
        guard line.count > 3 else { throw CrashArguments.Malformed(words: line) }
        directory = line[2]
        descriptors = line.dropFirst(3).compactMap { Int32($0) }
    }

    func run() async throws {
        for descriptor in descriptors { close(descriptor) }
        try useStore()
        try useTables()
        try await useRepository()
    }

    private func check(_ step: String) throws {
        for number in descriptors {
            var status = stat()
            guard unsafe fstat(number, &status) == 0 else { continue }
            let type = status.st_mode & S_IFMT
            if type == S_IFREG || type == S_IFDIR { throw TakenDescriptor(number: number, step: step) }
        }
    }

    private func useStore() throws {
        let store = try KeyValueStore.open(
            at: directory + "/store", configuration: CrashScenario.largeValues.configuration)
        try check("open")
        for number in 0..<200 {
            try store.put(Array("key \(number)".utf8), [UInt8](repeating: UInt8(number), count: number * 20))
        }
        try check("put")
        try store.flush()
        try check("flush")
        try store.compact()
        try check("compact")
        try store.checkpoint(to: directory + "/checkpoint")
        try check("checkpoint")
        guard try store.verify().problems.isEmpty else { throw TakenDescriptor(number: -1, step: "verify") }
        try check("verify")
        try store.close()
    }

    private func useTables() throws {
        let db = Database(configuration: try SiltstoneDatabaseConfiguration(directory + "/tables"))
        let rows = try db.create(LifeRow.self)
        try check("create")
        for number in 0..<100 {
            try rows.insert(LifeRow(id: number, name: "row \(number)", group: 0, step: 0))
            // Refused, and logged to the standard error.
            do { try rows.insert(LifeRow(id: 0, name: "again", group: 0, step: 0)) } catch {}
        }
        CRUDLogging.flush()
        print("This goes nowhere.")
        try check("insert")
        try db.close()
    }

    private func useRepository() async throws {
        let repository = FileSystemRepository(directoryURL: URL(fileURLWithPath: directory + "/items"))
        for number in 0..<10 {
            try await repository.create(id: "item \(number)", item: number)
            try check("item")
        }
    }
}
