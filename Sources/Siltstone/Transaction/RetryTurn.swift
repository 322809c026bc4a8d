import Synchronization

/// The turn of a transaction that has met conflicts again and again. Without it, many short transactions could starve a
/// long one.
///
/// One transaction at a time has the turn; others wait for it in order. While somebody has it, the commits of all other
/// transactions give way for up to ten milliseconds each. That is a favour and no lock: a body may take any time, or
/// wait for another transaction.
final class RetryTurn: Sendable {
    private struct State {
        /// The ticket that the next transaction gets.
        var next = 0
        /// The ticket whose turn it is.
        var serving = 0
        /// Tasks that wait, by ticket.
        var tasks: [Int: CheckedContinuation<Void, Never>] = [:]

        mutating func takeTicket() -> Int {
            next += 1
            return next - 1
        }
    }

    private let state = Locked(State())
    private let tickets = Atomic<Int>(0)

    /// Microseconds between two looks, and the number of looks.
    private static let (pause, mostPauses): (UInt32, Int) = (100, 100)

    /// Whether a transaction has the turn, or waits for it.
    var isTaken: Bool { tickets.load(ordering: .relaxed) > 0 }

    /// Waits for the turn, and blocks the thread meanwhile.
    func take() {
        tickets.add(1, ordering: .relaxed)
        let ticket = state.withLock { $0.takeTicket() }
        state.wait { $0.serving == ticket ? () : nil }
    }

    /// Waits for the turn.
    func take() async {
        tickets.add(1, ordering: .relaxed)
        await withCheckedContinuation { continuation in
            let isFirst = state.withLock { state in
                let ticket = state.takeTicket()
                if state.serving == ticket { return true }
                state.tasks[ticket] = continuation
                return false
            }
            if isFirst { continuation.resume() }
        }
    }

    /// Hands the turn on.
    func give() {
        let task = state.withLock { state in
            state.serving += 1
            return state.tasks.removeValue(forKey: state.serving)
        }
        tickets.subtract(1, ordering: .relaxed)
        task?.resume()
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
