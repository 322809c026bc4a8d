public import Siltstone
// Who imports this module has the typed tables.
@_exported public import TableKit

/// A database in a directory of the file system, kept by Siltstone.
///
/// ```swift
/// let db = Database(configuration: try SiltstoneDatabaseConfiguration("people.silt"))
/// ```
///
/// Configurations of one path, in one process, share one open store and its transactions' turns. The last one that goes closes
/// it.
public struct SiltstoneDatabaseConfiguration: DatabaseConfigurationProtocol {
    /// The engine.
    public let engine: any TableEngine

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
        engine = try EngineRegistry.shared.engine(shared.store, shared, durability: durability)
    }

    /// A database in a store that is open already. The caller closes the store, after the last use of the database.
    public init(store: KeyValueStore, durability: Durability? = nil) throws {
        engine = try EngineRegistry.shared.engine(store, nil, durability: durability)
    }
}
