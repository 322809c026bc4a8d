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
    private var instant: ContinuousClock.Instant
    private var isShortened = false
    private let probe: SilenceProbe?
    private var heard: ContinuousClock.Instant

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
        heard = .now
        instant = heard + limit
    }

    /// Restarts the limit after data from the server.
    package mutating func extend() {
        heard = .now
        instant = heard + (isShortened ? grace : limit)
    }

    /// The time left; 0 or less once the deadline has passed or the server is known to be dead.
    fileprivate mutating func rest() -> Duration {
        if !isShortened, let cancellation, cancellation.isRequested {
            isShortened = true
            instant = min(instant, .now + grace)
        }
        if let probe, probe.isDead(silentSince: heard) { return .zero }
        return instant - .now
    }
}

/// `poll(2)` on sockets.
package enum Poll {
    /// The longest single call of `poll(2)`. It bounds the delay of a cancellation by another thread.
    private static let slice: Duration = .milliseconds(50)

    /// Waits for one of these events.
    /// - Returns: the events that occurred.
    /// - Throws: ``AnswerMissing`` at the deadline.
    package static func wait(_ socket: Int32, _ events: Int16, _ deadline: inout AnswerDeadline) throws -> Int16 {
        // The first poll reads no clock.
        var wait = slice
        while true {
            var entry = pollfd(fd: socket, events: events, revents: 0)
            let count = unsafe poll(&entry, 1, Int32(wait.milliseconds))
            if count > 0 { return entry.revents }
            if count < 0 && errno != EINTR { return Int16(POLLERR) }
            let rest = deadline.rest()
            guard rest > .zero else { throw AnswerMissing() }
            wait = min(rest, slice)
        }
    }

    /// Waits until one of several sockets is ready or the time is up.
    package static func wait(_ interests: [SocketInterest], _ limit: Duration) {
        var entries = interests.map { pollfd(fd: $0.descriptor, events: $0.events, revents: 0) }
        wait(&entries, limit)
    }

    /// Waits until one of several sockets is ready or the time is up.
    static func wait(_ entries: inout [pollfd], _ limit: Duration) {
        let count = nfds_t(entries.count)
        _ = unsafe poll(&entries, count, Int32(limit.milliseconds))
    }
}

extension Duration {
    package var seconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }

    /// Whole milliseconds, at least 1: servers read 0 as no limit.
    package var milliseconds: Int64 {
        let (seconds, attoseconds) = components
        let (whole, isTooLarge) = seconds.multipliedReportingOverflow(by: 1000)
        return isTooLarge
            ? Int64(Int32.max) : min(max(whole + attoseconds / 1_000_000_000_000_000, 1), Int64(Int32.max))
    }
}
