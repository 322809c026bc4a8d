import CRUDKit

/// The operations on one repository, in their order.
struct RepositoryRun<R: RecordRepository>: Sendable {
    let repository: R
    /// Items.
    let count: Int
    let isSynced: Bool

    private static var tasks: Int { 8 }

    /// Creates, reads, updates, lists and deletes items; where a write waits for the disk, creates some from several
    /// tasks too, which may wait together.
    /// - Throws: ``BenchmarkError`` where an item comes back changed.
    func all() async throws -> [(name: String, course: Course)] {
        let (repository, count) = (repository, count)
        var courses: [(name: String, course: Course)] = []
        let order = IndexStream.permutation(count, .fillOrder)
        // The first of each kind finds nothing in the caches, nor in the runtime's.
        for i in 0..<20 {
            try await repository.create(id: "warm-\(i)", item: Customer(i))
            let _: Customer = try await repository.read(id: "warm-\(i)")
            try await repository.delete(id: "warm-\(i)")
        }
        courses.append(
            (
                "create",
                try await time(count) { i in
                    let index = Int(order[i])
                    try await repository.create(id: Customer.id(index), item: Customer(index))
                }
            ))
        if isSynced {
            courses.append(
                (
                    "create@\(Self.tasks)",
                    try await time(count, tasks: Self.tasks) { i in
                        try await repository.create(id: Customer.id(count + i), item: Customer(count + i))
                    }
                ))
        }
        var random = RandomSource(.reading)
        let drawn = (0..<count).map { _ in random.below(count) }
        courses.append(
            (
                "read",
                try await time(count) { i in
                    let item: Customer = try await repository.read(id: Customer.id(drawn[i]))
                    guard item == Customer(drawn[i]) else { throw BenchmarkError("read a changed item") }
                }
            ))
        courses.append(
            (
                "update",
                try await time(count) { i in
                    try await repository.update(
                        id: Customer.id(Int(order[i])), item: Customer(Int(order[i]), version: 1))
                }
            ))
        courses.append(("list", try await list()))
        courses.append(
            ("delete", try await time(count) { i in try await repository.delete(id: Customer.id(Int(order[i]))) }))
        guard try await repository.count() == (isSynced ? count : 0) else {
            throw BenchmarkError("deleted items are still there")
        }
        return courses
    }

    /// Reads all items, page by page, in their order; an item is an operation.
    private func list() async throws -> Course {
        let before = ProcessUsage.now()
        var meter = Meter(operations: 1)
        meter.begin()
        let items = try await repository.all(of: Customer.self)
        meter.finish(items.count)
        let record = meter.record()
        let wanted = isSynced ? 2 * count : count
        guard items.count == wanted else { throw BenchmarkError("listed \(items.count) items of \(wanted)") }
        for (index, entry) in items.enumerated() {
            guard entry.item == Customer(index, version: index < count ? 1 : 0) else {
                throw BenchmarkError("listed a changed item")
            }
        }
        return Course(records: [record], before: before, after: .now())
    }

    /// Times `body` for each number below `count`, dealt out to tasks in equal parts.
    private func time(
        _ count: Int, tasks: Int = 1, _ body: @escaping @Sendable (Int) async throws -> Void
    ) async throws -> Course {
        let before = ProcessUsage.now()
        let records = try await withThrowingTaskGroup(of: ThreadRecord.self) { group in
            for task in 0..<tasks {
                group.addTask {
                    let numbers = task * count / tasks..<(task + 1) * count / tasks
                    var meter = Meter(operations: numbers.count)
                    meter.begin()
                    for i in numbers {
                        try await body(i)
                        meter.lap()
                    }
                    return meter.record()
                }
            }
            var records: [ThreadRecord] = []
            for try await record in group { records.append(record) }
            return records
        }
        return Course(records: records, before: before, after: .now())
    }
}
