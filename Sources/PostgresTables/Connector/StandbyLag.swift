#if PostgreSQL
import TableKit
import TableSQL

/// The lag of a standby behind its leader.
///
/// A standby that has replayed all it received was up to date at the leader's last message. The leader sends one at
/// least every 30 s (half of `wal_sender_timeout`). Any other standby is as old as its last replayed transaction. The
/// view needs the role `pg_read_all_stats`; without it, or without a leader, the lag is unknown.
enum StandbyLag {
    private static let question = SQLStatement(
        """
        SELECT pg_is_in_recovery(), (SELECT extract(epoch FROM clock_timestamp() \
        - CASE WHEN pg_last_wal_replay_lsn() >= latest_end_lsn THEN last_msg_receipt_time \
        ELSE pg_last_xact_replay_timestamp() END)::double precision \
        FROM pg_stat_wal_receiver WHERE status = 'streaming')
        """, results: [.bool, .double], isRepeated: false)

    /// Whether the server lags by at most a maximum. If so, the connection is fresh until the lag may have grown to it.
    /// A leader never lags.
    static func isWithin(_ maximum: Duration, _ connection: PostgresConnection, limit: Duration) -> Bool {
        let start = Moment.now
        do {
            let row = try connection.run([question], limit: limit)[0].rows.first ?? []
            switch (row.first, row.last) {
            case (.bool(false), _): connection.freshUntil = start + maximum
            case (.bool(true), .real(let lag)) where lag <= maximum.seconds:
                connection.freshUntil = start + maximum - .seconds(max(lag, 0))
            default: return false
            }
            return true
        } catch { return false }
    }
}
#endif
