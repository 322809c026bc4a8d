#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The server did not answer before the deadline.
package struct AnswerMissing: Error {}

/// The deadline of an answer. A cancellation shortens it.
package struct AnswerDeadline {
    private let limit: Duration
    private let grace: Duration
    private let cancellation: StatementCancellation?
    private let probe: SilenceProbe?
    /// When the server was heard last; nil until the first ``Poll`` has waited since, so that a quick answer reads no
    /// clock.
    private var heard: Moment?
    /// When bytes of the statement last left, or the server's host last acknowledged some; nil if some have left since
    /// the last wait.
    private var sent: Moment?
    /// The bytes that it had not acknowledged after the last wait.
    private var unacknowledged: Int32 = 0
    /// When the cancellation was noticed.
    private var shortened: Moment?

    /// - Parameters:
    ///   - limit: the longest silence.
    ///   - grace: the longest silence after a cancellation.
    ///   - probe: checks whether a silent server still answers.
    package init(
        _ limit: Duration, grace: Duration = .zero, cancellation: StatementCancellation? = nil,
        probe: SilenceProbe? = nil
    ) {
        self.limit = limit
        self.grace = grace
        self.cancellation = cancellation
        self.probe = probe
    }

    /// Restarts the limit, and the grace of a cancellation, after data from the server.
    package mutating func extend() { heard = nil }

    /// Restarts the limit after bytes of a long statement have left. The grace of a cancellation goes on.
    fileprivate mutating func extendForSending() { sent = nil }

    /// The time left; 0 or less once the deadline has passed or the server is known to be dead.
    /// - Parameters:
    ///   - waited: how long the poll before has waited since data came.
    ///   - unacknowledged: the bytes that the server's host has not acknowledged.
    fileprivate mutating func rest(after waited: Duration, unacknowledged: Int32) -> Duration {
        let now = Moment.now
        let heard = heard ?? now - waited
        self.heard = heard
        let sent = unacknowledged < self.unacknowledged ? now : sent ?? now - waited
        self.sent = sent
        self.unacknowledged = unacknowledged
        if shortened == nil, let cancellation, cancellation.isRequested { shortened = now }
        let last = max(heard, sent)
        if let probe, probe.isDead(silentSince: last) { return .zero }
        let end = last + limit
        guard let shortened else { return end - now }
        return min(end, max(heard, shortened) + grace) - now
    }
}

/// `poll(2)` on sockets.
package enum Poll {
    /// The longest single call of `poll(2)`. It bounds the delay of a cancellation by another thread.
    private static let slice: Int32 = 50  // ms

    /// Waits for one of these events.
    /// - Returns: the events that occurred.
    /// - Throws: ``AnswerMissing`` at the deadline.
    package static func wait(_ socket: Int32, _ events: Int16, _ deadline: inout AnswerDeadline) throws -> Int16 {
        // The first poll reads no clock.
        var wait = slice
        while true {
            var entry = pollfd(fd: socket, events: events, revents: 0)
            let count = unsafe poll(&entry, 1, wait)
            if count > 0 {
                if entry.revents & Int16(POLLOUT) != 0 { deadline.extendForSending() }
                return entry.revents
            }
            if count < 0 && errno != EINTR { return Int16(POLLERR) }
            let rest = deadline.rest(
                after: count == 0 ? .milliseconds(wait) : .zero, unacknowledged: unacknowledged(socket))
            guard rest > .zero else {
                // An answer may have come while the deadline was computed.
                if unsafe poll(&entry, 1, 0) > 0 { return entry.revents }
                throw AnswerMissing()
            }
            wait = Int32(min(rest, .milliseconds(slice)).milliseconds)
        }
    }

    /// The bytes that a socket has not brought to the other host yet. The system takes megabytes of a statement at once,
    /// and says nothing while they trickle away.
    private static func unacknowledged(_ socket: Int32) -> Int32 {
        var count: Int32 = 0
        #if canImport(Glibc)
        _ = unsafe ioctl(socket, UInt(TIOCOUTQ), &count)
        #else
        var length = socklen_t(MemoryLayout<Int32>.size)
        _ = unsafe getsockopt(socket, SOL_SOCKET, SO_NWRITE, &count, &length)
        #endif
        return count
    }

    /// Waits until one of several sockets is ready or the time is up.
    package static func wait(_ interests: [SocketInterest], _ limit: Duration) {
        var entries = interests.map { pollfd(fd: $0.descriptor, events: $0.events, revents: 0) }
        wait(&entries, limit)
    }

    /// Waits until one of several logins can go on or the time is up. Advances those that can.
    static func advance<Login: HostLogin>(_ logins: [Login], within limit: Duration) {
        var entries = logins.map { login in
            // `poll(2)` ignores an entry with the descriptor -1.
            let interest = login.interest ?? SocketInterest(-1, 0)
            return pollfd(fd: interest.descriptor, events: interest.events, revents: 0)
        }
        wait(&entries, limit)
        for (login, entry) in zip(logins, entries) where entry.revents != 0 { login.advance(entry.revents) }
    }

    /// Waits until one of several sockets is ready or the time is up.
    static func wait(_ entries: inout [pollfd], _ limit: Duration) {
        let count = nfds_t(entries.count)
        _ = unsafe poll(&entries, count, Int32(limit.milliseconds))
    }
}

extension Duration {
    package var seconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }

    /// Whole milliseconds: at least 1, because servers read 0 as no limit, and at most `Int32.max`.
    package var milliseconds: Int64 {
        let (seconds, attoseconds) = components
        let (whole, isTooLarge) = seconds.multipliedReportingOverflow(by: 1000)
        return isTooLarge
            ? Int64(Int32.max) : min(max(whole + attoseconds / 1_000_000_000_000_000, 1), Int64(Int32.max))
    }
}
