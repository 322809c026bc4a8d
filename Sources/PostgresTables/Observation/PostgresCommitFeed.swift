#if PostgreSQL
import Foundation
import Synchronization
import TableKit
import TableSQL

/// Announces commits with NOTIFY and receives those of other programs with LISTEN, on its own thread.
final class PostgresCommitFeed: CommitFeed {
    /// How often the thread checks whether it is still needed.
    private static let look: Duration = .milliseconds(500)
    /// How often the thread checks that the server still answers, and who holds the lock.
    private static let heartbeat: Duration = .seconds(2)
    /// How long the thread runs without observers. Each new value of an observer starts a new observation.
    private static let rest: Duration = .seconds(30)

    private struct State {
        var isListening = false
        /// Whether a listener holds the lock, so that every commit is announced.
        var isLockHeld = false
        var isEnded = false
        /// Whether the thread of a lost listener tries to begin another.
        var isRetrying = false
        /// The number of listeners that could not begin, and the error of the last one.
        var failures: (count: Int, last: (any Error)?) = (0, nil)

        mutating func stop() { (isListening, isLockHeld) = (false, false) }
    }

    private let connector: PostgresConnector
    /// Identifies the announcements of this engine, which the watch knows already.
    private let ownSender = Mutex(UUID().uuidString)
    /// Held while a listener is created, and while the thread decides to stop.
    private let beginning = NSLock()
    private let state = Mutex(State())

    init(_ connector: PostgresConnector) { self.connector = connector }

    func announcement(of tables: Set<String>) -> [SQLStatement] {
        [CommitChannel.announcement(of: tables, by: sender)]
    }

    func disownCommits() { ownSender.withLock { $0 = UUID().uuidString } }

    private var sender: String { ownSender.withLock { $0 } }

    var pollingInterval: Duration { connector.options.pollingInterval }

    var hearsAllCommits: Bool { state.withLock { $0.isLockHeld } }

    func listen(for watch: TableWatch) throws {
        // Observers poll while the thread of a lost listener tries to begin another. It wakes them when it has begun
        // one, and when it gives up: then they begin one themselves.
        if !state.withLock({ $0.isRetrying }) { try begin(watch) }
    }

    private func begin(_ watch: TableWatch) throws {
        guard connector.options.listensToCommits else { return }
        let known = state.withLock { $0 }
        // The logins of a listener may take long. Meanwhile others can use the caller's connection.
        if !known.isListening { Reservation.giveBackCurrent() }
        try beginning.withLock {
            let now = state.withLock { $0 }
            if now.isListening || now.isEnded { return }
            // Callers that waited for an attempt share its error. Otherwise each would wait for a silent server.
            if now.failures.count != known.failures.count, let error = now.failures.last { throw error }
            let listener = try makeListener()
            state.withLock {
                $0.isListening = true
                $0.isRetrying = false
                $0.isLockHeld = listener.holder != .none
            }
            // Commits since the last listener may have been missed.
            watch.tellOfAnyTable()
            NamedThread.start("siltstone.lstn") { self.serve(listener, watch) }
        }
    }

    private func makeListener() throws -> CommitListener {
        do { return try CommitListener(connector, sender: sender) } catch {
            state.withLock { $0.failures = ($0.failures.count + 1, error) }
            throw error
        }
    }

    func end() { state.withLock { $0.isEnded = true } }

    private var isEnded: Bool { state.withLock { $0.isEnded } }

    /// Receives until the end, while anybody observes. A lost connection starts another listener.
    private func serve(_ listener: CommitListener, _ watch: TableWatch) {
        defer { listener.close() }
        let start = ContinuousClock.now
        var (lastAnswer, lastUse) = (start, start)
        do {
            while !isEnded {
                for message in try listener.hear(for: Self.look) { tell(watch, message) }
                let now = ContinuousClock.now
                if now - lastAnswer > Self.heartbeat {
                    try check(listener, watch)
                    lastAnswer = .now
                }
                if watch.isObserved { lastUse = now }
                if now - lastUse > Self.rest, stop(unlessObserved: watch) { return }
            }
            state.withLock { $0.stop() }
        } catch {
            CRUDLogging.log(.warning, "The connection that observes \(connector.place) was lost: \(error)")
            state.withLock {
                $0.stop()
                $0.isRetrying = true
            }
            // First the state, then the watch: the observers that it wakes poll.
            watch.tellOfAnyTable()
            listener.close()
            // A watchdog or a proxy may end each listener as soon as it has begun.
            if .now - start < Self.heartbeat { Thread.sleep(forTimeInterval: 0.5) }
            listenAgain(for: watch)
        }
    }

    /// Tells observers to read again where commits may have been silent, and whether to poll from now on.
    private func check(_ listener: CommitListener, _ watch: TableWatch) throws {
        let before = listener.holder
        try listener.check()
        if listener.holder == before { return }
        // First the state, then the watch: an observer that begins in between is woken.
        state.withLock { $0.isLockHeld = listener.holder != .none }
        watch.tellOfAnyTable()
    }

    private func tell(_ watch: TableWatch, _ message: CommitChannel.Message) {
        if message.sender == sender { return }
        if let tables = message.tables { watch.tell(Set(tables)) } else { watch.tellOfAnyTable() }
    }

    /// - Returns: false if somebody observes again.
    private func stop(unlessObserved watch: TableWatch) -> Bool {
        beginning.withLock {
            if watch.isObserved { return false }
            state.withLock { $0.stop() }
            return true
        }
    }

    /// Tries once, and again for the failover time, until a login is refused, or until nobody has observed for a while.
    /// Afterwards observers read again, and throw if there is no server.
    private func listenAgain(for watch: TableWatch) {
        let start = ContinuousClock.now
        let end = start + connector.options.failoverTimeout
        var lastUse = start
        var pause = 0.02
        while !isEnded {
            // The observers that were just woken do not observe for a moment.
            if watch.isObserved { lastUse = .now }
            if .now - lastUse > Self.rest { break }
            do { return try begin(watch) } catch {
                if let error = error as? SQLConnectionError, PostgresConnector.isLasting(error) { break }
                if ContinuousClock.now >= end { break }
                Thread.sleep(forTimeInterval: pause)
            }
            pause = min(pause * 2, 0.5)
        }
        // First the state, then the watch: the observers that it wakes begin a listener.
        state.withLock { $0.isRetrying = false }
        watch.tellOfAnyTable()
    }
}
#endif
