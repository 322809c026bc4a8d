/// Times the operations of a workload on tables.
enum TableMeter {
    /// Runs `body` for each number below `count`, on the caller's thread.
    /// - Parameters:
    ///   - weight: what one call counts for.
    ///   - body: reads into the tally.
    static func time(_ count: Int, weight: Int = 1, _ body: (Int, inout Tally) throws -> Void) rethrows -> Course {
        let before = ProcessUsage.now()
        var meter = Meter(operations: count * weight, step: weight)
        var tally = Tally()
        meter.begin()
        for i in 0..<count {
            try body(i, &tally)
            meter.lap(weight)
        }
        return Course(records: [meter.record(tally)], before: before, after: .now())
    }

    /// Runs `body` for each number below `count`, dealt out to tasks in equal parts.
    static func time(
        _ count: Int, tasks: Int, _ body: @escaping @Sendable (Int) async throws -> Void
    ) async throws -> Course {
        let before = ProcessUsage.now()
        let records = try await withThrowingTaskGroup(of: ThreadRecord.self) { group in
            for task in 0..<tasks {
                let numbers = task * count / tasks..<(task + 1) * count / tasks
                group.addTask {
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
