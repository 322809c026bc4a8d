import Dispatch
import Synchronization

/// Turns many requests to make changes durable into few syncs.
///
/// A request names the ticket of its change; tickets grow with every change. As in RocksDB's `WriteThread`, there is
/// one leader at a time, and the others follow. A request that arrives while no sync runs becomes the leader, and makes
/// one sync for all requests that have arrived by then. A request that arrives during a sync waits for the next sync.
/// So the rate of requests may be far above the rate of the disk's syncs (DeWitt et al., "Implementation Techniques for
/// Main Memory Database Systems", SIGMOD 1984).
///
/// The leading thread makes the sync itself, because passing a sync to another thread and back costs several times the
/// write. One call wakes all waiting threads. Waking each by a call of its own measured slower, because it took the
/// leader a third of the time of the sync. Spinning instead of sleeping measured slower too. Syncs took twice as long,
/// because spinning takes the processors from the threads that work for the disk, among them the host's threads of a
/// virtual machine. Tasks must not block the thread that runs them. If only tasks wait, a queue leads for them.
final class GroupCommit: Sendable {
    /// A position in the order of changes, such as a sequence number.
    typealias Ticket = UInt64

    /// Numbers of requests and syncs.
    struct Counts: Sendable, Hashable {
        /// Requests whose change was not durable yet.
        var requests = 0
        /// Syncs that were made for them.
        var syncs = 0
    }

    /// A waiting task.
    struct Waiter {
        var ticket: Ticket
        var continuation: CheckedContinuation<Result<Void, StoreError>, Never>
    }

    /// The requests and the leader, under the lock.
    struct State {
        /// The error of the failed sync. Once it is set, no further sync is made.
        var failure: StoreError?
        /// True while a leader is active.
        var isSyncing = false
        /// True while the queue is scheduled to lead, and has not started.
        var isQueueScheduled = false
        /// Tasks that wait for the next sync. While nobody leads, a thread or the queue is about to lead for them.
        var waiters: [Waiter] = []
        /// The largest ticket of the threads that have waited since the start of the last sync; 0 if there are none.
        var greatestOfThreads: Ticket = 0
        /// Number of syncs that have started. Each start resets ``GroupCommit/arrived``, which counts only the requests
        /// that arrived later.
        var begun = 0
        /// Number of requests, leader included, for which the next leader waits a moment.
        var expected = 1
        var counts = Counts()
    }

    let state = Locked(State(), rank: .leaf)
    /// Number of threads and tasks that wait for the next sync. Changed under the lock, read without it by the leader,
    /// who waits for the expected number.
    let arrived = Atomic<Int>(0)
    /// See ``durable``. Changed under the lock.
    private let durableMark: Atomic<Ticket>
    /// Leads if only tasks wait.
    let queue = DispatchQueue(label: "siltstone.group-commit")
    private let sync: @Sendable () throws(StoreError) -> Ticket

    /// Largest number of times that a leader yields the processor to threads that are about to request a sync. One
    /// yield takes some hundred nanoseconds to a few microseconds while such threads are woken.
    private static let greatestYields = 50
    /// Longest time that a leader spends yielding, in nanoseconds. The limit is needed because one yield may take
    /// milliseconds if other threads keep the processors busy.
    private static let longestYielding: UInt64 = 100_000

    /// Creates a group commit without requests.
    /// - Parameters:
    ///   - durable: changes up to this ticket are durable already.
    ///   - sync: makes all changes durable whose tickets were taken before the call, and returns the largest of these
    ///     tickets. Never called by two threads at once, and not called again once it has thrown.
    init(durable: Ticket = 0, sync: @escaping @Sendable () throws(StoreError) -> Ticket) {
        self.sync = sync
        durableMark = Atomic(durable)
    }

    /// Changes up to this ticket are durable.
    var durable: Ticket { durableMark.load(ordering: .acquiring) }

    /// Numbers of requests and syncs so far.
    var counts: Counts { state.withLock { $0.counts } }

    /// Returns once the change with `ticket`, and all changes before it, are durable. Blocks the thread.
    /// - Throws: the error of the sync, to every caller who waited when it failed. Later callers get its refusal:
    ///   ``StoreError/Code/refusesWrites`` with that error as the cause.
    func wait(for ticket: Ticket) throws(StoreError) {
        var isNew = true
        while durable < ticket {
            if try mustLead(for: ticket, &isNew).get() { lead(handingOver: true) }
        }
    }

    /// Waits until the outcome of this thread's request is known, or until the thread can lead.
    /// - Parameter isNew: true at the thread's first call; set to false once the request is counted.
    /// - Returns: whether the thread must lead; if not, its change is durable.
    private func mustLead(for ticket: Ticket, _ isNew: inout Bool) -> Result<Bool, StoreError> {
        /// Number of syncs that had started when this thread began to wait.
        var waitsSince: Int?
        return state.wait { state in
            let isDone = durable >= ticket
            if !isDone, let failure = state.failure { return .failure(isNew ? failure.refusal : failure) }
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
            // The thread stops waiting. If no sync has started since it began, it is still counted in `arrived`, and
            // the next sync must not expect it.
            if waitsSince == state.begun { arrived.subtract(1, ordering: .relaxed) }
            return .success(!isDone)
        }
    }

    /// Makes one sync for all waiting requests. The caller has set ``State/isSyncing``.
    /// - Parameter handingOver: true for a thread. It schedules the queue as the next leader if only tasks wait for the
    ///   next sync. The queue passes false, because it checks for waiting tasks itself.
    func lead(handingOver: Bool) {
        let group = gather()
        let outcome = Result { () throws(StoreError) in try sync() }
        let (done, asksQueue) = state.withLock { finish(&$0, group, outcome, handingOver: handingOver) }
        state.wakeAll()
        for task in done { task.continuation.resume(returning: outcome.map { _ in }) }
        if asksQueue { queue.async { self.leadForTasks() } }
    }

    /// The requests that one sync serves.
    private struct Group {
        /// Number of threads and tasks, leader included.
        var count: Int
        var tasks: [Waiter]
    }

    /// Takes over the waiting requests. While there are fewer than expected, it first yields the processor, because the
    /// threads that the last sync has released are about to return. Without this, two halves of the threads would
    /// take turns for ever, and each would pay for a sync of its own.
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

    /// Records the outcome of a sync.
    /// - Returns: the tasks that are done, and whether the queue is the next leader.
    private func finish(
        _ state: inout State, _ group: Group, _ outcome: Result<Ticket, StoreError>, handingOver: Bool
    ) -> (done: [Waiter], asksQueue: Bool) {
        state.isSyncing = false
        state.counts.syncs += 1
        // `expected` shrinks by an eighth at a time, so that one small group between large ones does not break them up.
        let all = group.count + arrived.load(ordering: .relaxed)
        state.expected = max(all, state.expected - max(1, state.expected / 8))
        let late = state.waiters
        switch outcome {
        case .failure(let error):
            state.failure = error
            state.waiters = []
            return (group.tasks + late, false)
        case .success(let ticket):
            durableMark.store(max(durable, ticket), ordering: .releasing)
        }
        // Some requests that arrived during the sync may be durable, because their change was made before the sync and
        // their request after its start. A thread among them returns without leading. Only a thread whose ticket is not
        // durable is sure to lead next, so without one the queue must lead for the tasks.
        let durable = durable
        let waiting = group.tasks + late
        state.waiters = waiting.filter { $0.ticket > durable }
        arrived.subtract(late.count { $0.ticket <= durable }, ordering: .relaxed)
        let isLeft = handingOver && !state.waiters.isEmpty && state.greatestOfThreads <= durable
        return (waiting.filter { $0.ticket <= durable }, isLeft && state.askQueue())
    }
}
