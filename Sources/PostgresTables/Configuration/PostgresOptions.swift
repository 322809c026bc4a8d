#if PostgreSQL
import TableSQL

/// How connections to PostgreSQL behave. Time-outs are limits for waiting; each wait has one, because a server that is
/// frozen accepts connections and statements, and says nothing.
public struct PostgresOptions: Sendable, Hashable {
    /// The longest that making a connection takes, with all hosts and the login. 5 s.
    public var connectTimeout: Duration = .seconds(5)
    /// The longest that a statement runs before the server cancels it. Nil: as the server is set. 60 s.
    public var statementTimeout: Duration? = .seconds(60)
    /// The longest that a statement waits for a lock. Nil: as the server is set.
    public var lockTimeout: Duration?
    /// How long a server may be silent beyond the time that a statement may take, before the connection is given up. 3 s.
    public var answerTimeout: Duration = .seconds(3)
    /// How long a server may be silent where a statement may take forever.
    public var silenceTimeout: Duration = .seconds(3600)
    /// The most statements that one connection keeps prepared. 256; 0 prepares none, as some poolers need.
    public var preparedStatements = 256
    /// The most connections at a time. 16.
    public var maximumConnections = 16
    /// How long a caller waits for a connection where all are in use. 30 s.
    public var acquireTimeout: Duration = .seconds(30)
    /// How transactions that change something keep away from each other.
    public var isolation: PostgresIsolation = .serializable
    /// How often a transaction that met a conflict runs again, where the caller says nothing. 100.
    public var conflictRetries = 100
    /// How long work that has changed nothing is tried again where servers cannot be reached, as amid a failover. 30 s.
    public var failoverTimeout: Duration = .seconds(30)
    /// The name under which the server lists the connections.
    public var applicationName = "siltstone"
    /// Which server is wanted where there are several.
    public var role: PostgresRole = .readWrite
    /// How observation hears of commits of other programs. In strict mode and at standbys it polls, whatever stands here.
    public var observation: PostgresObservation = .announced
    /// How often observation looks where it polls. 1 s.
    public var pollingInterval: Duration = .seconds(1)
    /// Sends nothing that is not on the list of `Docs/Databases.md`, and reads results without cursors: for servers that
    /// speak PostgreSQL's protocol, and for tests. Text must be ordered by bytes without being told so: as in CockroachDB, and
    /// in databases whose locale is C.
    public var isStrict = false

    /// The defaults.
    public init() {}

    var pool: ConnectionPoolOptions {
        var pool = ConnectionPoolOptions()
        pool.maximumConnections = max(maximumConnections, 1)
        pool.acquireTimeout = acquireTimeout.seconds
        return pool
    }

    /// Whether commits are announced, and heard of by LISTEN.
    var announcesCommits: Bool { observation == .announced && !isStrict && role == .readWrite }

    /// The longest silence before a connection is given up.
    var answerLimit: Duration { statementTimeout.map { $0 + answerTimeout } ?? silenceTimeout }

    /// The settings of a session, as statements.
    var sessionSettings: [String] {
        var settings: [String] = []
        if let statementTimeout {
            settings.append("SET statement_timeout = \(statementTimeout.milliseconds)")
        }
        if let lockTimeout { settings.append("SET lock_timeout = \(lockTimeout.milliseconds)") }
        // Cursors are read to their end. By default the server plans for the first tenth of the rows: it would rather walk over
        // the whole table in the order of the key than use an index and sort a few rows.
        if !isStrict { settings.append("SET cursor_tuple_fraction = 1") }
        return settings
    }
}

/// How transactions of PostgreSQL keep away from each other.
public enum PostgresIsolation: String, Sendable, Hashable {
    /// As if they ran one after the other; some run again after a conflict. What transactions of tables promise.
    case serializable = "SERIALIZABLE"
    /// Each sees one state. Two that read what the other changes both commit.
    case repeatableRead = "REPEATABLE READ"
    /// Each statement sees what was committed before it.
    case readCommitted = "READ COMMITTED"
}

/// How observation hears of the commits of other programs.
public enum PostgresObservation: Sendable, Hashable {
    /// By LISTEN and NOTIFY. Each transaction that changes tables announces them, in the round trip of its COMMIT, if a
    /// program listens. Programs that do not use Siltstone are heard where a trigger announces their changes.
    case announced
    /// By looking again at intervals (``PostgresOptions/pollingInterval``): hears of everybody, and sends the observed
    /// statements each time. Announces nothing, so others who listen do not hear of this program. For poolers that switch
    /// servers between transactions.
    case polled
}

/// Which of several servers takes connections.
public enum PostgresRole: Sendable, Hashable {
    /// One that takes writes: the leader, or any node of a cluster where all do.
    case readWrite
    /// A standby, or where there is none, any server. Its state may be older than the leader's; a connection whose standby
    /// lags by more, or cannot tell its lag, is not used. The lag is known to some 30 s where the leader rests.
    case standby(maximumLag: Duration)
}
#endif
