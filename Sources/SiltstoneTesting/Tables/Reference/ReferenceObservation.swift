import Synchronization
import TableKit

/// Ends at the first commit after a version.
final class ReferenceObservation: TableObservation {
    private enum State {
        case idle
        case waiting(CheckedContinuation<Void, any Error>)
        case cancelled
    }

    private static let nextID = Atomic<Int>(0)

    private let engine: ReferenceEngine
    private let version: Int
    private let id = ReferenceObservation.nextID.wrappingAdd(1, ordering: .relaxed).newValue
    private let state = Mutex(State.idle)

    init(_ engine: ReferenceEngine, version: Int) {
        self.engine = engine
        self.version = version
    }

    func change() async throws {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isCancelled = state.withLock { state in
                    if case .cancelled = state { return true }
                    state = .waiting(continuation)
                    return false
                }
                if isCancelled { return continuation.resume(throwing: CancellationError()) }
                engine.observe(id, since: version) { self.finish(.idle) }
            }
        } onCancel: {
            cancel()
        }
    }

    func cancel() {
        engine.forgetObserver(id)
        finish(.cancelled)
    }

    private func finish(_ next: State) {
        let waiting = state.withLock { state -> CheckedContinuation<Void, any Error>? in
            defer { if case .cancelled = state {} else { state = next } }
            if case .waiting(let continuation) = state { return continuation }
            return nil
        }
        if case .cancelled = next {
            waiting?.resume(throwing: CancellationError())
        } else {
            waiting?.resume()
        }
    }
}
