#if SQLite
public import TableKit
import Synchronization
import TableSQL

/// Tables in a SQLite file, behind the interface of `Database`.
///
/// ```swift
/// let db = Database(configuration: try SQLiteDatabaseConfiguration("people.sqlite"))
/// ```
///
/// All configurations of one path in a process share one engine. Observation tells of commits of this process.
public struct SQLiteDatabaseConfiguration: DatabaseConfigurationProtocol {
    private static let engines = Mutex<[String: SQLEngine<SQLiteConnector>]>([:])

    /// The engine.
    public let engine: any TableEngine
    /// The path of the file.
    public let path: String

    /// A database in a file, which is made where it is missing.
    /// - Parameters:
    ///   - name: the path of the file.
    ///   - pragmas: what each connection is told at its beginning, without the word PRAGMA. The default: foreign keys are
    ///     checked, and readers do not wait for writers.
    ///   - busyTimeout: how long a statement waits for a lock that another connection has, in seconds.
    /// - Throws: nothing at present; the file is opened with the first statement.
    public init(
        _ name: String, pragmas: [String] = ["foreign_keys = ON", "journal_mode = WAL"], busyTimeout: Double = 600
    ) throws {
        path = name
        engine = Self.engines.withLock { engines in
            if let engine = engines[name] { return engine }
            let connector = SQLiteConnector(path: name, pragmas: pragmas, busyTimeout: busyTimeout)
            let engine = SQLEngine(
                dialect: SQLiteDialect(), pool: ConnectionPool(connector), observation: .ownCommits)
            engines[name] = engine
            return engine
        }
    }

    /// A database in the file `name`. The other parts are not used.
    /// - Throws: `TableErrorCode.argument` without a name.
    public init(
        url: String? = nil, name: String?, host: String? = nil, port: Int? = nil, user: String? = nil,
        pass: String? = nil
    ) throws {
        guard let name else { throw CRUDSQLGenError("A SQLite database needs the path of a file.", code: .argument) }
        try self.init(name)
    }
}

/// Opens connections to one file.
struct SQLiteConnector: SQLConnector {
    let path: String
    let pragmas: [String]
    let busyTimeout: Double

    var place: String { path }

    func connect() throws -> SQLiteConnection {
        try SQLiteConnection(path: path, pragmas: pragmas, busyTimeout: busyTimeout)
    }

    func isHealthy(_ connection: SQLiteConnection) -> Bool { connection.isUsable }
}
#endif
