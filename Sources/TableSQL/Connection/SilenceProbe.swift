import Foundation
import Synchronization

/// Finds out whether a server that is silent still answers others: a statement may take long, and a frozen server says nothing
/// forever. Asked again after each further silence.
package final class SilenceProbe: Sendable {
    private struct State {
        /// Tells the statements of a connection apart: an answer that comes late is none for the next.
        var generation = 0
        var isAsking = false
        var isDead = false
        /// When the server last answered the probe.
        var answered: ContinuousClock.Instant?
    }

    private let state = Mutex(State())
    private let patience: Duration
    private let ask: @Sendable () -> Bool

    /// - Parameters:
    ///   - patience: how long a server is silent before it is asked.
    ///   - ask: whether the server answers. Blocks.
    package init(after patience: Duration, _ ask: @escaping @Sendable () -> Bool) {
        self.patience = patience
        self.ask = ask
    }

    /// A statement begins.
    package func begin() {
        state.withLock { state in
            state.generation += 1
            state.isAsking = false
            state.isDead = false
            state.answered = nil
        }
    }

    /// Whether the server is known not to answer. Asks it where it has been silent for long. Returns at once.
    func isDead(silentSince heard: ContinuousClock.Instant) -> Bool {
        let now = ContinuousClock.now
        let (isDead, generation) = state.withLock { state -> (Bool, Int?) in
            let last = max(heard, state.answered ?? heard)
            guard !state.isDead, !state.isAsking, now - last > patience else { return (state.isDead, nil) }
            state.isAsking = true
            return (false, state.generation)
        }
        if let generation {
            Thread.detachNewThread {
                let answers = self.ask()
                self.state.withLock { state in
                    guard state.generation == generation else { return }
                    state.isAsking = false
                    state.isDead = !answers
                    state.answered = .now
                }
            }
        }
        return isDead
    }
}
