import TableKit

/// Tells of the first commit of this engine that changes a table which a read has used, and of the first change of the
/// read's result by anybody, at which it looks at intervals.
struct PolledObservation: TableObservation {
    let own: TableWatchObservation
    let interval: Duration
    /// Whether the read would give something else now. Blocks.
    let hasChanged: @Sendable () async throws -> Bool

    func change() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await own.change() }
            group.addTask {
                repeat { try await Task.sleep(for: interval) } while try await !hasChanged()
            }
            defer { group.cancelAll() }
            try await group.next()
        }
    }

    func cancel() { own.cancel() }
}
