#if MySQL
import TableSQL

/// How connections to MariaDB behave. Time-outs are limits for waiting; each wait has one, because a server that is frozen
/// accepts connections and statements, and says nothing.
public struct MySQLOptions: Sendable, Hashable {
    /// The longest that making a connection takes, with all hosts and the login. 5 s.
    public var connectTimeout: Duration = .seconds(5)
    /// The longest that a statement runs before the server ends it. Nil: as the server is set. 60 s.
    public var statementTimeout: Duration? = .seconds(60)
    /// The longest that a statement waits for a lock; then its transaction runs again. Whole seconds. 10 s.
    public var lockTimeout: Duration = .seconds(10)
    /// How long a server may be silent beyond the time that a statement may take, before the connection is given up. 3 s.
    public var answerTimeout: Duration = .seconds(3)
    /// How long a server may be silent where a statement may take forever.
    public var silenceTimeout: Duration = .seconds(3600)
    /// The most statements that one connection keeps prepared. 256; 0 prepares each anew.
    public var preparedStatements = 256
    /// The most connections at a time. 16.
    public var maximumConnections = 16
    /// How long a caller waits for a connection where all are in use. 30 s.
    public var acquireTimeout: Duration = .seconds(30)
    /// How transactions that change something keep away from each other.
    public var isolation: MySQLIsolation = .serializable
    /// How often a transaction that met a conflict runs again, where the caller says nothing. 100.
    public var conflictRetries = 100
    /// How long work that has changed nothing is tried again where servers cannot be reached, as amid a failover. 30 s.
    public var failoverTimeout: Duration = .seconds(30)
    /// How often observation looks for commits of other programs. It runs the observed statements again. 1 s.
    public var pollingInterval: Duration = .seconds(1)
    /// The name that connections tell the server.
    public var applicationName = "siltstone"
    /// Which of several hosts takes connections.
    public var hostChoice: MySQLHostChoice = .first
    /// Whether a read sees all that was committed on any node of a Galera cluster before it began (`wsrep_sync_wait`). Each
    /// read then waits until its node has applied what the cluster has committed.
    public var readsSeeOtherNodes = false

    /// The defaults.
    public init() {}

    var pool: ConnectionPoolOptions {
        var pool = ConnectionPoolOptions()
        pool.maximumConnections = max(maximumConnections, 1)
        pool.acquireTimeout = acquireTimeout.seconds
        return pool
    }

    /// The longest silence before a connection is given up.
    var answerLimit: Duration { statementTimeout.map { $0 + answerTimeout } ?? silenceTimeout }

    /// The modes of SQL: values that do not fit are errors, 0 is a number like others, a backslash a sign like others.
    private static let modes =
        "STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION,NO_AUTO_VALUE_ON_ZERO,NO_BACKSLASH_ESCAPES,"
        + "NO_ZERO_DATE,NO_ZERO_IN_DATE,ERROR_FOR_DIVISION_BY_ZERO"

    /// The settings of a session, as statements.
    var sessionSettings: [String] {
        let seconds = max(lockTimeout.milliseconds / 1000, 1)
        var parts = [
            "sql_mode = '\(Self.modes)'", "time_zone = '+00:00'", "autocommit = 1",
            "tx_isolation = 'SERIALIZABLE'", "innodb_snapshot_isolation = 1", "innodb_lock_wait_timeout = \(seconds)",
            "lock_wait_timeout = \(seconds)", "max_sort_length = 65536", "sort_buffer_size = 16777216",
            "in_predicate_conversion_threshold = 0",
            "foreign_key_checks = 1", "unique_checks = 1", "sql_select_limit = DEFAULT", "sql_safe_updates = 0",
        ]
        if let statementTimeout { parts.append("max_statement_time = \(Double(statementTimeout.milliseconds) / 1000)") }
        if readsSeeOtherNodes { parts.append("wsrep_sync_wait = 1") }
        return ["SET NAMES utf8mb4 COLLATE utf8mb4_nopad_bin", "SET " + parts.joined(separator: ", ")]
    }
}

/// How transactions of MariaDB that change something keep away from each other.
public enum MySQLIsolation: Sendable, Hashable {
    /// As if they ran one after the other: what they read is locked; some run again after a deadlock. What transactions of
    /// tables promise. On a Galera cluster, of transactions on one node.
    case serializable
    /// Each sees one state and locks what it changes; one that changes what has changed since runs again. Two that read what
    /// the other changes both commit.
    case snapshot
}

/// Which of several hosts takes connections. Those that cannot be reached, take no writes or are not in step never do.
public enum MySQLHostChoice: Sendable, Hashable {
    /// The first of the list that can be used: the programs of a cluster meet on one node, where their transactions find
    /// conflicts before they commit.
    case first
    /// A random one, and the same as long as it can be used: programs spread over the nodes.
    case any
}
#endif
