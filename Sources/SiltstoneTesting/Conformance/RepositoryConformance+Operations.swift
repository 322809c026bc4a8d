import CRUDKit
import Foundation

/// Sequential checks of the four operations.
extension RepositoryConformance {
    func checkCreatedIsReadBack() async throws {
        let repository = try await makeRepository("read-back")
        func check<T: Codable & Equatable>(_ item: T, _ id: String) async throws {
            try await repository.create(id: id, item: item)
            try await repository.expect(item, id: id, "after create")
            try await repository.expect(item, id: id, "for the second time")
        }
        try await check(SampleItem(name: "Chill Client", number: 1, tags: ["a", "b"], inner: ["k": [1]]), "structure")
        try await check([SampleItem(name: "one", number: 1), SampleItem(name: "two", number: 2)], "array")
        try await check(["one": 1, "two": 2], "dictionary")
        try await check("a string with a \0 null, a \n line and 🙂", "string")
        try await check("", "empty-string")
        try await check(Int.min, "integer")
        try await check(UInt64.max - 1, "unsigned")
        try await check(true, "boolean")
        try await check(0.1, "number")
        try await check(Data((0...255).map { UInt8($0) }), "data")
        try await check([Int](), "empty-array")
        try await check([SampleItem](repeating: SampleItem(name: "large", number: 7), count: 3000), "large")
        // Databases that rewrite all their data at each change would rewrite it in all later checks.
        try await repository.delete(id: "large")
    }

    func checkCreateRefusesExisting() async throws {
        let repository = try await makeRepository("create-existing")
        let first = SampleItem(name: "first", number: 1)
        try await repository.create(id: "id", item: first)
        for _ in 0..<2 {
            try await requireAlreadyExists("id", "create of") {
                try await repository.create(id: "id", item: SampleItem(name: "second", number: 2))
            }
            try await requireAlreadyExists("id", "create, with another type, of") {
                try await repository.create(id: "id", item: "second")
            }
            try await repository.expect(first, id: "id", "after a refused create")
        }
    }

    func checkMissingIsNotFound() async throws {
        let repository = try await makeRepository("missing")
        try await repository.expectMissing(id: "id")
        try await repository.create(id: "id", item: 1)
        for id in ["", "i", "id2", "ID", "id ", "id\0", "/id"] { try await repository.expectMissing(id: id) }
        try await repository.expect(1, id: "id", "after failed operations on others")
    }

    func checkUpdateReplaces() async throws {
        let repository = try await makeRepository("update")
        try await repository.create(
            id: "id", item: SampleItem(name: "long", number: 1, tags: .init(repeating: "t", count: 500)))
        let second = SampleItem(name: "short", number: 2)
        try await repository.update(id: "id", item: second)
        try await repository.expect(second, id: "id", "after update")
        try await repository.update(id: "id", item: [1, 2, 3])
        try await repository.expect([1, 2, 3], id: "id", "after update with another type")
        for number in 0..<20 {
            try await repository.update(id: "id", item: number)
            try await repository.expect(number, id: "id", "after update \(number)")
        }
    }

    func checkDeleteRemoves() async throws {
        let repository = try await makeRepository("delete")
        for round in 0..<3 {
            try await repository.create(id: "id", item: round)
            try await repository.create(id: "other\(round)", item: round)
            try await repository.expect(round, id: "id", "in round \(round)")
            do { try await repository.delete(id: "id") } catch {
                throw Violation("delete of an item that exists threw \(error).")
            }
            try await repository.expectMissing(id: "id")
        }
        for round in 0..<3 { try await repository.expect(round, id: "other\(round)", "after others were deleted") }
    }

    func checkFailedEncoding() async throws {
        let repository = try await makeRepository("encoding")
        func fails(_ what: String, _ body: () async throws -> Void) async throws {
            do { try await body() } catch { return }
            throw Violation("\(what) of an item that cannot be encoded did not throw.")
        }
        try await fails("create") { try await repository.create(id: "new", item: UnencodableItem()) }
        try await requireNotFound("new", "read, after a create that failed, of") {
            let _: [String] = try await repository.read(id: "new")
        }
        try await repository.create(id: "new", item: 1)
        try await fails("update") { try await repository.update(id: "new", item: UnencodableItem()) }
        try await repository.expect(1, id: "new", "after an update that failed")
        let derived = DerivedOperations(repository: repository)
        try await fails("upsert") { try await derived.upsert(id: "new", item: UnencodableItem()) }
        try await repository.expect(1, id: "new", "after an upsert that failed")
        let batch = [("first", 1), ("middle", -1), ("last", 2)].map { id, number in
            (id: id, item: PartlyEncodableItem(number: number))
        }
        try await fails("createAll") { try await derived.createAll(batch) }
        for id in ["middle", "last"] { try await repository.expectMissing(id: id) }
        // Other repositories may keep the items before the failure.
        if repository is any RecordRepository { try await repository.expectMissing(id: "first") }
    }

    func checkFailedDecoding() async throws {
        let repository = try await makeRepository("decoding")
        let item = SampleItem(name: "item", number: 1)
        try await repository.create(id: "id", item: item)
        do {
            let numbers: [Int] = try await repository.read(id: "id")
            throw Violation("A structure was read as \(numbers).")
        } catch let violation as Violation {
            throw violation
        } catch CRUDRepositoryError.recordNotFound {
            throw Violation("read as another type threw recordNotFound for a record that exists.")
        } catch {}
        try await repository.expect(item, id: "id", "after a read as another type")
        try await checkFailedListing()
    }

    /// Lists items of which the one in the middle has another type.
    private func checkFailedListing() async throws {
        guard let repository = try await makeRepository("decoding-all") as? any CRUDCollection else { return }
        let item = SampleItem(name: "item", number: 1)
        try await repository.create(id: "a", item: [1])
        try await repository.create(id: "b", item: item)
        try await repository.create(id: "c", item: [3])
        do {
            let all = try await repository.all(of: [Int].self)
            throw Violation("all(of:) gives \(all.count) items, although one has another type.")
        } catch let violation as Violation {
            throw violation
        } catch CRUDRepositoryError.recordNotFound {
            throw Violation("all(of:) threw recordNotFound for a record of another type.")
        } catch {}
        try await repository.expect([1], id: "a", "after all(of:) as another type")
        try await repository.expect(item, id: "b", "after all(of:) as another type")
        try await repository.expect([3], id: "c", "after all(of:) as another type")
    }

    func checkExistsAndUpsert() async throws {
        let repository = try await makeRepository("exists")
        let derived = DerivedOperations(repository: repository)
        try require(!(try await derived.exists(id: "id")), "exists is true in an empty table.")
        try await derived.upsert(id: "id", item: 1)
        try require(try await derived.exists(id: "id"), "exists is false after upsert.")
        try await repository.expect(1, id: "id", "after upsert")
        try await derived.upsert(id: "id", item: ["two"])
        try await repository.expect(["two"], id: "id", "after a second upsert")
        try require(!(try await derived.exists(id: "ID")), "exists is true for another identifier.")
        try await requireAlreadyExists("id", "create, after upsert, of") {
            try await repository.create(id: "id", item: 3)
        }
        try await repository.delete(id: "id")
        try require(!(try await derived.exists(id: "id")), "exists is true after delete.")
    }
}
