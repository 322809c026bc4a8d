import Dispatch
import Synchronization

extension GroupCommit {
    /// Returns once the change with `ticket`, and all before it, are durable. Suspends the task and blocks no thread
    /// of the pool: the sync is made by a thread that waits for one, or by a queue.
    ///
    /// A cancelled task waits on: its change is in the log, and will be durable or fail all the same.
    /// - Throws: as the form that blocks.
    func wait(for ticket: Ticket) async throws(StoreError) {
        if durable >= ticket { return }
        let result: Result<Void, StoreError> = await withCheckedContinuation { continuation in
            switch request(ticket, continuation) {
            case .now(let result): continuation.resume(returning: result)
            case .wait: break
            case .waitForQueue: queue.async { self.leadForTasks() }
            }
        }
        try result.get()
    }

    private enum TaskStep {
        case now(Result<Void, StoreError>)
        case wait
        case waitForQueue
    }

    private func request(
        _ ticket: Ticket, _ continuation: CheckedContinuation<Result<Void, StoreError>, Never>
    ) -> TaskStep {
        state.withLock { state in
            if state.durable >= ticket { return .now(.success(())) }
            if let failure = state.failure { return .now(.failure(failure.refusal)) }
            state.counts.requests += 1
            state.waiters.append(Waiter(ticket: ticket, continuation: continuation))
            arrived.add(1, ordering: .relaxed)
            return !state.isSyncing && state.askQueue() ? .waitForQueue : .wait
        }
    }

    /// Leads, on the queue, as long as anyone waits and nobody else leads.
    func leadForTasks() {
        while state.withLock({ $0.beginForTasks() }) { lead(handingOver: false) }
    }
}

extension GroupCommit.State {
    /// Whether the queue has to be told to lead, which from now on it is.
    mutating func askQueue() -> Bool {
        if isQueueAsked { return false }
        isQueueAsked = true
        return true
    }

    /// Whether the queue leads, which from now on it does. Where another leads, that one sees to those who wait.
    mutating func beginForTasks() -> Bool {
        isQueueAsked = false
        guard !isSyncing, !waiters.isEmpty else { return false }
        isSyncing = true
        return true
    }
}
