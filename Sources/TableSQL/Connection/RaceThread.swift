import Dispatch
import Synchronization
import TableKit

/// Runs a race of several logins on a thread of its own, which then lets the losers end.
///
/// A login stays on one thread: libmariadb suspends its calls on stacks of their own, and what it has noted of the
/// thread, such as the place of `errno`, would belong to another one.
final class RaceThread<Login: HostLogin>: @unchecked Sendable {
    // `@unchecked Sendable`: `race` belongs to the thread. The thread sets `result` under the lock of `isAbandoned`,
    // before `ended` is signalled, and leaves it to the caller.
    private var race: HostRace<Login>
    private var result: Result<Login, any Error>?
    private let ended = DispatchSemaphore(value: 0)
    /// Whether the caller no longer waits.
    private let isAbandoned = Mutex(false)

    /// How much longer than its deadline the caller waits. The race ends by itself, unless a call of a login does not
    /// return: libmariadb may look a name up on the spot.
    private static var grace: Duration { .seconds(1) }

    init(_ race: HostRace<Login>) { self.race = race }

    /// Returns the winner. Blocks.
    func run(until deadline: ContinuousClock.Instant) throws -> Login {
        let limit = deadline - .now
        LosingLogins.threads.start {
            let result = Result { try self.race.race(until: deadline) }
            var losers = self.race.takeLosers()
            // Without a winner they have had all the time there is.
            if case .failure = result { losers = [] }
            self.isAbandoned.withLock { if !$0 { self.result = result } }
            self.ended.signal()
            LosingLogins.finish(losers, within: limit)
        }
        if ended.wait(timeout: .now() + (limit + Self.grace).seconds) == .timedOut {
            // The thread drops a winner that comes later.
            isAbandoned.withLock { $0 = true }
        }
        defer { result = nil }
        guard let result else {
            throw SQLConnectionError(
                .noConnection, code: .unavailable, "no login in time; one may wait for the look-up of a name")
        }
        return try result.get()
    }
}
