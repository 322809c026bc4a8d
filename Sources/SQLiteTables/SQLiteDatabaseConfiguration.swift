#if SQLite
public import TableKit
import TableSQL

/// Tables in an SQLite file.
///
/// ```swift
/// let db = Database(configuration: try SQLiteDatabaseConfiguration("people.sqlite"))
/// ```
///
/// In a process, configurations and repositories of one path and the same options share an engine, which the last of
/// them closes. Observation detects commits of the same engine at once, others by polling every 0.2 s.
public struct SQLiteDatabaseConfiguration: DatabaseConfigurationProtocol {
    let use: SQLiteUse

    /// The path of the file.
    public let path: String

    /// The engine. After ``close()``, one that refuses everything.
    public var engine: any TableEngine { use.engine }

    /// A database in a file. The first statement opens it, and creates a missing one.
    /// - Parameters:
    ///   - name: the path of the file.
    ///   - pragmas: the pragmas of each new connection, without the word PRAGMA. The default checks foreign keys and
    ///     lets readers run beside a writer.
    ///   - busyTimeout: how long a statement waits for a lock of another connection, in seconds.
    /// - Throws: `TableErrorCode.argument` for `:memory:` and other names whose database is private to a connection.
    public init(
        _ name: String, pragmas: [String] = ["foreign_keys = ON", "journal_mode = WAL"], busyTimeout: Double = 600
    ) throws {
        if SQLiteConnector.isPrivate(name) {
            throw CRUDSQLGenError(SQLiteConnector.privateMessage(name), code: .argument)
        }
        path = name
        use = SQLiteRegistry.shared.use(SQLiteConnector(path: name, pragmas: pragmas, busyTimeout: busyTimeout))
    }

    /// A database in the file `name`. The other parts are ignored.
    /// - Throws: `TableErrorCode.argument` without a name.
    public init(
        url: String? = nil, name: String?, host: String? = nil, port: Int? = nil, user: String? = nil,
        pass: String? = nil
    ) throws {
        guard let name else { throw CRUDSQLGenError("A SQLite database needs the path of a file.", code: .argument) }
        try self.init(name)
    }

    /// Ends the use of the file by this configuration and its copies, whose observations throw. Other configurations and
    /// repositories of the path continue. The last one to close also closes the connections: open transactions store
    /// nothing and throw. Later statements throw ``TableKit/TableErrorCode/unavailable``. Idempotent.
    public func close() throws { use.close() }

    /// Like the synchronous form, without blocking the caller's thread.
    public func close() async throws { try await use.close() }
}

extension SQLiteDatabaseConfiguration: SharedEngineConfiguration {
    package var closing: ClosingSignal { use.closing }
}
#endif
