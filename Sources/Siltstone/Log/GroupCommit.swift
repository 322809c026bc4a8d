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
/// Each has a ``CommitWaiter`` of its own and is called once, when its change is durable or it is its turn to lead; one
/// condition for all would wake all of them to find that most must sleep on. Tasks must not block the thread that
/// runs them; where only tasks wait, a queue of its own leads.
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

    struct Waiter {
        enum Kind {
            case thread(CommitWaiter)
            case task(CheckedContinuation<Result<Void, StoreError>, Never>)
        }
        var ticket: Ticket
        var kind: Kind
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
        /// Who waits for the next sync. While nobody leads, only such as somebody is on the way to lead for.
        var waiters: [Waiter] = []
        /// How many requests the next sync may expect.
        var expected = 1
        var counts = Counts()
    }

    let state = Locked(State())
    /// ``State/durable``, to be asked without the lock.
    let durableMark = Atomic<Ticket>(0)
    let queue = DispatchQueue(label: "siltstone.group-commit")
    private let patience = CommitPatience()
    private let sync: @Sendable () throws(StoreError) -> Ticket

    /// How often a leader gives way to those who are about to ask. A sync takes as long as some hundred of these.
    private static let greatestYields = 12
    /// And for how long, in nanoseconds: where others keep the processors busy, each time may take milliseconds.
    private static let longestYielding: UInt64 = 100_000
    /// So many requests for one sync make it worth while to stay awake for it: to wake them one after the other would take
    /// about as long as the sync.
    private static let crowd = 4

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
        if durable >= ticket { return }
        var waiter: CommitWaiter?
        while true {
            switch request(ticket, &waiter) {
            case .done: return
            case .failed(let error): throw error
            case .lead: lead(handingOver: true)
            case .wait(let waiter, let isCrowd): waiter.wait(staying: isCrowd ? patience : nil)
            }
        }
    }

    private enum Step {
        case done
        case failed(StoreError)
        case lead
        case wait(CommitWaiter, isCrowd: Bool)
    }

    /// What a thread has to do next. It has its waiter from the second time on.
    private func request(_ ticket: Ticket, _ waiter: inout CommitWaiter?) -> Step {
        let own = waiter ?? CommitWaiter()
        let isNew = waiter == nil
        waiter = own
        return state.withLock { state in
            if state.durable >= ticket { return .done }
            if let failure = state.failure { return .failed(isNew ? failure.refusal : failure) }
            if isNew { state.counts.requests += 1 }
            if !state.isSyncing {
                state.isSyncing = true
                return .lead
            }
            state.waiters.append(Waiter(ticket: ticket, kind: .thread(own)))
            return .wait(own, isCrowd: state.expected >= Self.crowd)
        }
    }

    /// Makes one sync for all who wait, by the one who has set ``State/isSyncing``.
    /// - Parameter handingOver: whether to see to it that someone leads for those who came meanwhile.
    func lead(handingOver: Bool) {
        let group = gather()
        let start = Platform.monotonicNanoseconds()
        let outcome = Result { () throws(StoreError) in try sync() }
        patience.noteSync(nanoseconds: Platform.monotonicNanoseconds() - start)
        let (done, next, asksQueue) = state.withLock { settle(&$0, group, outcome, handingOver: handingOver) }
        // The covered ones first: what they write next may still join the sync to come.
        for waiter in done { wake(waiter, outcome) }
        next?.call()
        if asksQueue { queue.async { self.leadForTasks() } }
    }

    /// Takes over those who wait, after giving way while fewer are there than last time: those whom the last sync
    /// has released are about to come back. Without this, two halves of the threads would take turns for ever, each
    /// paying for a sync of its own.
    private func gather() -> [Waiter] {
        let end = Platform.monotonicNanoseconds() + Self.longestYielding
        for _ in 0..<Self.greatestYields {
            let isComplete = state.withLock { $0.waiters.count + 1 >= $0.expected }
            if isComplete || Platform.monotonicNanoseconds() > end { break }
            Platform.yieldThread()
        }
        return state.withLock { state in
            defer { state.waiters = [] }
            return state.waiters
        }
    }

    /// Enters the outcome of a sync.
    /// - Returns: whom to wake, which thread is to lead next, and whether the queue is to.
    private func settle(
        _ state: inout State, _ group: [Waiter], _ outcome: Result<Ticket, StoreError>, handingOver: Bool
    ) -> (done: [Waiter], next: CommitWaiter?, asksQueue: Bool) {
        state.isSyncing = false
        state.counts.syncs += 1
        // It shrinks by and by, so that one small group among large ones does not break them up.
        state.expected = max(group.count + 1 + state.waiters.count, state.expected - max(1, state.expected / 8))
        let all = group + state.waiters
        state.waiters = []
        switch outcome {
        case .failure(let error):
            state.failure = error
            return (all, nil, false)
        case .success(let ticket):
            state.durable = max(state.durable, ticket)
            durableMark.store(state.durable, ordering: .releasing)
        }
        // Of those who came during the sync, some may be covered: their change was made before it and their request
        // after. One of them must not be told to lead, as it would go its way and leave the others asleep.
        var done: [Waiter] = []
        for waiter in all {
            if waiter.ticket <= state.durable { done.append(waiter) } else { state.waiters.append(waiter) }
        }
        guard handingOver, !state.waiters.isEmpty else { return (done, nil, false) }
        for (index, waiter) in state.waiters.enumerated() {
            if case .thread(let next) = waiter.kind {
                state.waiters.remove(at: index)
                return (done, next, false)
            }
        }
        return (done, nil, state.askQueue())
    }

    private func wake(_ waiter: Waiter, _ outcome: Result<Ticket, StoreError>) {
        switch waiter.kind {
        case .thread(let waiter): waiter.call()
        case .task(let continuation): continuation.resume(returning: outcome.map { _ in })
        }
    }
}
