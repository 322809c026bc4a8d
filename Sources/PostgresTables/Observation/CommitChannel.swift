#if PostgreSQL
import Foundation
import TableKit
import TableSQL

/// Announcements of commits between programs: one notification a transaction, on one channel of the database.
///
/// NOTIFY makes every committer take one server-wide lock, so nobody sends it unless somebody listens. An advisory lock
/// shows that: listeners hold it exclusively or wait for it, and committers try to share it. Sharing succeeds only
/// while no listener holds the lock or waits for it, and lasts until the commit is done. So once listeners hold the
/// lock, every commit is either visible or will be announced.
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

    /// The number of listeners that hold the lock, and whether one server process holds it or waits for it.
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
