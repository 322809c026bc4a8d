import CRUDKit

/// Keeps batches that look before they write apart from single changes of the same store.
///
/// A single change is conditional in the engine. A batch is not: it has to look up its identifiers first, and no one may
/// create or delete one of them between. Single changes pass side by side, at the cost of two uncontended locks; a
/// batch waits for those under way and holds up those to come. Waiting suspends a task and blocks no thread.
final class BatchGate: Sendable {
    private struct State {
        var passing = 0
        var isClosed = false
        /// In order of arrival, so that neither kind can starve the other.
        var waiting: [(isBatch: Bool, resume: CheckedContinuation<Void, Never>)] = []

        /// Lets in those in front who may enter now.
        mutating func admit() -> [CheckedContinuation<Void, Never>] {
            var admitted: [CheckedContinuation<Void, Never>] = []
            while let first = waiting.first, !isClosed, !first.isBatch || passing == 0 {
                if first.isBatch { isClosed = true } else { passing += 1 }
                admitted.append(waiting.removeFirst().resume)
            }
            return admitted
        }
    }

    private let state = Locked(State())

    /// Runs a single change.
    func pass<R>(_ body: () async throws -> R) async rethrows -> R {
        await enter(isBatch: false)
        defer { leave { $0.passing -= 1 } }
        return try await body()
    }

    /// Runs a batch, alone.
    func alone<R>(_ body: () async throws -> R) async rethrows -> R {
        await enter(isBatch: true)
        defer { leave { $0.isClosed = false } }
        return try await body()
    }

    private func enter(isBatch: Bool) async {
        let entered = state.withLock { state in
            guard !state.isClosed, state.waiting.isEmpty, !isBatch || state.passing == 0 else { return false }
            if isBatch { state.isClosed = true } else { state.passing += 1 }
            return true
        }
        if entered { return }
        await withCheckedContinuation { continuation in
            let admitted = state.withLock { state in
                state.waiting.append((isBatch, continuation))
                return state.admit()
            }
            for waiter in admitted { waiter.resume() }
        }
    }

    private func leave(_ change: (inout State) -> Void) {
        let admitted = state.withLock { state in
            change(&state)
            return state.admit()
        }
        for waiter in admitted { waiter.resume() }
    }
}
