#if PostgreSQL
import CPostgreSQL
import TableKit
import TableSQL

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Connects to the first of several hosts that has the wanted role.
///
/// The host that answered last begins. The others follow when it fails, or after a moment: a server that is frozen accepts
/// and says nothing, and must not take the whole time. libpq would try them one after the other, without a limit for each.
struct HostRace {
    private static let headStart: Duration = .milliseconds(250)

    private let settings: LoginSettings
    private var waiting: ArraySlice<HostAddress>
    private var running: [LoginAttempt] = []
    private var failures: [SQLConnectionError] = []

    init(_ settings: LoginSettings, _ hosts: [HostAddress]) {
        self.settings = settings
        waiting = hosts[...]
    }

    /// - Throws: ``SQLConnectionError`` of kind `noConnection`, with the reasons of all hosts.
    mutating func run(until deadline: ContinuousClock.Instant) throws -> LoginAttempt {
        start(1)
        var next = ContinuousClock.now + Self.headStart
        while true {
            if let winner = collect() { return winner }
            if running.isEmpty && waiting.isEmpty { throw failure }
            let now = ContinuousClock.now
            guard now < deadline else { throw timeout }
            if running.isEmpty || now >= next {
                start(waiting.count)
                next = deadline
                continue
            }
            var interests = running.compactMap(\.interest)
            Poll.wait(&interests, min(deadline, waiting.isEmpty ? deadline : next) - now)
            for (attempt, interest) in zip(running, interests) where interest.revents != 0 { attempt.advance() }
        }
    }

    private mutating func start(_ count: Int) {
        for address in waiting.prefix(count) { running.append(LoginAttempt(settings, address)) }
        waiting = waiting.dropFirst(count)
    }

    /// Takes those that have ended off the list.
    private mutating func collect() -> LoginAttempt? {
        var winner: LoginAttempt?
        running.removeAll { attempt in
            switch attempt.state {
            case .done:
                winner = winner ?? attempt
                return true
            case .failed(let error):
                failures.append(error)
                return true
            case .reading, .writing: return false
            }
        }
        return winner
    }

    private var failure: SQLConnectionError {
        let refusal = failures.first { $0.serverCode != nil }
        return SQLConnectionError(
            .noConnection, code: .unavailable, serverCode: refusal?.serverCode,
            failures.map(\.message).joined(separator: "; "))
    }

    private var timeout: SQLConnectionError {
        let silent = running.map { "\($0.address): no answer in time" }
        return SQLConnectionError(
            .noConnection, code: .unavailable, (failures.map(\.message) + silent).joined(separator: "; "))
    }
}
#endif
