import Dispatch
import Synchronization

/// The turn that a transaction takes after repeated conflicts. Without it, many short transactions could starve a long
/// one.
///
/// One transaction at a time has the turn; others wait for it in order. Meanwhile the commit of every other transaction
/// that has written is delayed by up to about ten milliseconds; a write outside a transaction is not. This only reduces
/// conflicts and is not a lock, because the body of a transaction may take any time, or may wait for another
/// transaction. That one may need the turn as well. So each attempt waits for the turn for at most 200 milliseconds,
/// and then runs without it.
final class RetryTurn: Sendable {
    private struct State {
        /// The ticket that the next transaction takes.
        var next = 0
        /// The ticket that has the turn. Equal to ``next`` if no transaction has it.
        var serving = 0
        /// Tickets whose wait has timed out. They are skipped.
        var expired: Set<Int> = []
        /// The continuations of the tasks that wait, by ticket. An empty literal would not be optimized away: it would make
        /// the dictionary's type at run time, which took a quarter of an opening.
        var continuations = [Int: CheckedContinuation<Bool, Never>]()

        /// Whether a ticket has the turn; false if its wait has timed out, nil while it waits.
        func result(_ ticket: Int) -> Bool? {
            if serving == ticket { return true }
            return serving > ticket || expired.contains(ticket) ? false : nil
        }
    }

    private let state = Locked(State(), rank: .leaf)
    /// The number of transactions that have the turn or wait for it. Read without the lock: a stale number costs a
    /// short wait or a conflict.
    private let participants = Atomic<Int>(0)

    /// The microseconds between two checks, and the largest number of checks: ten milliseconds in total, plus timer
    /// overshoot. A longer total protects longer transactions and delays the others more; a shorter pause costs CPU
    /// time. The exact values were not measured.
    private static let (pause, mostPauses): (UInt32, Int) = (100, 100)
    /// The longest time that an attempt waits for the turn, in nanoseconds. If it is longer, transactions that wait for
    /// each other stand still for longer; if it is shorter, more attempts run without the turn. The exact value was not
    /// measured.
    private static let longestWait: UInt64 = 200_000_000
    private static let expiryQueue = DispatchQueue(label: "siltstone.turns", qos: .utility)

    /// Whether a transaction has the turn or waits for it.
    var isTaken: Bool { participants.load(ordering: .relaxed) > 0 }

    /// Waits for the turn, and blocks the thread meanwhile.
    /// - Returns: whether the caller has the turn. If true, it must call ``release()``.
    func take() -> Bool {
        let ticket = drawTicket()
        return endWait(state.wait { $0.result(ticket) })
    }

    /// Waits for the turn without blocking the thread.
    /// - Returns: whether the caller has the turn. If true, it must call ``release()``.
    func take() async -> Bool {
        let ticket = drawTicket()
        return endWait(
            await withCheckedContinuation { continuation in
                let result = state.withLock { state in
                    let result = state.result(ticket)
                    if result == nil { state.continuations[ticket] = continuation }
                    return result
                }
                if let result { continuation.resume(returning: result) }
            })
    }

    /// Takes a ticket. If another transaction has the turn, the wait ends after ``longestWait``. The expiry is not
    /// cancelled if the ticket gets the turn earlier, because few transactions come here.
    private func drawTicket() -> Int {
        participants.add(1, ordering: .relaxed)
        let (ticket, isFirst) = state.withLock { state in
            defer { state.next += 1 }
            return (state.next, state.serving == state.next)
        }
        if !isFirst {
            // Waits by sleeping on a serial queue: Dispatch ends the process if its timers find no free descriptor.
            // Tickets expire in about the order in which they were drawn: they are drawn under the lock, and enqueued
            // here outside of it.
            let end = Platform.monotonicNanoseconds() + Self.longestWait
            Self.expiryQueue.async {
                let now = Platform.monotonicNanoseconds()
                if end > now { Platform.sleep(microseconds: UInt32((end - now) / 1000)) }
                self.expire(ticket)
            }
        }
        return ticket
    }

    /// Ends a wait. A transaction that did not get the turn no longer counts as waiting.
    /// - Parameter hasTurn: whether the caller has the turn. It is also the result.
    private func endWait(_ hasTurn: Bool) -> Bool {
        if !hasTurn { participants.subtract(1, ordering: .relaxed) }
        return hasTurn
    }

    /// Ends a wait that has timed out. Does nothing if the ticket has the turn or has had it.
    private func expire(_ ticket: Int) {
        let continuation = state.withLock { state in
            if state.serving < ticket { state.expired.insert(ticket) }
            return state.serving < ticket ? state.continuations.removeValue(forKey: ticket) : nil
        }
        continuation?.resume(returning: false)
        state.wakeAll()
    }

    /// Ends the caller's turn, and passes it to the next ticket that still waits.
    func release() {
        let continuation = state.withLock { state in
            state.serving += 1
            while state.expired.remove(state.serving) != nil { state.serving += 1 }
            return state.continuations.removeValue(forKey: state.serving)
        }
        participants.subtract(1, ordering: .relaxed)
        continuation?.resume(returning: true)
        state.wakeAll()
    }

    /// Waits until the transaction that has the turn passes it on, but not longer than about ten milliseconds. Blocks
    /// the thread. The transaction that has the turn must not call this, because it would wait for itself.
    func deferToHolder() {
        guard isTaken else { return }
        let ticket = state.withLock { $0.serving }
        for _ in 0..<Self.mostPauses {
            guard isTaken, state.withLock({ $0.serving }) == ticket else { return }
            Platform.sleep(microseconds: Self.pause)
        }
    }
}
