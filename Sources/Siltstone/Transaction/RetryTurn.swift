import Dispatch
import Synchronization

/// The turn of a transaction that has met conflicts again and again. Without it, many short transactions could starve a
/// long one.
///
/// One transaction at a time has the turn; others wait for it in order. While somebody has it, the commits of all other
/// transactions give way for up to ten milliseconds each. That is a favour and no lock: a body may take any time, or wait
/// for another transaction. The other one may need the turn as well, so nobody waits for the turn longer than a fifth of a
/// second.
final class RetryTurn: Sendable {
    private struct State {
        /// The ticket that the next transaction gets.
        var next = 0
        /// The ticket whose turn it is.
        var serving = 0
        /// Tickets whose turn has not come in time. They are passed over.
        var expired: Set<Int> = []
        /// Tasks that wait, by ticket.
        var tasks: [Int: CheckedContinuation<Bool, Never>] = [:]

        mutating func takeTicket() -> Int {
            next += 1
            return next - 1
        }

        /// Whether a ticket has got the turn; nil while it waits.
        func result(_ ticket: Int) -> Bool? {
            if serving == ticket { return true }
            return serving > ticket || expired.contains(ticket) ? false : nil
        }
    }

    private let state = Locked(State(), rank: .leaf)
    private let tickets = Atomic<Int>(0)

    /// Microseconds between two looks, and the number of looks.
    private static let (pause, mostPauses): (UInt32, Int) = (100, 100)
    /// How long a transaction waits for the turn.
    private static let patience = DispatchTimeInterval.milliseconds(200)

    /// Whether a transaction has the turn, or waits for it.
    var isTaken: Bool { tickets.load(ordering: .relaxed) > 0 }

    /// Waits for the turn, and blocks the thread meanwhile.
    /// - Returns: whether the caller has it, and has to ``give()`` it.
    func take() -> Bool {
        let (ticket, isFirst) = begin()
        if isFirst { return true }
        return end(state.wait { $0.result(ticket) })
    }

    /// Waits for the turn.
    /// - Returns: whether the caller has it, and has to ``give()`` it.
    func take() async -> Bool {
        let (ticket, isFirst) = begin()
        if isFirst { return true }
        return end(
            await withCheckedContinuation { continuation in
                let result = state.withLock { state in
                    let result = state.result(ticket)
                    if result == nil { state.tasks[ticket] = continuation }
                    return result
                }
                if let result { continuation.resume(returning: result) }
            })
    }

    private func begin() -> (ticket: Int, isFirst: Bool) {
        tickets.add(1, ordering: .relaxed)
        let (ticket, isFirst) = state.withLock { state in
            let ticket = state.takeTicket()
            return (ticket, state.serving == ticket)
        }
        if !isFirst { DispatchQueue.global().asyncAfter(deadline: .now() + Self.patience) { self.expire(ticket) } }
        return (ticket, isFirst)
    }

    private func end(_ isOurs: Bool) -> Bool {
        if !isOurs { tickets.subtract(1, ordering: .relaxed) }
        return isOurs
    }

    /// Ends a wait, if the turn has not come.
    private func expire(_ ticket: Int) {
        let task = state.withLock { state in
            if state.serving < ticket { state.expired.insert(ticket) }
            return state.serving < ticket ? state.tasks.removeValue(forKey: ticket) : nil
        }
        task?.resume(returning: false)
        state.wakeAll()
    }

    /// Hands the turn on.
    func give() {
        let task = state.withLock { state in
            state.serving += 1
            while state.expired.remove(state.serving) != nil { state.serving += 1 }
            return state.tasks.removeValue(forKey: state.serving)
        }
        tickets.subtract(1, ordering: .relaxed)
        task?.resume(returning: true)
        state.wakeAll()
    }

    /// Waits until the transaction that has the turn hands it on, for ten milliseconds or so. Blocks the thread.
    func giveWay() {
        guard isTaken else { return }
        let ticket = state.withLock { $0.serving }
        for _ in 0..<Self.mostPauses {
            guard isTaken, state.withLock({ $0.serving }) == ticket else { return }
            Platform.sleep(microseconds: Self.pause)
        }
    }
}
