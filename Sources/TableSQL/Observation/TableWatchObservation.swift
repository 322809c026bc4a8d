import Synchronization
import TableKit

/// Ends at the first commit that changes one of the tables that a read has used.
final class TableWatchObservation: TableObservation {
    private struct State {
        var number: Int?
        var continuation: CheckedContinuation<Void, any Error>?
        var isCancelled = false
    }

    private let watch: TableWatch
    private let tables: Set<String>
    private let mark: TableWatch.Mark
    private let state = Mutex(State())

    init(_ watch: TableWatch, _ tables: Set<String>, since mark: TableWatch.Mark) {
        self.watch = watch
        self.tables = tables
        self.mark = mark
        watch.addObservation()
    }

    deinit { watch.removeObservation() }

    func change() async throws {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isCancelled = state.withLock { state in
                    if !state.isCancelled { state.continuation = continuation }
                    return state.isCancelled
                }
                if isCancelled { return continuation.resume(throwing: CancellationError()) }
                let number = watch.wait(for: tables, since: mark) { error in
                    let continuation = self.take()
                    if let error { continuation?.resume(throwing: error) } else { continuation?.resume() }
                }
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
