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

/// Two connections that hear of commits: one listens, the other holds the lock that says so, or waits for it. A connection
/// that waits for a lock is told of nothing meanwhile, so one cannot do both.
///
/// `@unchecked Sendable`: used by one thread at a time.
final class CommitListener: @unchecked Sendable {
    private let ears: PostgresConnection
    private let flag: PostgresConnection
    private let limit: Duration

    /// Connects, and returns when every later commit is heard.
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
        let question = CommitChannel.listeners(PQbackendPID(flag.link.raw))
        // Transactions that share the lock are in the middle of their commit.
        while true {
            let counts = try ears.run([question], limit: limit)[0].rows.first ?? []
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

    /// Hears what has come, waiting for it if need be.
    /// - Returns: the messages; none where the time is up.
    /// - Throws: ``SQLConnectionError`` where a connection has ended.
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

    /// Asks whether the server still answers and still takes writes.
    /// - Throws: ``SQLConnectionError`` where it does not.
    func check() throws {
        let question = SQLStatement("SHOW transaction_read_only", results: [.string], isRepeated: false)
        guard try ears.run([question], limit: limit)[0].rows == [[.text("off")]] else {
            throw lost("The server takes no writes any more")
        }
    }

    private func lost(_ message: String) -> SQLConnectionError {
        SQLConnectionError(.connectionLost, code: .unavailable, message)
    }

    func close() {
        ears.close()
        flag.close()
    }
}

extension PostgresConnection {
    /// The texts of the notifications that libpq has read since the last call.
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
