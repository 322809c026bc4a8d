#if PostgreSQL
import Foundation
import TableKit
import TableSQL

/// Announcements of commits between programs: one notification a transaction, on one channel of the database.
///
/// NOTIFY makes every committer take one server-wide lock, so commits are announced only while somebody listens. An
/// advisory lock shows that:
///
/// - One listener holds the lock exclusively, for as long as its session lasts. The others look at every heartbeat
///   whether it is held, and take it if it is free.
/// - A transaction tries to share the lock before its COMMIT, or at each statement of a table with the trigger. If it
///   may share the lock, it says nothing and keeps the share until its commit is visible. If not, it announces its
///   tables.
/// - A listener that gets the lock tells its observers and all other listeners that any table may have changed.
/// - A listener that cannot get the lock, because a transaction shares it for long, lets its observers poll until a
///   listener holds the lock.
///
/// No commit goes unheard. A silent commit had its share at a time when nobody held the lock, and nobody can get the
/// lock before that commit is visible. A listener that looks after that time finds one of three states:
///
/// - It gets the lock. The commit is visible, and its observers read again.
/// - Another listener holds the lock. That one got it after the commit was visible, and its notification is still to
///   come or has come since. If it ends before it notifies, the lock is free, and the next look decides again.
/// - Nobody holds the lock. Its observers read again and poll. They read once more when the lock is held, because the
///   commit is visible then.
///
/// A listener that begins looks before its observers read. If the lock is held by then, all silent commits are visible.
/// A commit during a handover is heard at the next heartbeat, or once the new holder's notice is through. All others are
/// heard at once.
///
/// No session waits for the lock longer than ``CommitListener/queueTime``. A statement that waits holds back VACUUM,
/// and the server does not notice that its client has gone.
enum CommitChannel {
    static let name = "siltstone"
    /// The two halves of the advisory lock's key: "Silt" and its purpose.
    static let lock: (Int32, Int32) = (0x5369_6c74, 1)
    /// The server's limit is 8,000 bytes, including the channel's name.
    private static let maximumBytes = 7900

    /// The text of a notification: the sender and the names of tables. Without names, any table may have changed.
    struct Message: Codable {
        var sender: String?
        var tables: [String]?
    }

    /// Announces tables to other programs if any of them listens.
    static func announcement(of tables: Set<String>, by sender: String) -> SQLStatement {
        SQLStatement(
            "SELECT CASE WHEN NOT pg_try_advisory_xact_lock_shared(\(lock.0), \(lock.1))"
                + " THEN pg_notify('\(name)', $1::text) IS NOT NULL END",
            [.value(.text(text(Message(sender: sender, tables: tables.sorted()))), .string)])
    }

    /// Tells all listeners that any table may have changed.
    static func announcement(ofAnyTableBy sender: String) -> SQLStatement {
        SQLStatement(
            "SELECT pg_notify('\(name)', $1::text) IS NOT NULL",
            [.value(.text(text(Message(sender: sender))), .string)], isRepeated: false)
    }

    private static func text(_ message: Message) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            let text = String(decoding: try encoder.encode(message), as: UTF8.self)
            if text.utf8.count <= maximumBytes { return text }
        } catch { CRUDLogging.log(.warning, "Names of tables cannot be announced: \(error)") }
        return "{\"sender\":\"\(message.sender ?? "")\"}"
    }

    /// Parses a notification. One of an unknown format may be about any table.
    static func message(_ text: String) -> Message {
        do { return try JSONDecoder().decode(Message.self, from: Data(text.utf8)) } catch { return Message() }
    }

    /// Who holds the lock exclusively, as ``takeIfFree`` answers.
    enum Holder: String {
        case own, other, none
    }

    /// Takes the lock if nobody holds, shares or awaits it. Answers with a ``Holder``. Reads the server's list of locks
    /// only if it does not get the lock.
    static let takeIfFree = SQLStatement(
        "SELECT CASE WHEN pg_try_advisory_lock(\(lock.0), \(lock.1)) THEN '\(Holder.own)'"
            + " WHEN EXISTS (SELECT FROM pg_catalog.pg_locks WHERE \(isHeld)) THEN '\(Holder.other)'"
            + " ELSE '\(Holder.none)' END",
        results: [.string], isRepeated: false)

    /// Waits for the lock, up to the session's `lock_timeout`. Meanwhile nobody else may share it.
    static let take = SQLStatement("SELECT pg_advisory_lock(\(lock.0), \(lock.1))", isRepeated: false)

    /// The condition that a row of `pg_locks` is the exclusive lock.
    static let isHeld =
        "locktype = 'advisory' AND classid = \(lock.0) AND objid = \(lock.1) AND objsubid = 2 AND granted"
        + " AND mode = 'ExclusiveLock'"
        + " AND database = (SELECT oid FROM pg_catalog.pg_database WHERE datname = current_database())"
}
#endif
