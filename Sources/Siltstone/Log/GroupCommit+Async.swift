import Dispatch
import Synchronization

extension GroupCommit {
    /// Returns once the change with `ticket`, and all changes before it, are durable. Suspends the task and blocks no
    /// thread of the cooperative pool: a thread that waits for a change of its own makes the sync, or else a queue.
    ///
    /// A cancelled task keeps waiting, because its change is in the log, and becomes durable or fails in any case.
    /// - Throws: as the blocking form.
    func wait(for ticket: Ticket) async throws(StoreError) {
        if durable >= ticket { return }
        let result: Result<Void, StoreError> = await withCheckedContinuation { continuation in
            let (known, asksQueue) = request(ticket, continuation)
            if let known { continuation.resume(returning: known) }
            if asksQueue { queue.async { self.leadForTasks() } }
        }
        try result.get()
    }

    /// Adds a task to the waiters, unless its outcome is known already.
    /// - Returns: the outcome, if it is known; and true if the caller must schedule the queue as the leader.
    private func request(
        _ ticket: Ticket, _ continuation: CheckedContinuation<Result<Void, StoreError>, Never>
    ) -> (known: Result<Void, StoreError>?, asksQueue: Bool) {
        state.withLock { state in
            if durable >= ticket { return (.success(()), false) }
            // The sync failed before this request, so the caller gets the refusal instead of the error itself.
            if let failure = state.failure { return (.failure(failure.refusal), false) }
            state.counts.requests += 1
            state.waiters.append(Waiter(ticket: ticket, continuation: continuation))
            // The next leader waits for a moment until `arrived` reaches the expected number.
            arrived.add(1, ordering: .relaxed)
            return (nil, !state.isSyncing && state.askQueue())
        }
    }

    /// Leads on the queue, as long as tasks wait and no other leader is active.
    func leadForTasks() {
        // No hand-over is needed, because this loop also serves the tasks that arrive during a sync.
        while state.withLock({ $0.beginForTasks() }) { lead(handingOver: false) }
    }
}

extension GroupCommit.State {
    /// Marks the queue as scheduled to lead. Returns false if it was scheduled already.
    mutating func askQueue() -> Bool {
        if isQueueScheduled { return false }
        isQueueScheduled = true
        return true
    }

    /// Makes the queue the leader, and marks it as no longer scheduled. Returns false if another leader is active, who
    /// then serves the waiting tasks, or if no task waits.
    mutating func beginForTasks() -> Bool {
        isQueueScheduled = false
        guard !isSyncing, !waiters.isEmpty else { return false }
        isSyncing = true
        return true
    }
}
