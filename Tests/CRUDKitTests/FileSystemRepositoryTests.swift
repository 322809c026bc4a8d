import CRUDKit
import Foundation
import Testing

struct FileSystemRepositoryTests {
    @Test("Identifiers never leave the directory, nor make directories in it") func identifiersStay() async throws {
        try await withTemporaryDirectory { parent in
            let url = parent.appendingPathComponent("records")
            let repository = FileSystemRepository(directoryURL: url)
            for id in ["../a", "/etc/a", "a/b", "..", ".", "", "a\0b", String(repeating: "../", count: 3000)] {
                try await repository.create(id: id, item: 1)
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: parent.path) == ["records"])
            let names = try FileManager.default.contentsOfDirectory(atPath: url.path)
            #expect(names.count == 8 + 1)  // and the lock
            for name in names {
                var isDirectory: ObjCBool = true
                #expect(
                    FileManager.default.fileExists(
                        atPath: url.appendingPathComponent(name).path, isDirectory: &isDirectory))
                #expect(!isDirectory.boolValue)
            }
        }
    }

    @Test("File names differ in more than the case of their letters") func namesDifferInCase() async throws {
        try await withTemporaryDirectory { url in
            let repository = FileSystemRepository(directoryURL: url)
            let ids = ["a", "A", "aB", "Ab", "%41", "%2F", "%2f", "/"]
            for id in ids { try await repository.create(id: id, item: id) }
            let names = try FileManager.default.contentsOfDirectory(atPath: url.path)
            #expect(Set(names.map { $0.lowercased() }).count == ids.count + 1)
        }
    }

    @Test("A file holds nothing but the encoded item") func filesAreReadable() async throws {
        try await withTemporaryDirectory { url in
            let repository = FileSystemRepository(directoryURL: url)
            try await repository.create(id: "client-1", item: ["name": "Chill Client"])
            let data = try Data(contentsOf: url.appendingPathComponent("item_client-1"))
            #expect(String(decoding: data, as: UTF8.self) == #"{"name":"Chill Client"}"#)
        }
    }

    @Test("No file is left over from operations that were refused") func nothingIsLeftOver() async throws {
        try await withTemporaryDirectory { url in
            let repository = FileSystemRepository(directoryURL: url)
            try await repository.create(id: "a", item: 1)
            await #expect(throws: CRUDRepositoryError.recordAlreadyExists(id: "a")) {
                try await repository.createAll([(id: "b", item: 2), (id: "a", item: 2)])
            }
            await #expect(throws: CRUDRepositoryError.recordNotFound(id: "c")) {
                try await repository.update(id: "c", item: 3)
            }
            #expect(Set(try FileManager.default.contentsOfDirectory(atPath: url.path)) == ["item_a", "lock"])
            #expect(try await repository.ids() == ["a"])
        }
    }

    @Test("A damaged file of a long identifier is reported, not taken for another's") func damageIsReported()
        async throws
    {
        try await withTemporaryDirectory { url in
            let repository = FileSystemRepository(directoryURL: url)
            let id = String(repeating: "x", count: 500)
            try await repository.create(id: id, item: 1)
            let names = try FileManager.default.contentsOfDirectory(atPath: url.path)
            let name = try #require(names.first { $0.hasPrefix("long_") })
            for contents in [Data(), Data([1, 2, 3]), Data(repeating: 0xff, count: 20), Data(repeating: 0, count: 20)] {
                try contents.write(to: url.appendingPathComponent(name))
                await #expect(throws: CRUDRepositoryError.self) { let _: Int = try await repository.read(id: id) }
            }
        }
    }

    @Test("A directory that cannot be made is an error, and not a missing record") func failuresAreReported()
        async throws
    {
        try await withTemporaryDirectory { url in
            let file = url.appendingPathComponent("file")
            try Data().write(to: file)
            let repository = FileSystemRepository(directoryURL: file.appendingPathComponent("records"))
            do {
                try await repository.create(id: "a", item: 1)
                Issue.record("created below a file")
            } catch CRUDRepositoryError.databaseError(let reason) {
                #expect(reason.contains("file"))
            }
        }
    }

    @Test("A directory's name is one component of a path, whatever it is")
    func directoryNames() {
        let names = [
            "Clients Database", "", ".", "..", "../x", "/etc", "a/b", "a\0b", "a.", " ", "%",
            String(repeating: "n", count: 400), "long_term",
        ]
        let components = names.map { FileSystemRepository(directoryName: $0).directoryURL }
        let parents = Set(components.map { $0.deletingLastPathComponent().path })
        #expect(parents.count == 1)
        #expect(Set(components.map(\.lastPathComponent)).count == names.count)
        #expect(components[0].lastPathComponent == "Clients Database")
        #expect(components.allSatisfy { $0.lastPathComponent.utf8.count <= 255 })
        #expect(components.last?.lastPathComponent == "long_term")
    }

    @Test("A name that is spelled like the directory of a long name has a directory of its own")
    func spelledLikeALongName() {
        let long = FileSystemRepository(directoryName: String(repeating: "n", count: 400)).directoryURL
        let spelled = FileSystemRepository(directoryName: long.lastPathComponent).directoryURL
        #expect(spelled != long)
        #expect(FileSystemRepository(directoryName: spelled.lastPathComponent).directoryURL != spelled)
    }
}
