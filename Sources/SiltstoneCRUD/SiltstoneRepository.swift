public import CRUDKit
import Foundation
public import Siltstone

/// A repository in a Siltstone store: each repository is a range of its keys.
///
/// ```swift
/// let repository = try SiltstoneRepository(path: "/data/app.silt", tableName: "Clients")
/// try await repository.create(id: "client", item: Client(name: "Chill Client"))
/// ```
///
/// Acknowledged changes are as durable as the store's options make them, by default on stable storage. Reads run on the
/// caller's task, from memory or a mapping. Writes suspend the task until the log is synced, and block no thread.
/// Batches are atomic, also across a crash. Each page of items is a snapshot.
///
/// Any number of repositories may share a store, with one table name or several. Repositories with different names do
/// not see each other's records, whatever bytes names and identifiers hold. Identifiers are ordered by their UTF-8
/// bytes. An identifier and the name together have nearly 64 KiB (`Limits.keyBytes`); a longer one throws `tooLarge` of
/// `StoreError`.
///
/// A write that meets a failing disk throws `unknownOutcome` of `CRUDRepositoryError`: the change may be found when the
/// store is opened again. All other failures of the store are `StoreError`s, after which nothing has changed.
///
/// Reads run on the caller's thread, in tasks as well. They wait for the disk only where a page is not in memory, and
/// most of their time is the decoding of items.
public final class SiltstoneRepository: RecordRepository {
    /// The name of the repository.
    public let tableName: String
    /// The format of the items.
    public let dataTransformer: any DataTransformer
    /// The store, for transactions, snapshots, checkpoints and statistics.
    public let store: KeyValueStore
    /// Keeps the store open; nil if its owner closes it.
    private let use: SharedStore?
    let keys: TableKeys

    /// Opens the store at a path, or shares it with the other repositories of this process. The last repository to go
    /// closes it: call `close()` before.
    ///
    /// Opening may block for a recovery after a crash.
    /// - Parameters:
    ///   - path: the directory of the store; a missing one is created.
    ///   - tableName: the name of the repository.
    ///   - dataTransformer: the format of the items.
    /// - Throws: `StoreError`: `locked` if another process has the store open, or this one without `SharedStore`;
    ///   `corrupt`, `notAStore` and others.
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

    /// Creates a repository in an open store, which its owner closes.
    ///
    /// Keys that a program writes to the store directly must not begin with a repository's name and 0x00 0x01, or they
    /// become records of that repository.
    /// - Parameters:
    ///   - store: the store of the records.
    ///   - tableName: the name of the repository.
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

    /// Ends the use of a store that the repository was made with by path. The last use closes the store, which waits
    /// for the disk.
    ///
    /// Call it when the repository is not needed any more. Otherwise its release closes the store: on whatever thread
    /// drops the last reference, perhaps one of Swift's pool, which then waits; and without a word of an error. Do not
    /// use the repository afterwards: its operations throw `closed` once the store is. Does nothing the second time,
    /// and nothing to a store that its owner closes.
    /// - Throws: `StoreError`: the errors of closing the store. Acknowledged changes keep the durability that they
    ///   have.
    public func close() throws(StoreError) {
        try use?.close()
    }

    /// Ends the use of a store that the repository was made with by path, on a thread that may block; see the
    /// synchronous form.
    public func close() async throws(StoreError) {
        try await use?.close()
    }
}
