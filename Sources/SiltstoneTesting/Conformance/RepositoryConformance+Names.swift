import CRUDKit

/// Checks of unusual identifiers and table names.
extension RepositoryConformance {
    func checkIdentifiers() async throws {
        let repository = try await makeRepository("identifiers")
        try await checkDistinct(Samples.strings, in: repository)
    }

    func checkEquivalentIdentifiers() async throws {
        let repository = try await makeRepository("equivalent")
        try await checkDistinct(Samples.equivalents.flatMap { [$0.0, $0.1] }, in: repository)
    }

    /// Checks that each identifier keeps its own item while others are created, updated and deleted.
    private func checkDistinct(_ ids: [String], in repository: any CRUDRepository & Sendable) async throws {
        for (number, id) in ids.enumerated() {
            do { try await repository.create(id: id, item: number) } catch {
                throw Violation("create of \(quoted(id)) threw \(error).")
            }
        }
        for (number, id) in ids.enumerated() { try await repository.expect(number, id: id, "among others") }
        for (number, id) in ids.enumerated() {
            try await requireAlreadyExists(id, "create of") { try await repository.create(id: id, item: -1) }
            try await repository.update(id: id, item: number + 1000)
        }
        for (number, id) in ids.enumerated() where number.isMultiple(of: 2) {
            do { try await repository.delete(id: id) } catch {
                throw Violation("delete of \(quoted(id)) threw \(error).")
            }
        }
        for (number, id) in ids.enumerated() {
            if number.isMultiple(of: 2) {
                try await repository.expectMissing(id: id)
            } else {
                try await repository.expect(number + 1000, id: id, "after others were deleted")
            }
        }
    }

    func checkTables() async throws {
        let names = Samples.neighbours
        for (number, name) in names.enumerated() {
            let repository = try await makeRepository(name.table)
            do { try await repository.create(id: name.id, item: number) } catch {
                throw Violation("create of \(quoted(name.id)) in table \(quoted(name.table)) threw \(error).")
            }
        }
        for (number, name) in names.enumerated() {
            let place = "in table \(quoted(name.table))"
            try await makeRepository(name.table).expect(number, id: name.id, place)
        }
        for (number, name) in names.enumerated() {
            let repository = try await makeRepository(name.table)
            if let collection = repository as? any CRUDCollection {
                let expected = Set(
                    names[number...].filter { sameBytes($0.table, name.table) }.map { Array($0.id.utf8) })
                let listed = try await collection.ids()
                try require(
                    listed.count == expected.count && Set(listed.map { Array($0.utf8) }) == expected,
                    "Table \(quoted(name.table)) lists \(listed.map(quoted)).")
            }
            try await repository.delete(id: name.id)
            try await requireNotFound(name.id, "read, after delete in table \(quoted(name.table)), of") {
                let _: Int = try await repository.read(id: name.id)
            }
            if number + 1 < names.count {
                let next = names[number + 1]
                let after = "in table \(quoted(next.table)) after a delete in table \(quoted(name.table))"
                try await makeRepository(next.table).expect(number + 1, id: next.id, after)
            }
        }
    }

    func checkTableIsShared() async throws {
        let (first, second) = (try await makeRepository("shared"), try await makeRepository("shared"))
        try await first.create(id: "id", item: 1)
        try await second.expect(1, id: "id", "through a second repository")
        try await requireAlreadyExists("id", "create, through a second repository, of") {
            try await second.create(id: "id", item: 2)
        }
        try await second.update(id: "id", item: 2)
        try await first.expect(2, id: "id", "after an update through a second repository")
        try await second.delete(id: "id")
        try await first.expectMissing(id: "id")
    }
}
