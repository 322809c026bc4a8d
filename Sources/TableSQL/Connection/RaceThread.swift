import Dispatch
import TableKit

/// Runs a race of several logins on a thread of its own, which then lets the losers end.
///
/// A login stays on one thread: libmariadb suspends its calls on stacks of their own, and what it has noted of the
/// thread, such as the place of `errno`, would belong to another one.
final class RaceThread<Login: HostLogin>: @unchecked Sendable {
    // `@unchecked Sendable`: `race` belongs to the thread, and `result` to the caller once `ended` is signalled.
    private var race: HostRace<Login>
    private var result: Result<Login, any Error>?
    private let ended = DispatchSemaphore(value: 0)

    init(_ race: HostRace<Login>) { self.race = race }

    /// Returns the winner. Blocks.
    func run(until deadline: ContinuousClock.Instant) throws -> Login {
        let limit = deadline - .now
        LosingLogins.threads.start {
            self.result = Result { try self.race.race(until: deadline) }
            var losers = self.race.takeLosers()
            // Without a winner they have had all the time there is.
            if case .failure? = self.result { losers = [] }
            self.ended.signal()
            LosingLogins.finish(losers, within: limit)
        }
        ended.wait()
        defer { result = nil }
        guard let result else { throw SQLConnectionError(.noConnection, code: .unavailable, "no login") }
        return try result.get()
    }
}
