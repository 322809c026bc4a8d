public import Siltstone
// Importing this module imports the typed tables.
@_exported public import TableKit

/// A database in a directory, stored by Siltstone.
///
/// ```swift
/// let db = Database(configuration: try SiltstoneDatabaseConfiguration("people.silt"))
/// ```
///
/// Configurations of one path in one process share one open store and its transaction lock. Closing or releasing the
/// last one closes the store.
public struct SiltstoneDatabaseConfiguration: DatabaseConfigurationProtocol {
    private let use: DatabaseUse

    /// The engine. After `close()`, every call to it throws.
    public var engine: any TableEngine { use.engine }

    /// Opens the database in a directory, or creates it. May block on the disk.
    /// - Parameters:
    ///   - path: the directory; its parent must exist.
    ///   - configuration: the options of the store. Nil: those of the open store, or the defaults.
    ///   - durability: the durability of commits. Nil: that of the store.
    /// - Throws: `TableErrorCode.unavailable` if another process has opened it or the directory is no store;
    ///   `TableErrorCode.corrupt`.
    public init(_ path: String, configuration: Configuration? = nil, durability: Durability? = nil) throws {
        do {
            try self.init(shared: try SharedStore.open(at: path, configuration: configuration), durability: durability)
        } catch let error as StoreError {
            throw error.asTableError
        }
    }

    /// As ``init(_:configuration:durability:)``, for tasks. Waits for the disk on a separate thread.
    public static func open(
        _ path: String, configuration: Configuration? = nil, durability: Durability? = nil
    ) async throws -> SiltstoneDatabaseConfiguration {
        // The whole initialiser: it also loads the catalogue, and on failure closes the store.
        try await BlockingWork.run { () throws(StoreError) in
            Result { try SiltstoneDatabaseConfiguration(path, configuration: configuration, durability: durability) }
        }.get()
    }

    /// Opens the database in the directory `name`. Ignores the other parts, which serve the drivers of servers.
    /// - Throws: `TableErrorCode.argument` if `name` is nil.
    public init(
        url: String? = nil, name: String?, host: String? = nil, port: Int? = nil, user: String? = nil,
        pass: String? = nil
    ) throws {
        guard let name else {
            throw CRUDSQLExeError("A database of Siltstone needs a name: its path.", code: .argument)
        }
        try self.init(name)
    }

    /// A database in an open, shared store.
    public init(shared: SharedStore, durability: Durability? = nil) throws {
        use = try EngineRegistry.shared.use(shared.store, shared, durability: durability)
    }

    /// A database in an open store. The caller must close the store after the last use of the database.
    public init(store: KeyValueStore, durability: Durability? = nil) throws {
        use = try EngineRegistry.shared.use(store, nil, durability: durability)
    }

    // MARK: Closing

    /// Ends the use of the database by this configuration and its copies, whose observations throw. Closes the store if
    /// no other configuration uses it. A second call does nothing.
    ///
    /// Other configurations of the path stay open. Closing the last one ends everything that is open: a transaction is
    /// not stored and throws at its next statement or commit, and open results throw or end. A
    /// store passed to ``init(store:durability:)`` stays open. May block on the disk.
    /// - Throws: the errors of closing the store.
    public func close() throws {
        do { try use.end()?.close() } catch { throw error.asTableError }
    }

    /// As the synchronous form, for tasks. Waits for the disk on a separate thread.
    public func close() async throws {
        do { try await use.end()?.close() } catch { throw error.asTableError }
    }
}

extension SiltstoneDatabaseConfiguration: SharedEngineConfiguration {
    package var closing: ClosingSignal { use.closing }
}
