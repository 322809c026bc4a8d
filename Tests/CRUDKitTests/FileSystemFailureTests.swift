import Foundation
import Testing

@testable import CRUDKit

/// What a repository of files says and leaves when a call on files fails midway, and what it makes of files that are
/// not its own.
struct FileSystemFailureTests {
    private func isUnknownOutcome(_ error: any Error) -> Bool {
        if case CRUDRepositoryError.unknownOutcome = error { true } else { false }
    }

    @Test("A batch whose second record cannot be renamed stores none") func halfOfABatch() async throws {
        try await withTemporaryDirectory { url in
            let directory = Directory(path: url.path)
            let (first, second) = (Data("first".utf8), Data("second".utf8))
            do {
                _ = try directory.write([("a", first), ("b", second)]) { exists in
                    // The files are staged, and none is renamed yet.
                    for name in staged(in: url) where contents(of: name, in: url) == second {
                        remove(name, in: url)
                    }
                    return !exists
                }
                Issue.record("stored a record whose file was gone")
            } catch {
                #expect(!isUnknownOutcome(error))
            }
            let (ids, files) = (try directory.ids(), try FileManager.default.contentsOfDirectory(atPath: url.path))
            #expect(ids.isEmpty)
            #expect(files == ["lock"])
            let refused = try directory.write([("a", first)]) { exists in !exists }
            #expect(refused == nil)
        }
    }

    private func staged(in url: URL) -> [String] {
        do {
            return try FileManager.default.contentsOfDirectory(atPath: url.path).filter { $0.hasPrefix("temp_") }
        } catch {
            Issue.record(error)
            return []
        }
    }

    private func contents(of name: String, in url: URL) -> Data? {
        FileManager.default.contents(atPath: url.appendingPathComponent(name).path)
    }

    private func remove(_ name: String, in url: URL) {
        do { try FileManager.default.removeItem(at: url.appendingPathComponent(name)) } catch { Issue.record(error) }
    }

    @Test("A batch of which a part was removed has an unknown outcome; one of which nothing was removed, a plain error")
    func halfOfARemoval() async throws {
        try await withTemporaryDirectory { url in
            let repository = FileSystemRepository(directoryURL: url)
            try await repository.create(id: "a", item: 1)
            // A directory has the name of a record, and cannot be removed like a file.
            try FileManager.default.createDirectory(
                at: url.appendingPathComponent("item_b"), withIntermediateDirectories: false)
            await #expect {
                try await repository.deleteAll(ids: ["b", "a"])
            } throws: { !isUnknownOutcome($0) }
            #expect(try await repository.exists(id: "a"))
            await #expect {
                try await repository.deleteAll(ids: ["a", "b"])
            } throws: { isUnknownOutcome($0) && $0.localizedDescription.contains("1 of 2") }
            #expect(try await !repository.exists(id: "a"))
        }
    }

    @Test("A directory that does not exist is made again, also by a repository that has used it") func vanished()
        async throws
    {
        try await withTemporaryDirectory { parent in
            let url = parent.appendingPathComponent("a/b/records")
            let repository = FileSystemRepository(directoryURL: url)
            for round in 0..<2 {
                try await repository.create(id: "a", item: round)
                try FileManager.default.removeItem(at: parent.appendingPathComponent("a"))
                #expect(try await !repository.exists(id: "a"))
            }
        }
    }

    // MARK: Files of others

    @Test("Files that only look like records are not listed") func foreignFiles() async throws {
        try await withTemporaryDirectory { url in
            let repository = FileSystemRepository(directoryURL: url)
            let long = String(repeating: "x", count: 500)
            try await repository.create(id: long, item: 1)
            try await repository.create(id: "a", item: 2)
            let name = try #require(
                try FileManager.default.contentsOfDirectory(atPath: url.path).first { $0.hasPrefix("long_") })
            let copies = [name + ".bak", name + "~", "long_notes", "item_" + String(repeating: "y", count: 200)]
            for copy in copies {
                try FileManager.default.copyItem(
                    at: url.appendingPathComponent(name), to: url.appendingPathComponent(copy))
            }
            #expect(try await repository.ids() == ["a", long])
            #expect(try await repository.ids(after: "a", limit: 10) == [long])
            #expect(try await repository.count() == 2)
            #expect(try await repository.all(of: Int.self).map(\.item) == [2, 1])
        }
    }

    @Test("A long file whose identifier was damaged is reported by each listing, not passed over")
    func damagedIdentifier() async throws {
        try await withTemporaryDirectory { url in
            let repository = FileSystemRepository(directoryURL: url)
            try await repository.create(id: String(repeating: "x", count: 500), item: 1)
            let name = try #require(
                try FileManager.default.contentsOfDirectory(atPath: url.path).first { $0.hasPrefix("long_") })
            let file = url.appendingPathComponent(name)
            var contents = try Data(contentsOf: file)
            contents[100] = UInt8(ascii: "y")
            try contents.write(to: file)
            await #expect(throws: CRUDRepositoryError.self) { try await repository.ids() }
            await #expect(throws: CRUDRepositoryError.self) { try await repository.ids(after: nil, limit: 1) }
            await #expect(throws: CRUDRepositoryError.self) { try await repository.count() }
            await #expect(throws: CRUDRepositoryError.self) { try await repository.all(of: Int.self) }
        }
    }

    @Test("Identifiers of any length are listed, also those longer than the first read of their file")
    func lengthsOfIdentifiers() async throws {
        try await withTemporaryDirectory { url in
            let repository = FileSystemRepository(directoryURL: url)
            let ids = [4087, 4088, 4089, 4096, 20_000].map { String(repeating: "x", count: $0) }
            for id in ids { try await repository.create(id: id, item: Data(repeating: 1, count: 10_000)) }
            #expect(try await repository.ids() == ids)
            for id in ids { #expect(try await (repository.read(id: id) as Data).count == 10_000) }
        }
    }

    @Test("A repository's first write removes old temporary files of others, and no other file") func leftovers()
        async throws
    {
        try await withTemporaryDirectory { url in
            let (old, young) = ("temp_\(UUID().uuidString)", "temp_\(UUID().uuidString)")
            let names = [old, young, "temp_notes"]
            for name in names { try Data([1]).write(to: url.appendingPathComponent(name)) }
            let weekAgo = Date(timeIntervalSinceNow: -7 * 24 * 60 * 60)
            for name in [old, "temp_notes"] {
                try FileManager.default.setAttributes(
                    [.modificationDate: weekAgo], ofItemAtPath: url.appendingPathComponent(name).path)
            }
            let repository = FileSystemRepository(directoryURL: url)
            #expect(try await repository.ids().isEmpty)
            #expect(FileManager.default.fileExists(atPath: url.appendingPathComponent(old).path), "nothing was written")
            try await repository.create(id: "a", item: 1)
            #expect(
                Set(try FileManager.default.contentsOfDirectory(atPath: url.path))
                    == [young, "temp_notes", "item_a", "lock"])
        }
    }
}
