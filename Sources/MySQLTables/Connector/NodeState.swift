#if MySQL
import TableKit
import TableSQL

/// The state of a server: whether it accepts writes and is in sync with its cluster.
struct NodeState {
    /// Even a node that has left its cluster answers this query. Proxies that send queries to replicas send one with FOR
    /// UPDATE to the server that takes writes.
    static let question = """
        SELECT @@global.read_only, @@max_allowed_packet, \
        (SELECT VARIABLE_VALUE FROM information_schema.GLOBAL_VARIABLES WHERE VARIABLE_NAME = 'WSREP_ON'), \
        (SELECT VARIABLE_VALUE FROM information_schema.GLOBAL_STATUS WHERE VARIABLE_NAME = 'WSREP_READY'), \
        (SELECT VARIABLE_VALUE FROM information_schema.GLOBAL_STATUS WHERE VARIABLE_NAME = 'WSREP_LOCAL_STATE_COMMENT'), \
        CONCAT(@@hostname, ':', @@port, ' ', @@server_id) AS server FOR UPDATE
        """
    /// The number of its columns.
    static let columnCount = 6

    let isReadOnly: Bool
    let maximumPacket: Int
    /// Why a cluster node is unusable; nil if it is usable.
    let absence: String?
    /// What tells the server from others behind the same address.
    let identity: String

    /// - Parameter answer: the columns of the query's row.
    init(_ answer: [String?]) {
        func text(_ column: Int) -> String { column < answer.count ? answer[column] ?? "" : "" }
        // A word since MariaDB 12.
        isReadOnly = !["0", "OFF"].contains(text(0))
        identity = text(5)
        // The server's own limits of the setting, and some room for a statement.
        maximumPacket = min(max(Int(text(1)) ?? 1 << 24, 2048), 1 << 30)
        let isNode = text(2) == "ON" || text(2) == "1"
        absence = !isNode || (text(3) == "ON" && text(4) == "Synced") ? nil : "\(text(4)), wsrep_ready \(text(3))"
    }

    /// Why a server is unusable; nil if it is usable.
    func refusal(isWriterNeeded: Bool) -> String? {
        if let absence { return "the node is not in step: \(absence)" }
        return isWriterNeeded && isReadOnly ? "the server takes no writes" : nil
    }
}
#endif
