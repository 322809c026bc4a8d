import Synchronization

/// One use of a store that is open once in a process, however many use it: repositories, tables, libraries that do not know
/// of each other.
///
/// ```swift
/// let shared = try SharedStore.open(at: "/data/app.silt")
/// try shared.store.put("user:1".utf8, "Ada".utf8)
/// ```
///
/// The first use of a path opens the store and the last one closes it: by `close()`, or when its `SharedStore` goes. All
/// names of a directory are one path: relative ones, and those that lead through links. Stores that were opened by
/// `KeyValueStore.open` take no part: their path is locked.
public final class SharedStore: Sendable {
    /// The store, the same for all uses of the path. Not to be closed itself: that would close it under the others, and
    /// whoever asks for the path next gets it opened anew.
    public let store: KeyValueStore
    private let place: StoreRegistry.Place
    private let isClosed = Atomic<Bool>(false)

    private init(_ store: KeyValueStore, _ place: StoreRegistry.Place) {
        self.store = store
        self.place = place
    }

    /// Ends the use. May wait for the disk where it is the last one; in a task, rather call `close()` first.
    deinit {
        do { try close() } catch {
            // Nobody is left to be told. What was acknowledged is as durable as was promised when it was.
        }
    }

    /// The store at a path: the one that this process has open there, or else opened now.
    ///
    /// Several that open the same path at once get the same store; meanwhile other paths are opened and closed.
    /// - Parameters:
    ///   - path: the directory; its parent must exist.
    ///   - configuration: how to open it. Where it is open already, all options but
    ///     ``Configuration/createIfMissing`` must be the same; nil takes it as it is, or opens it with the defaults.
    /// - Throws: ``StoreError``: ``StoreError/Code/invalidArgument`` where the store is open with another
    ///   configuration, and what `KeyValueStore.open` throws.
    /// - Complexity: as of `KeyValueStore.open` for the first use, else O(1).
    public static func open(at path: String, configuration: Configuration? = nil) throws(StoreError) -> SharedStore {
        let (store, place) = try StoreRegistry.shared.use(path, configuration)
        return SharedStore(store, place)
    }

    /// The store at a path, opened on a thread of its own.
    public static func open(
        at path: String, configuration: Configuration? = nil
    ) async throws(StoreError) -> SharedStore {
        try await BlockingWork.run { () throws(StoreError) in try open(at: path, configuration: configuration) }
    }

    /// Ends this use, and closes the store if it was the last one. Again: does nothing.
    /// - Throws: what closing the store throws.
    public func close() throws(StoreError) {
        if isClosed.exchange(true, ordering: .acquiringAndReleasing) { return }
        try StoreRegistry.shared.end(store, place)
    }

    /// Ends this use, and closes the store if it was the last one. Again: does nothing.
    public func close() async throws(StoreError) {
        try await BlockingWork.run { () throws(StoreError) in try self.close() }
    }
}
