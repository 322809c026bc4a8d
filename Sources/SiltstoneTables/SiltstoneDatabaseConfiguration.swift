public import Siltstone
// Who imports this module has the typed tables.
@_exported public import TableKit

/// A database in a directory of the file system, kept by Siltstone.
///
/// ```swift
/// let db = Database(configuration: try SiltstoneDatabaseConfiguration("people.silt"))
/// ```
///
/// Configurations of one path, in one process, share one open store and its transactions' turns. The last one that goes, or
/// is closed, closes it.
public struct SiltstoneDatabaseConfiguration: DatabaseConfigurationProtocol {
    private let use: DatabaseUse

    /// The engine. After `close()` one that refuses everything.
    public var engine: any TableEngine { use.engine }

    /// Opens the database in a directory, or makes one where there is none. May wait for the disk.
    /// - Parameters:
    ///   - path: the directory; its parent must exist.
    ///   - configuration: how the store is opened. Nil: as it is open already, or with the defaults.
    ///   - durability: when a commit returns. Nil: as the store was opened.
    /// - Throws: `TableErrorCode.unavailable` where another process has it, or it is something else;
    ///   `TableErrorCode.corrupt`.
    public init(_ path: String, configuration: Configuration? = nil, durability: Durability? = nil) throws {
        do {
            try self.init(shared: try SharedStore.open(at: path, configuration: configuration), durability: durability)
        } catch let error as StoreError {
            throw error.asTableError
        }
    }

    /// As ``init(_:configuration:durability:)``, for tasks: waits for the disk on a thread of its own.
    public static func open(
        _ path: String, configuration: Configuration? = nil, durability: Durability? = nil
    ) async throws -> SiltstoneDatabaseConfiguration {
        do {
            let shared = try await SharedStore.open(at: path, configuration: configuration)
            return try SiltstoneDatabaseConfiguration(shared: shared, durability: durability)
        } catch let error as StoreError {
            throw error.asTableError
        }
    }

    /// Opens the database in the directory `name`, as drivers of servers are opened. The other parts are not used.
    /// - Throws: `TableErrorCode.argument` where `name` is nil.
    public init(
        url: String? = nil, name: String?, host: String? = nil, port: Int? = nil, user: String? = nil,
        pass: String? = nil
    ) throws {
        guard let name else {
            throw CRUDSQLExeError("A database of Siltstone needs a name: its path.", code: .argument)
        }
        try self.init(name)
    }

    /// A database in a store that is open already and shared.
    public init(shared: SharedStore, durability: Durability? = nil) throws {
        use = try EngineRegistry.shared.use(shared.store, shared, durability: durability)
    }

    /// A database in a store that is open already. The caller closes the store, after the last use of the database.
    public init(store: KeyValueStore, durability: Durability? = nil) throws {
        use = try EngineRegistry.shared.use(store, nil, durability: durability)
    }

    // MARK: Closing

    /// Ends the use of the database by this configuration and its copies, and closes the store if no other configuration
    /// uses it. Again: does nothing.
    ///
    /// Others of the same path go on. With the last one, whatever is still open ends: a transaction stores nothing and
    /// throws at its next statement or its commit, observations throw, and a result that is read throws or comes to its end.
    /// A store that was handed over open (``init(store:durability:)``) stays open. May wait for the disk.
    /// - Throws: what closing the store throws, as an error of tables.
    public func close() throws {
        do { try use.end()?.close() } catch { throw error.asTableError }
    }

    /// As the synchronous form, for tasks: waits for the disk on a thread of its own.
    public func close() async throws {
        do { try await use.end()?.close() } catch { throw error.asTableError }
    }
}
