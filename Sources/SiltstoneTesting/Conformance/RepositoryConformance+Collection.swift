import CRUDKit

/// Checks of collections.
extension RepositoryConformance {
    func checkListing() async throws {
        guard let repository = try await makeRepository("listing") as? any CRUDCollection else { return }
        try require(try await repository.ids().isEmpty, "An empty table lists identifiers.")
        try require(try await repository.count() == 0, "An empty table counts items.")
        // Both of each canonically equivalent pair: a dictionary of strings would merge them.
        let ids = Samples.strings + Samples.equivalents.map(\.0) + Samples.equivalents.map(\.1)
        for (number, id) in ids.enumerated() { try await repository.create(id: id, item: number) }
        let ordered = ids.enumerated().sorted { $0.element.utf8.lexicographicallyPrecedes($1.element.utf8) }

        try requireSame(try await repository.ids(), ordered.map(\.element), "ids()")
        try require(try await repository.count() == ids.count, "count() is wrong.")
        for limit in [1, 7, ids.count, ids.count + 1] {
            try await checkPages(of: repository, ordered.map(\.element), limit: limit)
        }
        let all = try await repository.all(of: Int.self)
        try requireSame(all.map(\.id), ordered.map(\.element), "all(of:)")
        try require(all.map(\.item) == ordered.map(\.offset), "all(of:) pairs identifiers with items of others.")
        try await checkSequence(of: repository, ordered.map { ($0.element, $0.offset) })
    }

    private func checkPages(of repository: some CRUDCollection, _ ids: [String], limit: Int) async throws {
        var listed: [String] = []
        while true {
            let page = try await repository.ids(after: listed.last, limit: limit)
            try require(page.count <= limit, "A page of \(limit) has \(page.count) identifiers.")
            listed += page
            if page.count < limit { break }
            try require(listed.count <= ids.count, "Pages of \(limit) do not end.")
        }
        try requireSame(listed, ids, "ids(after:limit: \(limit))")
        let between = try await repository.ids(after: "a\0", limit: 1)
        let expected = ids.first { "a\0".utf8.lexicographicallyPrecedes($0.utf8) }
        try requireSame(between, expected.map { [$0] } ?? [], "ids(after: \"a\\0\", limit: 1)")
    }

    private func checkSequence(of repository: some CRUDCollection, _ entries: [(String, Int)]) async throws {
        var position = 0
        for try await (id, item) in repository.items(of: Int.self) {
            try require(position < entries.count, "items(of:) does not end.")
            let (expected, number) = entries[position]
            try require(sameBytes(id, expected), "items(of:) gives \(quoted(id)) where \(quoted(expected)) is due.")
            try require(item == number, "items(of:) gives \(item) for \(quoted(id)) instead of \(number).")
            position += 1
        }
        try require(position == entries.count, "items(of:) ends after \(position) of \(entries.count) items.")
    }

    private func requireSame(_ found: [String], _ expected: [String], _ what: String) throws {
        for (position, (a, b)) in zip(found, expected).enumerated() {
            try require(sameBytes(a, b), "\(what) gives \(quoted(a)) at \(position), where \(quoted(b)) is due.")
        }
        try require(found.count == expected.count, "\(what) gives \(found.count) identifiers of \(expected.count).")
    }

    func checkBatches() async throws {
        let repository = try await makeRepository("batches")
        let derived = DerivedOperations(repository: repository)
        let items = (0..<50).map { (id: "id/\($0)", item: $0) }
        try await derived.createAll(items)
        for (id, item) in items { try await repository.expect(item, id: id, "after createAll") }
        try await requireAlreadyExists("id/7", "createAll with") {
            try await derived.createAll([(id: "id/7", item: -1)])
        }
        try await repository.expect(7, id: "id/7", "after a refused createAll")
        try await requireNotFound("none", "deleteAll with") { try await derived.deleteAll(ids: ["none"]) }
        try await requireAlreadyExists("twice", "createAll with twice") {
            try await derived.createAll([(id: "twice", item: 1), (id: "twice", item: 2)])
        }
        try await repository.create(id: "repeated", item: 1)
        try await requireNotFound("repeated", "deleteAll with twice") {
            try await derived.deleteAll(ids: ["repeated", "repeated"])
        }
        try await derived.deleteAll(ids: items.dropFirst().map(\.id))
        for (id, _) in items.dropFirst() { try await repository.expectMissing(id: id) }
        try await repository.expect(0, id: "id/0", "after deleteAll of others")
        try await derived.createAll([(id: String, item: Int)]())
        try await derived.deleteAll(ids: [])
    }

    func checkRefusedBatches() async throws {
        guard let repository = try await makeRepository("refused") as? any RecordRepository else { return }
        for id in ["a", "c", "e"] { try await repository.create(id: id, item: id) }
        // The identifier that prevents the batch is the first, in the middle and the last.
        for ids in [["a", "b", "d"], ["b", "c", "d"], ["b", "d", "e"]] {
            let existing = ids.first { $0 != "b" && $0 != "d" } ?? ""
            try await requireAlreadyExists(existing, "createAll of \(ids) with") {
                try await repository.createAll(ids.map { (id: $0, item: "new") })
            }
        }
        for ids in [["b", "a", "c"], ["a", "b", "c"], ["a", "c", "b"]] {
            try await requireNotFound("b", "deleteAll of \(ids) with") { try await repository.deleteAll(ids: ids) }
        }
        for ids in [["a", "a"], ["a", "c", "a"], ["c", "a", "a"]] {
            try await requireNotFound("a", "deleteAll of \(ids) with") { try await repository.deleteAll(ids: ids) }
        }
        for id in ["b", "d"] { try await repository.expectMissing(id: id) }
        for id in ["a", "c", "e"] { try await repository.expect(id, id: id, "after refused batches") }
    }
}
