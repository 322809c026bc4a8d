import Foundation
import Testing

@testable import Siltstone

/// Ends the process with a message when a test that should go on hangs: nobody would learn from a hang where it is.
///
/// Not an assertion on time: only for how long nothing at all has happened, a thousand times longer than it should.
final class Watchdog: Sendable {
    private struct State: Sendable {
        var place = ""
        var since = Date()
        var isDone = false
    }

    private let state = Locked(State())

    init(patience seconds: Double = 180) {
        let state = state
        Thread.detachNewThread {
            while true {
                Thread.sleep(forTimeInterval: 0.5)
                let (place, silence, isDone) = state.withLock { ($0.place, -$0.since.timeIntervalSinceNow, $0.isDone) }
                if isDone { return }
                guard silence > seconds else { continue }
                FileHandle.standardError.write(Data("hang for \(Int(silence)) s: \(place)\n".utf8))
                exit(EXIT_FAILURE)
            }
        }
    }

    deinit { state.withLock { $0.isDone = true } }

    /// Says what is about to be done.
    func watch(_ place: String) {
        state.withLock { state in
            state.place = place
            state.since = Date()
        }
    }
}
