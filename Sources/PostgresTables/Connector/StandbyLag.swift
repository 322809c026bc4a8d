#if PostgreSQL
import TableKit
import TableSQL

/// How far a standby is behind its leader.
///
/// A standby that has replayed all it knows of was in step when the leader last wrote to it, which the leader does every 30 s
/// at least (half of `wal_sender_timeout`). One that has not is as old as the last transaction that it has replayed. The view
/// needs the role `pg_read_all_stats`; without it, or without a leader, the lag is unknown.
enum StandbyLag {
    private static let question = SQLStatement(
        """
        SELECT pg_is_in_recovery(), (SELECT extract(epoch FROM clock_timestamp() \
        - CASE WHEN pg_last_wal_replay_lsn() >= latest_end_lsn THEN last_msg_receipt_time \
        ELSE pg_last_xact_replay_timestamp() END)::double precision \
        FROM pg_stat_wal_receiver WHERE status = 'streaming')
        """, results: [.bool, .double], isRepeated: false)

    /// Whether the server lags by less than a maximum. Then the connection is fit until the lag may have grown to it. A leader
    /// lags by nothing.
    static func isWithin(_ maximum: Duration, _ connection: PostgresConnection, limit: Duration) -> Bool {
        let start = ContinuousClock.now
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
