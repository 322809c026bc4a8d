import CRUDKit
import Foundation
import Siltstone
import SiltstoneCRUD

/// The item of the client programs.
private struct Client: Codable {
    var name: String
}

/// Client programs that use `CRUDRepository` and name no database.
struct DemoClients {
    let directory: String

    func run() throws {
        try AsyncWork.wait {
            // Only this expression differs between databases.
            try await program("a Siltstone store") {
                try SiltstoneRepository(path: directory + "/clients.silt", tableName: "Clients Database")
            }
            try await program("the same store, as XML") {
                try SiltstoneRepository(
                    path: directory + "/clients.silt", tableName: "XML Clients", dataTransformer: XMLDataTransformer())
            }
            try await program("files in a directory") {
                FileSystemRepository(directoryURL: URL(fileURLWithPath: directory + "/Clients Database"))
            }
            try await program("memory") { InMemoryRepository(tableName: "Clients Database") }
            try await many()
        }
    }

    /// Runs all four operations on one item, and stores an array of items.
    private func program(_ name: String, _ make: () throws -> any CRUDRepository) async throws {
        let repository = try make()
        let id = "client"
        try await repository.create(id: id, item: Client(name: "Chill Client"))
        var client: Client = try await repository.read(id: id)
        let first = client.name
        client.name = "Busy Client"
        try await repository.update(id: id, item: client)
        let updated: Client = try await repository.read(id: id)
        try await repository.delete(id: id)
        var end = "it is still there"
        do {
            let removed: Client = try await repository.read(id: id)
            end = removed.name
        } catch CRUDRepositoryError.recordNotFound { end = "not found" }
        try await repository.create(id: "clients", item: [Client(name: "Chill Client")])
        let clients: [Client] = try await repository.read(id: "clients")
        try DemoText.row(name, first, updated.name, end, "\(clients.count) in an array")
    }

    /// Creates ten thousand items in concurrent tasks, each synced to stable storage.
    private func many() async throws {
        let repository = try SiltstoneRepository(path: directory + "/clients.silt", tableName: "Many")
        let before = repository.store.statistics.syncs
        let start = System.seconds
        let count = 10_000
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<count {
                group.addTask { try await repository.create(id: "client \(number)", item: Client(name: "\(number)")) }
            }
            try await group.waitForAll()
        }
        let syncs = repository.store.statistics.syncs - before
        let seconds = System.seconds - start
        try Terminal.print(
            "\n  \(HumanUnits.count(count)) tasks created a client each, on stable storage, in "
                + "\(HumanUnits.milliseconds(seconds)): they shared \(HumanUnits.count(syncs, "sync"))\n")
        try await repository.close()
    }
}
