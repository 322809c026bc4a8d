import TableKit

/// A non-blocking login at one host.
package protocol HostLogin: AnyObject, SendableMetatype {
    /// Its progress.
    var state: HostLoginState { get }
    /// The host, for messages.
    var place: String { get }
    /// Whether the host has sent anything.
    var hasAnswered: Bool { get }
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
/// The likeliest host starts. The others follow when it fails, or after a head start of 250 ms: a frozen
/// server accepts connections but never answers, and must not use up the whole time. One that has answered gets a
/// second, as its login takes several round trips. libpq would try the hosts in sequence without a limit for each; libmariadb
/// takes a single host.
package struct HostRace<Login: HostLogin> {
    /// A login at one address of a host.
    private struct Entrant {
        /// The host's place in the list.
        var host: Int
        var login: Login
    }

    private static var headStart: Duration { .milliseconds(250) }
    /// How long a list's later host waits for an earlier one that has said nothing: some round trips to anywhere.
    static var longestSilence: Duration { .seconds(1) }

    private var waiting: ArraySlice<(host: Int, start: () -> Login)> = []
    private var running: [Entrant] = []
    /// The login that has succeeded.
    private var winner: Entrant?
    private var failures: [SQLConnectionError] = []
    /// Whether an earlier host of the list wins over a later one that is done sooner.
    private let isOrdered: Bool
    private let lastingRefusals: Set<String>

    /// - Parameters:
    ///   - hosts: for each host, what starts a login at each of its addresses, or why it has none. The likeliest host
    ///     comes first.
    ///   - isOrdered: whether a later host wins only if no earlier one can be used. Otherwise whoever is done first wins.
    ///   - lastingRefusals: the server codes with which the other addresses of a host would refuse the login as well.
    package init(
        _ hosts: [Result<[() -> Login], SQLConnectionError>], isOrdered: Bool = false,
        lastingRefusals: Set<String> = []
    ) {
        self.isOrdered = isOrdered
        self.lastingRefusals = lastingRefusals
        for (number, host) in hosts.enumerated() {
            switch host {
            case .success(let logins): waiting += logins.map { (number, $0) }
            case .failure(let error): failures.append(error)
            }
        }
    }

    /// A race of one.
    package init(_ login: @escaping () -> Login) { self.init([.success([login])]) }

    /// Logins that have lost go on to their ends, on another thread: MariaDB locks hosts out whose logins break off.
    /// - Throws: ``SQLConnectionError`` of kind `noConnection`, with the reasons of all hosts.
    package func run(until deadline: ContinuousClock.Instant) throws -> Login {
        if waiting.count > 1 { return try RaceThread(self).run(until: deadline) }
        var race = self
        return try race.race(until: deadline)
    }

    /// Races on this thread.
    mutating func race(until deadline: ContinuousClock.Instant) throws -> Login {
        let begin = ContinuousClock.now
        start(1)
        while true {
            collect()
            let now = ContinuousClock.now
            let patience = winner.map { self.patience(of: $0, from: begin, until: deadline) } ?? deadline
            if let winner, now >= patience { return winner.login }
            if running.isEmpty && waiting.isEmpty { throw failure }
            guard now < deadline else { throw timeout }
            let hasAnswered = running.contains { $0.login.hasAnswered }
            let next = begin + (hasAnswered ? Self.longestSilence : Self.headStart)
            if !waiting.isEmpty, running.isEmpty || now >= next {
                start(waiting.count)
                continue
            }
            Poll.advance(running.map(\.login), within: min(patience, waiting.isEmpty ? deadline : next) - now)
        }
    }

    /// Until when a host that is done waits for an earlier one of the list. A login takes up to seven round trips, so a
    /// near host overtakes one that is far away or busy: programs that shall meet on one node would not.
    private func patience(
        of winner: Entrant, from begin: ContinuousClock.Instant, until deadline: ContinuousClock.Instant
    ) -> ContinuousClock.Instant {
        let earlier = isOrdered ? running.filter { $0.host < winner.host } : []
        if earlier.isEmpty { return begin }
        let hasAnswered = earlier.contains { $0.login.hasAnswered }
        return hasAnswered ? begin + (deadline - begin) / 2 : min(begin + Self.longestSilence, deadline)
    }

    /// The logins that still run. They belong to the caller afterwards, and the winner to whoever has it.
    mutating func takeLosers() -> [Login] {
        defer { (running, winner) = ([], nil) }
        return running.map(\.login)
    }

    private mutating func start(_ count: Int) {
        for entry in waiting.prefix(count) { running.append(Entrant(host: entry.host, login: entry.start())) }
        waiting = waiting.dropFirst(count)
    }

    /// Removes logins that have ended; keeps that of the earliest host that succeeded.
    private mutating func collect() {
        var refused: Set<Int> = []
        for entrant in running {
            switch entrant.login.state {
            case .done: if entrant.host < winner?.host ?? .max { winner = entrant }
            case .failed(let error):
                failures.append(error)
                if let code = error.serverCode, lastingRefusals.contains(code) { refused.insert(entrant.host) }
            case .waiting: break
            }
        }
        running.removeAll { entrant in
            if case .waiting = entrant.login.state { return false }
            return true
        }
        // The other addresses of a host with a wrong password mostly lead to the same server: once is enough.
        if !refused.isEmpty { waiting = waiting.filter { !refused.contains($0.host) }[...] }
    }

    private var failure: SQLConnectionError {
        let refusal = failures.first { $0.serverCode != nil }
        return SQLConnectionError(
            .noConnection, code: .unavailable, serverCode: refusal?.serverCode, Self.text(failures.map(\.message)))
    }

    private var timeout: SQLConnectionError {
        let silent = running.map { "\($0.login.place): no answer in time" }
        return SQLConnectionError(.noConnection, code: .unavailable, Self.text(failures.map(\.message) + silent))
    }

    /// The reasons, each once: the addresses of one host often have the same.
    private static func text(_ reasons: [String]) -> String {
        var told: [String] = []
        for reason in reasons where !told.contains(reason) { told.append(reason) }
        return told.joined(separator: "; ")
    }
}
