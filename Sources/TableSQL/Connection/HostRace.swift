import TableKit

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A non-blocking login at one host.
package protocol HostLogin: AnyObject {
    /// Its progress.
    var state: HostLoginState { get }
    /// The host, for messages.
    var place: String { get }
    /// The socket events it waits for; nil once it has ended.
    var interest: SocketInterest? { get }
    /// Continues after events of the socket.
    func advance(_ events: Int16)
}

/// The progress of a login.
package enum HostLoginState {
    case waiting, done
    case failed(SQLConnectionError)
}

/// A socket and events to wait for, as `poll(2)` names them.
package struct SocketInterest: Sendable {
    package var descriptor: Int32
    package var events: Int16

    package init(_ descriptor: Int32, _ events: Int16) {
        self.descriptor = descriptor
        self.events = events
    }
}

/// Connects to the first of several hosts that has the wanted role.
///
/// The host that answered last starts. The others follow when it fails, or after a head start of 250 ms: a frozen
/// server accepts connections but never answers, and must not use up the whole time. libpq would try the hosts in
/// sequence without a limit for each; libmariadb takes a single host.
package struct HostRace<Login: HostLogin> {
    private static var headStart: Duration { .milliseconds(250) }

    private var waiting: ArraySlice<() -> Login>
    private var running: [Login] = []
    private var failures: [SQLConnectionError] = []

    /// - Parameter logins: each starts a login at one host, the likeliest host first.
    package init(_ logins: [() -> Login]) { waiting = logins[...] }

    /// - Throws: ``SQLConnectionError`` of kind `noConnection`, with the reasons of all hosts.
    package mutating func run(until deadline: ContinuousClock.Instant) throws -> Login {
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
            var interests = running.compactMap(\.interest).map {
                pollfd(fd: $0.descriptor, events: $0.events, revents: 0)
            }
            Poll.wait(&interests, min(deadline, waiting.isEmpty ? deadline : next) - now)
            for (attempt, interest) in zip(running, interests) where interest.revents != 0 {
                attempt.advance(interest.revents)
            }
        }
    }

    /// Whether a failed race shows that its hosts are gone. A refused login shows that a server answers. A failure of
    /// this machine, such as too many open files, shows nothing.
    package var showsDeadHosts: Bool {
        let own = [EMFILE, ENFILE, ENOMEM, ENOBUFS, EADDRNOTAVAIL]
        let wasSilent = !running.isEmpty || !waiting.isEmpty
        return wasSilent
            || failures.allSatisfy { failure in
                // libpq writes the reason, libmariadb its number.
                failure.serverCode == nil
                    && !own.contains {
                        failure.message.contains(unsafe String(cString: strerror($0)))
                            || failure.message.contains("(\($0))")
                    }
            }
    }

    private mutating func start(_ count: Int) {
        for login in waiting.prefix(count) { running.append(login()) }
        waiting = waiting.dropFirst(count)
    }

    /// Removes logins that have ended; returns the first that succeeded.
    private mutating func collect() -> Login? {
        var winner: Login?
        running.removeAll { attempt in
            switch attempt.state {
            case .done:
                winner = winner ?? attempt
                return true
            case .failed(let error):
                failures.append(error)
                return true
            case .waiting: return false
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
        let silent = running.map { "\($0.place): no answer in time" }
        return SQLConnectionError(
            .noConnection, code: .unavailable, (failures.map(\.message) + silent).joined(separator: "; "))
    }
}
