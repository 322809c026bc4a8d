import Synchronization
import TableKit

/// Tells observers of tables that a commit changed.
package final class TableWatch: Sendable {
    private struct State {
        var next = 0
        /// How many commits changed each table.
        var commits: [String: Int] = [:]
        var waiting: [Int: (tables: Set<String>, wake: @Sendable () -> Void)] = [:]
    }

    private let state = Mutex(State())

    /// Where the tables of a read stand.
    package struct Mark: Sendable {
        var commits: [String: Int]
    }

    package init() {}

    /// The commits so far.
    package func mark() -> Mark { Mark(commits: state.withLock { $0.commits }) }

    /// Tells of a commit that changed tables.
    package func tell(_ tables: Set<String>) {
        let wakes = state.withLock { state -> [@Sendable () -> Void] in
            for table in tables { state.commits[table, default: 0] += 1 }
            let woken = state.waiting.filter { !$0.value.tables.isDisjoint(with: tables) }
            for key in woken.keys { state.waiting[key] = nil }
            return woken.values.map(\.wake)
        }
        for wake in wakes { wake() }
    }

    /// Has `wake` called after the first commit since a mark that changed one of the tables; at once if there was one.
    func wait(for tables: Set<String>, since mark: Mark, wake: @escaping @Sendable () -> Void) -> Int {
        let number = state.withLock { state -> Int? in
            if tables.contains(where: { state.commits[$0] != mark.commits[$0] }) { return nil }
            state.next += 1
            state.waiting[state.next] = (tables, wake)
            return state.next
        }
        if number == nil { wake() }
        return number ?? 0
    }

    func forget(_ number: Int) { state.withLock { _ = $0.waiting.removeValue(forKey: number) } }
}

/// Tells of the first commit that changes one of the tables which a read has used.
final class TableWatchObservation: TableObservation {
    private let watch: TableWatch
    private let tables: Set<String>
    private let mark: TableWatch.Mark
    private let state = Mutex<(number: Int?, continuation: CheckedContinuation<Void, any Error>?, isCancelled: Bool)>(
        (nil, nil, false))

    init(_ watch: TableWatch, _ tables: Set<String>, since mark: TableWatch.Mark) {
        self.watch = watch
        self.tables = tables
        self.mark = mark
    }

    func change() async throws {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isCancelled = state.withLock { state in
                    if !state.isCancelled { state.continuation = continuation }
                    return state.isCancelled
                }
                if isCancelled { return continuation.resume(throwing: CancellationError()) }
                let number = watch.wait(for: tables, since: mark) { self.take()?.resume() }
                state.withLock { $0.number = number }
            }
        } onCancel: {
            cancel()
        }
    }

    private func take() -> CheckedContinuation<Void, any Error>? {
        state.withLock { state in
            defer { state.continuation = nil }
            return state.continuation
        }
    }

    func cancel() {
        let (number, continuation) = state.withLock { state in
            defer {
                state.isCancelled = true
                state.continuation = nil
            }
            return (state.number, state.continuation)
        }
        if let number { watch.forget(number) }
        continuation?.resume(throwing: CancellationError())
    }
}
