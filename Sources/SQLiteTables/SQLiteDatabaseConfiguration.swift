#if SQLite
public import TableKit
import TableSQL

/// Tables in a SQLite file, behind the interface of `Database`.
///
/// ```swift
/// let db = Database(configuration: try SQLiteDatabaseConfiguration("people.sqlite"))
/// ```
///
/// Configurations and repositories of one path with the same options share one engine and its connections in a process; the
/// last of them closes it. Observation hears of commits of the same engine at once, and looks every 0.2 s for those of others.
public struct SQLiteDatabaseConfiguration: DatabaseConfigurationProtocol {
    private let use: SQLiteUse

    /// The path of the file.
    public let path: String

    /// The engine; after ``close()`` one that refuses everything.
    public var engine: any TableEngine { use.engine }

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
        use = SQLiteRegistry.shared.use(SQLiteConnector(path: name, pragmas: pragmas, busyTimeout: busyTimeout))
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

    /// Ends the use of the file by this configuration and its copies. Other configurations and repositories of the path go on;
    /// with the last one its connections close, and whatever is open ends: a transaction stores nothing and throws,
    /// observations throw. Statements after that throw ``TableKit/TableErrorCode/unavailable``. Again: does nothing.
    public func close() throws { use.close() }

    /// As the synchronous form.
    public func close() async throws { use.close() }
}
#endif
