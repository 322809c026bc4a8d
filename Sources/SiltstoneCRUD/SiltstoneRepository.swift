public import CRUDKit
import Foundation
public import Siltstone

/// A repository in a Siltstone store: each table a range of its keys.
///
/// ```swift
/// let repository = try SiltstoneRepository(path: "/data/app.silt", tableName: "Clients")
/// try await repository.create(id: "client", item: Client(name: "Chill Client"))
/// ```
///
/// What was acknowledged is as durable as the store is set to make it, by default on stable storage. Reads are answered
/// on the caller's task, from memory or a mapping; writes suspend it until the log is synced, and block no thread.
/// Batches are atomic, also across a crash. A page of items is as of one moment.
///
/// Any number of repositories may share a store, in one table or in several. Tables do not see each other's records,
/// whatever bytes names and identifiers hold. Identifiers are in the order of their UTF-8 bytes, as in the store.
public final class SiltstoneRepository: RecordRepository {
    /// The table's name.
    public let tableName: String
    /// What turns items into bytes and back.
    public let dataTransformer: any DataTransformer
    /// The store, for what a repository does not do: a transaction, a snapshot, a checkpoint, statistics.
    public let store: KeyValueStore
    /// Keeps the store open; nil where its owner closes it.
    private let use: SharedStore?
    let keys: TableKeys

    /// Opens the store at a path, or joins the repositories of this process that have it open. It is closed when the
    /// last of them goes.
    ///
    /// Opening may wait for the disk: for a recovery, after a crash.
    /// - Parameters:
    ///   - path: a directory, which is made where it is missing.
    ///   - tableName: the table in the store.
    ///   - dataTransformer: the format of the items.
    /// - Throws: `StoreError`: `locked` where another process has the store, or this one by other means than
    ///   `SharedStore`, as repositories do; `corrupt`, `notAStore` and others.
    public init(
        path: String, tableName: String = "", dataTransformer: any DataTransformer = JSONDataTransformer()
    ) throws {
        self.tableName = tableName
        self.dataTransformer = dataTransformer
        let use = try SharedStore.open(at: path)
        self.use = use
        store = use.store
        keys = TableKeys(tableName: tableName)
    }

    /// Creates a repository in a store that is open. Closing it stays with whoever opened it.
    ///
    /// Keys that the program writes to the store itself should not begin with a table's name and 0x00 0x01, or else
    /// they are records of that table.
    /// - Parameters:
    ///   - store: where the records go.
    ///   - tableName: the table in the store.
    ///   - dataTransformer: the format of the items.
    public init(
        store: KeyValueStore, tableName: String = "", dataTransformer: any DataTransformer = JSONDataTransformer()
    ) {
        self.tableName = tableName
        self.dataTransformer = dataTransformer
        self.store = store
        use = nil
        keys = TableKeys(tableName: tableName)
    }
}
