import Synchronization

/// One use of a store that a process opens only once, although several users share it: repositories, tables, or
/// libraries that do not know of each other.
///
/// ```swift
/// let shared = try SharedStore.open(at: "/data/app.silt")
/// try shared.store.put("user:1".utf8, "Ada".utf8)
/// ```
///
/// The first use of a path opens the store. The last one closes it, with `close()` or when its `SharedStore` is
/// released. All names of a directory count as one path, including relative ones and those with symbolic links. Stores
/// that `KeyValueStore.open` has opened are not shared: their path is locked, unless both are open for reading only.
public final class SharedStore: Sendable {
    /// The store, which is the same for all uses of the path. Do not close it directly: that would close it for the
    /// other users, and the next `SharedStore.open` of the path would open it again.
    public let store: KeyValueStore
    /// The key of the store in the registry.
    private let place: StorePlace
    private let isClosed = Atomic<Bool>(false)

    private init(_ store: KeyValueStore, _ place: StorePlace) {
        self.store = store
        self.place = place
    }

    /// Ends the use. The last use closes the store, which may wait for the disk. So a task should call `close()`
    /// before.
    deinit {
        do { try close() } catch {
            // A deinitialiser cannot report the error. All acknowledged changes already have the durability that was
            // promised.
        }
    }

    /// Returns the store at a path. Opens it unless this process has it open already.
    ///
    /// If several threads open the same path at the same time, they get the same store. Other paths can be opened and
    /// closed meanwhile.
    /// - Parameters:
    ///   - path: the directory; its parent must exist.
    ///   - configuration: how to open it. If the store is already open, all options except
    ///     ``Configuration/createIfMissing`` must be the same. Nil accepts any options of an open store, and otherwise
    ///     uses the defaults.
    /// - Throws: ``StoreError``: ``StoreError/Code/invalidArgument`` if the store is open with another configuration,
    ///   ``StoreError/Code/inputOutput`` if its directory was moved, removed or replaced while it was open (all uses must
    ///   then be closed first), and the errors of `KeyValueStore.open`.
    /// - Complexity: see `KeyValueStore.open` for the first use, otherwise O(1).
    public static func open(at path: String, configuration: Configuration? = nil) throws(StoreError) -> SharedStore {
        let (store, place) = try StoreRegistry.shared.use(path, configuration)
        return SharedStore(store, place)
    }

    /// Returns the store at a path. Opens it on a thread that may block; see the synchronous form.
    public static func open(
        at path: String, configuration: Configuration? = nil
    ) async throws(StoreError) -> SharedStore {
        try await BlockingWork.run { () throws(StoreError) in try open(at: path, configuration: configuration) }
    }

    /// Ends this use, and closes the store if it was the last one. A second call does nothing.
    /// - Throws: the errors of closing the store.
    public func close() throws(StoreError) {
        if isClosed.exchange(true, ordering: .acquiringAndReleasing) { return }
        try StoreRegistry.shared.end(store, place)
    }

    /// Ends this use, and closes the store if it was the last one. A second call does nothing.
    public func close() async throws(StoreError) {
        try await BlockingWork.run { () throws(StoreError) in try self.close() }
    }
}
