#if PostgreSQL
import Foundation
import TableKit
import TableSQL

/// What programs tell each other of commits: one notification a transaction, on one channel of the database.
///
/// A notification costs every committer a lock that the whole server has once, so nobody sends one unless somebody listens.
/// That is known by an advisory lock: listeners hold it exclusively or wait for it, and who commits tries to share it. The
/// lock is given to those who share it only while no listener holds it or waits for it, and is kept until the commit is done.
/// So a listener that finds it held by listeners has either seen a commit, or will hear of it.
enum CommitChannel {
    static let name = "siltstone"
    /// The two halves of the advisory lock's number: "Silt", and its purpose.
    static let lock: (Int32, Int32) = (0x5369_6c74, 1)
    /// The server takes 8,000 bytes, with the channel's name.
    private static let maximumBytes = 7900

    /// A notification's text: the sender, then the names of tables; without names, any table may have changed.
    struct Message: Codable {
        var sender: String?
        var tables: [String]?
    }

    /// Announces tables to others than the sender, unless nobody listens.
    static func announcement(of tables: Set<String>, by sender: String) -> SQLStatement {
        SQLStatement(
            "SELECT CASE WHEN NOT pg_try_advisory_xact_lock_shared(\(lock.0), \(lock.1))"
                + " THEN pg_notify('\(name)', $1::text) IS NOT NULL END",
            [.value(.text(text(Message(sender: sender, tables: tables.sorted()))), .string)])
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

    /// The message of a notification. One that cannot be read, as of another program, may be of any table.
    static func message(_ text: String) -> Message {
        do { return try JSONDecoder().decode(Message.self, from: Data(text.utf8)) } catch { return Message() }
    }

    /// How many listeners hold the lock, and whether one process of the server holds it or waits for it.
    static func listeners(_ process: Int32) -> SQLStatement {
        SQLStatement(
            "SELECT count(*) FILTER (WHERE granted AND mode = 'ExclusiveLock'), count(*) FILTER (WHERE pid = $1::integer)"
                + " FROM pg_catalog.pg_locks WHERE locktype = 'advisory' AND classid = \(lock.0) AND objid = \(lock.1)"
                + " AND objsubid = 2 AND database = (SELECT oid FROM pg_catalog.pg_database"
                + " WHERE datname = current_database())",
            [.value(.integer(Int64(process)), .int32)], results: [.int64, .int64], isRepeated: false)
    }
}
#endif
