import TableKit

/// Ends at this engine's first commit to a table that a read has used, or at the first change of the read's result by
/// anybody, which is checked at intervals.
struct PolledObservation: TableObservation {
    let own: TableWatchObservation
    let interval: Duration
    /// Whether the read would return another result now.
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
