#if PostgreSQL
import CPostgreSQL
import Foundation
import TableKit
import TableSQL

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Receives announcements of commits. One connection listens; the other holds the advisory lock or waits for it. One
/// connection cannot do both: it receives no notifications while it waits for a lock.
///
/// `@unchecked Sendable`: used by one thread at a time.
final class CommitListener: @unchecked Sendable {
    private let ears: PostgresConnection
    private let flag: PostgresConnection
    private let limit: Duration

    /// Connects, and returns once every later commit will be announced.
    /// - Throws: ``SQLConnectionError``.
    init(_ connector: PostgresConnector) throws {
        limit = connector.options.answerTimeout
        ears = try connector.connect()
        do { flag = try connector.connect() } catch {
            ears.close()
            throw error
        }
        do { try begin(until: .now + connector.options.connectTimeout) } catch {
            close()
            throw error
        }
    }

    deinit { close() }

    private func begin(until deadline: ContinuousClock.Instant) throws {
        guard ears.place == flag.place else { throw lost("The server that takes writes has changed") }
        _ = try ears.execute(SQLStatement("LISTEN \(CommitChannel.name)", isRepeated: false))
        _ = try flag.executeAll([
            SQLStatement("SET statement_timeout = 0", isRepeated: false),
            SQLStatement("SET lock_timeout = 0", isRepeated: false),
        ])
        let (first, second) = CommitChannel.lock
        try flag.executeWithoutWaiting(
            SQLStatement("SELECT pg_advisory_lock(\(first), \(second))", isRepeated: false))
        // Until the transactions that share the lock have committed.
        while true {
            let counts = try ears.run([presence], limit: limit)[0].rows.first ?? []
            if case .integer(1...)? = counts.first, case .integer(1...)? = counts.last { return }
            guard ContinuousClock.now < deadline else {
                throw SQLConnectionError(
                    .noConnection, code: .unavailable,
                    "Observation cannot begin: a transaction at \(ears.place) is in the middle of its commit for too long"
                )
            }
            Thread.sleep(forTimeInterval: 0.002)
        }
    }

    /// Returns new messages, or waits for some.
    /// - Returns: the messages; none if the time is up.
    /// - Throws: ``SQLConnectionError`` if a connection has ended.
    func hear(for time: Duration) throws -> [CommitChannel.Message] {
        let known = messages()
        if !known.isEmpty { return known }
        Poll.wait([ears, flag].map { SocketInterest(PQsocket($0.link.raw), Int16(POLLIN)) }, time)
        for connection in [ears, flag] {
            guard PQconsumeInput(connection.link.raw) == 1, connection.isUsable else {
                throw lost(connection.link.message)
            }
        }
        return messages()
    }

    private func messages() -> [CommitChannel.Message] { ears.notifications().map(CommitChannel.message) }

    /// Checks that the server still answers, accepts writes, and has the session of the lock. A network may lose that
    /// session, and the lock with it, without a word to its connection here.
    /// - Throws: ``SQLConnectionError`` if it does not.
    func check() throws {
        let question = SQLStatement("SHOW transaction_read_only", results: [.string], isRepeated: false)
        let answers = try ears.run([question, presence], limit: limit)
        guard answers[0].rows == [[.text("off")]] else { throw lost("The server takes no writes any more") }
        guard case .integer(1...)? = answers[1].rows.first?.last else {
            throw lost("The session that holds the lock of observation, or waits for it, has ended")
        }
    }

    /// Asks for the number of listeners, and whether this one is among them.
    private var presence: SQLStatement { CommitChannel.listeners(PQbackendPID(flag.link.raw)) }

    private func lost(_ message: String) -> SQLConnectionError {
        SQLConnectionError(.connectionLost, code: .unavailable, message)
    }

    func close() {
        ears.close()
        flag.close()
    }
}

extension PostgresConnection {
    /// The texts of notifications that libpq has received since the last call.
    func notifications() -> [String] {
        var texts: [String] = []
        while let notification = PQnotifies(link.raw) {
            defer { PQfreemem(notification) }
            texts.append(String(cString: notification.pointee.extra))
        }
        return texts
    }
}
#endif
