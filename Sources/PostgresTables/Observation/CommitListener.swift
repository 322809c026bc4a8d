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

/// Receives announcements of commits, as ``CommitChannel`` describes. One connection listens; the other takes the
/// advisory lock. One connection cannot do both: it receives no notifications while it waits for a lock.
///
/// `@unchecked Sendable`: used by one thread at a time.
final class CommitListener: @unchecked Sendable {
    /// The longest wait for the lock. Longer than usual commits, which share the lock.
    static let queueTime: Duration = .seconds(1)

    /// Who held the lock at the last look. Unless it is nobody, all later commits are heard; those of a handover after
    /// the next look.
    private(set) var holder = CommitChannel.Holder.none
    private let ears: PostgresConnection
    private let flag: PostgresConnection
    private let sender: String
    private let limit: Duration
    /// Whether the session could not write when it began, as the role or the server may have it.
    private var onlyReads = false
    /// Whether the other listeners have still to hear that this one got the lock.
    private var owesNotice = false

    /// Connects, listens, and looks for the lock.
    /// - Parameter sender: identifies the notifications of this program.
    /// - Throws: ``SQLConnectionError``.
    init(_ connector: PostgresConnector, sender: String) throws {
        self.sender = sender
        limit = connector.options.answerTimeout
        ears = try connector.connect()
        do { flag = try connector.connect() } catch {
            ears.close()
            throw error
        }
        do { try begin() } catch {
            close()
            throw Self.lossOfReader(error)
        }
    }

    /// A connection lost at LISTEN or at the notice leaves the outcome unknown. A listener changes nothing, so its caller
    /// may try again.
    private static func lossOfReader(_ error: any Error) -> any Error {
        guard var error = error as? SQLConnectionError, error.kind == .unknownOutcome else { return error }
        error.kind = .connectionLost
        error.code = .unavailable
        return error
    }

    deinit { close() }

    private func begin() throws {
        guard ears.place == flag.place else { throw lost("The server that takes writes has changed") }
        // The network may lose one session while the server answers others. Observers wait meanwhile.
        let listening = try ears.run(
            [Self.server, Self.readOnly, SQLStatement("LISTEN \(CommitChannel.name)", isRepeated: false)], limit: limit)
        onlyReads = listening[1].rows != Self.off
        let locking = try flag.run(
            [
                Self.server, SQLStatement("SET lock_timeout = \(Self.queueTime.milliseconds)", isRepeated: false),
                // The notice of this session must not wait for standbys. It changes nothing that they have.
                SQLStatement("SET synchronous_commit = off", isRepeated: false),
            ], limit: limit)
        // One place may lead to several servers. The lock of one says nothing about the commits of another.
        guard listening[0].rows == locking[0].rows else { throw lost("\(ears.place) leads to several servers") }
        try look()
    }

    /// Identifies the server: the time of its start, to the microsecond. Its address may be one of several.
    private static let server = SQLStatement(
        "SELECT extract(epoch FROM pg_postmaster_start_time())::text", results: [.string], isRepeated: false)
    private static let readOnly = SQLStatement(
        "SHOW transaction_read_only", results: [.string], isRepeated: false)
    /// The answer to ``readOnly`` of a session that may write.
    private static let off: [[ColumnValue]] = [[.text("off")]]

    /// Finds out who holds the lock, and takes it if it is free. Asks the session of a lock that it has: a network may
    /// lose that session, and the lock with it, without a word to its connection here.
    private func look() throws {
        if holder == .own {
            _ = try flag.run([SQLStatement("SELECT 1", isRepeated: false)], limit: limit)
        } else {
            holder = try takeLock()
            owesNotice = holder == .own
        }
        guard owesNotice else { return }
        // A commit that waits for its standby may hold the lock of NOTIFY for long. The next look tries again.
        owesNotice = try !runs([
            SQLStatement("BEGIN"), CommitChannel.announcement(ofAnyTableBy: sender), SQLStatement("COMMIT"),
        ])
    }

    private func takeLock() throws -> CommitChannel.Holder {
        let answer = try flag.run([CommitChannel.takeIfFree], limit: limit)[0].rows.first?.first
        guard case .text(let text)? = answer, let found = CommitChannel.Holder(rawValue: text) else {
            throw lost("The server does not tell who holds the lock of observation")
        }
        if found != .none { return found }
        // Commits share it. On a busy server some always do: only the queue keeps new ones off.
        return try runs([CommitChannel.take]) ? .own : .none
    }

    /// Runs statements of the lock's session.
    /// - Returns: false if they would have waited for a lock longer than ``queueTime``.
    private func runs(_ statements: [SQLStatement]) throws -> Bool {
        do {
            _ = try flag.run(statements, limit: limit + Self.queueTime)
            return true
        } catch let error as SQLConnectionError
            where error.kind == .timedOut && flag.isUsable && !flag.link.isInTransaction
        { return false }
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

    /// Checks that the server still answers, and accepts writes if it did so when the session began. Looks who holds the
    /// lock.
    /// - Throws: ``SQLConnectionError`` if it does not, or if a session has ended.
    func check() throws {
        let answer = try ears.run([Self.readOnly], limit: limit)[0].rows
        guard onlyReads || answer == Self.off else { throw lost("The server takes no writes any more") }
        try look()
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
