/// An ordered map from keys to values that lives in a directory: embedded, durable, safe to use from any thread.
///
/// ```swift
/// let store = try KeyValueStore.open(at: "app.silt")
/// try store.put("user:1".utf8, "Ada".utf8)
/// let name = try store.get("user:1".utf8)  // [UInt8]?
/// try store.close()
/// ```
///
/// Keys are ordered by their unsigned bytes. Every operation exists for synchronous callers; those that can wait for the
/// disk also exist as `async` under the same name, and these never hold up a thread of the cooperative pool. What lends
/// bytes (`withValue`, `forEach`) is synchronous; `get` and `entries` stand in for it in tasks. Reading functions are
/// those of ``KeyValueReader``, which snapshots and transactions have, too. A write is
/// acknowledged as ``Durability`` says. One process at a time owns a store for writing.
///
/// Keys and values are any contiguous bytes: `[UInt8]`, `Data`, a buffer, a `RawSpan`, the `utf8` of a `String`.
public final class KeyValueStore: Sendable {
    let engine: Engine
    // The engine's owners that hot calls reach. Called through two references they would be retained and released, two
    // locked operations for each read.
    let reads: ReadPath
    let scans: ScanPath
    let writes: WritePath

    init(_ engine: Engine) {
        self.engine = engine
        reads = engine.reads
        scans = engine.scans
        writes = engine.writes
    }

    /// A store that is not closed is left like one whose process died: nothing that was acknowledged as synced is lost,
    /// and what was buffered is with the kernel.
    deinit { engine.abandon() }

    /// Opens the store in a directory, or makes one where there is none.
    /// - Parameters:
    ///   - path: the directory; its parent must exist.
    ///   - configuration: how to open it.
    /// - Throws: ``StoreError``: ``StoreError/Code/locked`` where another has it, ``StoreError/Code/notAStore`` where the
    ///   path is something else, ``StoreError/Code/corrupt``, ``StoreError/Code/unsupportedFormat`` and others.
    /// - Complexity: O(segments + bytes of changes that were not flushed).
    public static func open(
        at path: String, configuration: Configuration = Configuration()
    ) throws(StoreError) -> KeyValueStore {
        KeyValueStore(try Engine.open(at: path, configuration))
    }

    /// Opens the store in a directory, or makes one where there is none, on a thread of its own.
    public static func open(
        at path: String, configuration: Configuration = Configuration()
    ) async throws(StoreError) -> KeyValueStore {
        try await BlockingWork.run { () throws(StoreError) in
            KeyValueStore(try Engine.open(at: path, configuration))
        }
    }

    /// A store that lives in memory, for tests and for data that need not last: the same engine on files that are none.
    public static func inMemory(configuration: Configuration = Configuration()) throws(StoreError) -> KeyValueStore {
        var configuration = configuration
        configuration.fileSystem = InMemoryFileSystem()
        return try open(at: "/memory", configuration: configuration)
    }

    /// The directory that the store is in.
    public var path: String { engine.directory.path }

    /// What the store holds and has done.
    public var statistics: Statistics { engine.statistics() }

    /// Which files the store is made of as of now, and which keys lie where.
    /// - Complexity: O(segments).
    public var layout: StoreLayout { engine.layout() }

    /// The store as it is now. Of a store that is closed, every read of the snapshot throws ``StoreError/Code/closed``.
    public func snapshot() -> Snapshot { Snapshot(self) }
}
