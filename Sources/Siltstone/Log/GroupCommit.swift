import Dispatch
import Synchronization

/// Turns many requests to make changes durable into few syncs.
///
/// A request names the ticket of its change, which grows with every change. Whoever comes while no sync runs leads
/// one, for all who have come by then; whoever comes while one runs waits for the next. So the rate of requests may
/// be far above that of the disk's syncs (DeWitt et al., "Implementation Techniques for Main Memory Database
/// Systems", SIGMOD 1984).
///
/// Threads lead on their own account: to hand a sync to another thread and back costs several times the write itself.
/// One call wakes all who wait. To wake each by a call of its own took the leader as long as a third of the sync, and to
/// stay awake takes the processors from those who work for the disk, the host's threads of a virtual machine among them:
/// syncs took twice as long. Tasks must not block the thread that runs them; where only tasks wait, a queue of its own
/// leads.
final class GroupCommit: Sendable {
    /// A place in the order of changes, such as a sequence number.
    typealias Ticket = UInt64

    /// How much there was to do.
    struct Counts: Sendable, Hashable {
        /// Requests that were not durable already.
        var requests = 0
        /// Syncs that were made for them.
        var syncs = 0
    }

    /// A task that waits.
    struct Waiter {
        var ticket: Ticket
        var continuation: CheckedContinuation<Result<Void, StoreError>, Never>
    }

    struct State {
        /// Changes up to this ticket are durable.
        var durable: Ticket = 0
        /// Why no sync is made any more.
        var failure: StoreError?
        /// Whether someone leads.
        var isSyncing = false
        /// Whether the queue was told to lead, and has not begun.
        var isQueueAsked = false
        /// Tasks that wait for the next sync. While nobody leads, only such as somebody is on the way to lead for.
        var waiters: [Waiter] = []
        /// The greatest ticket that a thread waits for since the last sync began.
        var greatestOfThreads: Ticket = 0
        /// Syncs that have begun: who waits since before one of them does not count for the next.
        var begun = 0
        /// How many requests the next sync may expect.
        var expected = 1
        var counts = Counts()
    }

    let state = Locked(State(), rank: .leaf)
    /// Threads and tasks that wait for the next sync. Changed under the lock, to be asked without.
    let arrived = Atomic<Int>(0)
    /// ``State/durable``, to be asked without the lock.
    let durableMark = Atomic<Ticket>(0)
    let queue = DispatchQueue(label: "siltstone.group-commit")
    private let sync: @Sendable () throws(StoreError) -> Ticket

    /// How often a leader gives way to those who are about to ask: while these are woken, some hundred nanoseconds to a few
    /// microseconds each time.
    private static let greatestYields = 50
    /// And for how long, in nanoseconds: where others keep the processors busy, each time may take milliseconds.
    private static let longestYielding: UInt64 = 100_000

    /// - Parameters:
    ///   - durable: changes up to this ticket are durable already.
    ///   - sync: makes durable all changes whose tickets were given out before the call, and returns the greatest of
    ///     them. Never called by two threads at once, nor again once it has thrown.
    init(durable: Ticket = 0, sync: @escaping @Sendable () throws(StoreError) -> Ticket) {
        self.sync = sync
        state.withLock { $0.durable = durable }
        durableMark.store(durable, ordering: .releasing)
    }

    /// Changes up to this ticket are durable.
    var durable: Ticket { durableMark.load(ordering: .acquiring) }

    /// What was done so far.
    var counts: Counts { state.withLock { $0.counts } }

    /// Returns once the change with `ticket`, and all before it, are durable. Blocks the thread.
    /// - Throws: the error of the sync, to all who waited when it failed; ``StoreError/Code/refusesWrites`` with it as
    ///   the cause, to all who come later.
    func wait(for ticket: Ticket) throws(StoreError) {
        var isNew = true
        while durable < ticket {
            switch step(for: ticket, &isNew) {
            case .done: return
            case .failed(let error): throw error
            case .lead: lead(handingOver: true)
            }
        }
    }

    private enum Step {
        case done
        case failed(StoreError)
        case lead
    }

    /// What a thread has to do next: to lead, once no other one does.
    /// - Parameter isNew: whether it asks for the first time.
    private func step(for ticket: Ticket, _ isNew: inout Bool) -> Step {
        /// The syncs that had begun when this thread came to wait.
        var waitsSince: Int?
        return state.wait { state in
            if let failure = state.failure, state.durable < ticket { return .failed(isNew ? failure.refusal : failure) }
            let isDone = state.durable >= ticket
            if !isDone {
                if isNew { state.counts.requests += 1 }
                isNew = false
                if state.isSyncing {
                    if waitsSince == nil {
                        waitsSince = state.begun
                        arrived.add(1, ordering: .relaxed)
                    }
                    state.greatestOfThreads = max(state.greatestOfThreads, ticket)
                    return nil
                }
                state.isSyncing = true
            }
            // It waits no more; unless a sync has taken it over, it is one fewer for the next.
            if waitsSince == state.begun { arrived.subtract(1, ordering: .relaxed) }
            return isDone ? .done : .lead
        }
    }

    /// Makes one sync for all who wait, by the one who has set ``State/isSyncing``.
    /// - Parameter handingOver: whether to see to it that someone leads for those who came meanwhile.
    func lead(handingOver: Bool) {
        let group = gather()
        let outcome = Result { () throws(StoreError) in try sync() }
        let (done, asksQueue) = state.withLock { settle(&$0, group, outcome, handingOver: handingOver) }
        state.wakeAll()
        for task in done { task.continuation.resume(returning: outcome.map { _ in }) }
        if asksQueue { queue.async { self.leadForTasks() } }
    }

    /// Those for whom a sync is made.
    private struct Group {
        /// Threads and tasks, with the leader.
        var count: Int
        var tasks: [Waiter]
    }

    /// Takes over those who wait, after giving way while fewer are there than last time: those whom the last sync
    /// has released are about to come back. Without this, two halves of the threads would take turns for ever, each
    /// paying for a sync of its own.
    private func gather() -> Group {
        let expected = state.withLock { $0.expected }
        let end = Platform.monotonicNanoseconds() + Self.longestYielding
        for _ in 0..<Self.greatestYields {
            let isComplete = arrived.load(ordering: .relaxed) + 1 >= expected
            if isComplete || Platform.monotonicNanoseconds() > end { break }
            Platform.yieldThread()
        }
        return state.withLock { state in
            defer { state.waiters = [] }
            state.begun += 1
            state.greatestOfThreads = 0
            return Group(count: arrived.exchange(0, ordering: .relaxed) + 1, tasks: state.waiters)
        }
    }

    /// Enters the outcome of a sync.
    /// - Returns: the tasks that need not wait any more, and whether the queue is to lead next.
    private func settle(
        _ state: inout State, _ group: Group, _ outcome: Result<Ticket, StoreError>, handingOver: Bool
    ) -> (done: [Waiter], asksQueue: Bool) {
        state.isSyncing = false
        state.counts.syncs += 1
        // It shrinks by and by, so that one small group among large ones does not break them up.
        let all = group.count + arrived.load(ordering: .relaxed)
        state.expected = max(all, state.expected - max(1, state.expected / 8))
        let late = state.waiters
        switch outcome {
        case .failure(let error):
            state.failure = error
            state.waiters = []
            return (group.tasks + late, false)
        case .success(let ticket):
            state.durable = max(state.durable, ticket)
            durableMark.store(state.durable, ordering: .releasing)
        }
        // Of those who came during the sync, some may be covered: their change was made before it and their request
        // after. If threads are among them, these go their ways; only one that is not covered is sure to lead next.
        let durable = state.durable
        let waiting = group.tasks + late
        state.waiters = waiting.filter { $0.ticket > durable }
        arrived.subtract(late.count { $0.ticket <= durable }, ordering: .relaxed)
        let isLeft = handingOver && !state.waiters.isEmpty && state.greatestOfThreads <= durable
        return (waiting.filter { $0.ticket <= durable }, isLeft && state.askQueue())
    }
}
