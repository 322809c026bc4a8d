#if PostgreSQL
import TableSQL

/// Time-outs and limits of connections to PostgreSQL. Every wait has a limit, because a frozen server accepts
/// connections and statements but never answers.
public struct PostgresOptions: Sendable, Hashable {
    /// The longest login, with all hosts. `connect_timeout` in the connection string overrides it. 5 s.
    public var connectTimeout: Duration = .seconds(5)
    /// The longest statement before the server cancels it. Nil: the server's setting. 60 s.
    public var statementTimeout: Duration? = .seconds(60)
    /// The longest wait of a statement for a lock. Nil: the server's setting.
    public var lockTimeout: Duration?
    /// The silence after which another connection asks whether the server still answers, and the longest wait for that
    /// answer. The connection is closed if there is no answer. Also the longest silence beyond ``statementTimeout``. 3 s.
    public var answerTimeout: Duration = .seconds(3)
    /// The longest silence of a server if ``statementTimeout`` is nil. 1 h.
    public var silenceTimeout: Duration = .seconds(3600)
    /// The most prepared statements of a connection. 256; 0 for poolers that switch servers between transactions: nothing is
    /// prepared, the time-outs are set in each transaction, not in the session, and observation polls.
    public var preparedStatements = 256
    /// The most connections at a time. 16.
    public var maximumConnections = 16
    /// The longest wait of a caller for a connection while all are in use. 30 s.
    public var acquireTimeout: Duration = .seconds(30)
    /// The isolation level of writing transactions.
    public var isolation: PostgresIsolation = .serializable
    /// How often a transaction runs again after a conflict, unless the caller sets a number. 100.
    public var conflictRetries = 100
    /// How long work that has changed nothing is repeated while no server can be reached, as in a failover. 30 s.
    public var failoverTimeout: Duration = .seconds(30)
    /// The connections' name in the server's lists.
    public var applicationName = "siltstone"
    /// The role of the server to connect to.
    public var role: PostgresRole = .readWrite
    /// How observation detects commits of other programs. In strict mode, on standbys and without prepared statements
    /// it always polls.
    public var observation: PostgresObservation = .announced
    /// The interval of polling. 1 s.
    public var pollingInterval: Duration = .seconds(1)
    /// Sends only the SQL listed in `Docs/Databases.md` and reads results without cursors: for servers that implement
    /// PostgreSQL's protocol, and for tests. The server must order text by bytes by default, as CockroachDB and
    /// databases with the locale C do.
    public var isStrict = false

    /// The time that a connection may be idle without a health check, in seconds. Not public: tests that count round trips
    /// set it.
    var healthCheckAfter = ConnectionPoolOptions().healthCheckAfter

    /// The defaults.
    public init() {}

    var pool: ConnectionPoolOptions {
        var pool = ConnectionPoolOptions()
        pool.maximumConnections = max(maximumConnections, 1)
        pool.acquireTimeout = acquireTimeout.seconds
        pool.healthCheckAfter = healthCheckAfter
        return pool
    }

    /// Whether commits are announced with NOTIFY.
    var announcesCommits: Bool { observation == .announced && !isStrict && role == .readWrite }

    /// Whether commits are observed with LISTEN. It needs sessions of its own.
    var listensToCommits: Bool { announcesCommits && !isPooled }

    /// The longest silence before a connection is closed.
    var answerLimit: Duration { statementTimeout.map { $0 + answerTimeout } ?? silenceTimeout }

    /// Whether a pooler may switch servers between transactions. A setting of the session would then reach other clients.
    private var isPooled: Bool { preparedStatements <= 0 }

    /// The statements that set up a session.
    /// - Parameter readsBackslashes: whether the server says that a backslash in a literal begins an escape.
    func sessionSettings(readsBackslashes: Bool) -> [String] {
        var statements = isPooled ? [] : settings.map { "SET \($0)" }
        // The role or the database may have another setting. Poolers know this one and keep it with its client. Strict servers
        // need it only if they say so.
        if readsBackslashes || !(isStrict || isPooled) { statements.append("SET standard_conforming_strings = on") }
        return statements
    }

    /// The statements behind each BEGIN.
    var transactionSettings: [String] { isPooled ? settings.map { "SET LOCAL \($0)" } : [] }

    private var settings: [String] {
        var settings: [String] = []
        if let statementTimeout { settings.append("statement_timeout = \(statementTimeout.milliseconds)") }
        if let lockTimeout { settings.append("lock_timeout = \(lockTimeout.milliseconds)") }
        if isStrict { return settings }
        // A doubtful commit is told by a warning: NoticeWatch.
        settings.append("client_min_messages = warning")
        // Cursors are read to their end. By default the server plans for the first tenth of the rows: it would rather walk over
        // the whole table in the order of the key than use an index and sort a few rows.
        settings.append("cursor_tuple_fraction = 1")
        return settings
    }
}

/// The isolation level of PostgreSQL's writing transactions.
public enum PostgresIsolation: String, Sendable, Hashable {
    /// As if transactions ran one after the other, as tables promise. Conflicts make some run again.
    case serializable = "SERIALIZABLE"
    /// Each transaction reads one snapshot. Two that read what the other changes both commit.
    case repeatableRead = "REPEATABLE READ"
    /// Each statement reads what was committed before it.
    case readCommitted = "READ COMMITTED"
}

/// How observation detects the commits of other programs.
public enum PostgresObservation: Sendable, Hashable {
    /// With LISTEN and NOTIFY. If any program listens, each transaction announces the tables that it changed, in the
    /// round trip of its COMMIT. Programs without Siltstone are observed if a trigger announces their changes. Without
    /// prepared statements, transactions announce their tables, but observation polls.
    case announced
    /// By running the observed statements again at intervals (``PostgresOptions/pollingInterval``). Detects the commits
    /// of every program, but announces none of its own to programs that listen.
    case polled
}

/// The role of the server to connect to, if there are several.
public enum PostgresRole: Sendable, Hashable {
    /// One that accepts writes: the leader, or any node of a multi-leader cluster.
    case readWrite
    /// A standby, or any server if there is no standby. Reads may be older than the leader's, but a standby that lags
    /// more or whose lag is unknown is not used. While the leader is idle, the lag is known only to about 30 s.
    case standby(maximumLag: Duration)
}
#endif
