import Foundation
import Synchronization

/// Checks whether a silent server still answers on another connection. A slow statement is silent for long; a frozen
/// server is silent forever. Repeats the check after each further silence.
package final class SilenceProbe: Sendable {
    private struct State {
        /// The number of the connection's statement: a late answer must not count for the next statement.
        var generation = 0
        var isAsking = false
        /// When the last check began.
        var asked: Moment?
        /// The verdict of the last check.
        var isDead = false
        /// When the server last answered the probe.
        var answered: Moment?
    }

    private let state = Mutex(State())
    private let patience: Duration
    private let ask: @Sendable () -> Bool

    /// - Parameters:
    ///   - patience: the silence before the server is checked.
    ///   - ask: whether the server answers. Blocks.
    package init(after patience: Duration, _ ask: @escaping @Sendable () -> Bool) {
        self.patience = patience
        self.ask = ask
    }

    /// Resets the probe at the start of a statement.
    package func begin() {
        state.withLock { state in
            state.generation += 1
            state.isAsking = false
            state.asked = nil
            state.isDead = false
            state.answered = nil
        }
    }

    /// Whether the server is known to be dead. Starts a check after a long silence. Returns at once.
    func isDead(silentSince heard: Moment) -> Bool {
        let now = Moment.now
        let (isDead, generation) = state.withLock { state -> (Bool, Int?) in
            // The connection has been heard since the question.
            if let asked = state.asked, heard > asked { state.isDead = false }
            let last = max(heard, state.answered ?? heard)
            guard !state.isDead, !state.isAsking, now - last > patience else { return (state.isDead, nil) }
            state.isAsking = true
            state.asked = now
            return (false, state.generation)
        }
        if let generation {
            Thread.detachNewThread {
                let answers = self.ask()
                self.state.withLock { state in
                    guard state.generation == generation else { return }
                    state.isAsking = false
                    state.isDead = !answers
                    if answers { state.answered = .now }
                }
            }
        }
        return isDead
    }
}
