/// An ordered map from keys to values, stored in a directory: embedded, durable, safe to use from any thread.
///
/// ```swift
/// let store = try KeyValueStore.open(at: "app.silt")
/// try store.put("user:1".utf8, "Ada".utf8)
/// let name = try store.get("user:1".utf8)  // [UInt8]?
/// try store.close()
/// ```
///
/// Keys are ordered by their unsigned bytes. Every operation has a synchronous form. Most operations that can wait for
/// the disk also have an `async` form of the same name, which does not wait for the disk on a thread of the cooperative
/// pool. Cursors, the functions that pass uncopied bytes or keys to a closure (`withValue`, `withValues`, `forEach`,
/// `forEachKey`), a transaction's conditional writes and `repair(at:)` are synchronous only; tasks use `get`,
/// `contains`, `entries` and `keys` instead. The functions that read are those of ``KeyValueReader``, which snapshots and
/// transactions have too. ``Durability`` says when a write is acknowledged. A store is open either once for writing, or
/// any number of times for reading only, counted over all processes. Only a copy without its lock file is read without
/// a lock.
///
/// Keys and values are any collections of bytes: `[UInt8]`, `Data`, a buffer, the `utf8` of a `String`. Those that are
/// not contiguous are copied first. Single writes also take a `RawSpan`.
public final class KeyValueStore: Sendable {
    let engine: Engine
    // The parts of the engine that frequent calls use. A call through two references would retain and release one of
    // them: two atomic operations for each read.
    let reads: ReadPath
    let scans: ScanPath
    let writes: WritePath

    init(_ engine: Engine) {
        self.engine = engine
        reads = engine.reads
        scans = engine.scans
        writes = engine.writes
    }

    /// If the store was not closed, stops it as if the process had died. No acknowledged change is lost: synced changes
    /// are on stable storage, and the kernel has the buffered ones.
    deinit { engine.abandon() }

    /// Opens the store in a directory, or creates one if there is none.
    /// - Parameters:
    ///   - path: the directory; its parent must exist.
    ///   - configuration: how to open it.
    /// - Throws: ``StoreError``: ``StoreError/Code/locked`` if the store is open elsewhere,
    ///   ``StoreError/Code/notAStore`` if the path is something else, ``StoreError/Code/corrupt``,
    ///   ``StoreError/Code/unsupportedFormat`` and others.
    /// - Complexity: O(*m* + *b*) for *m* bytes of metadata of segments, about three for each thousand bytes of data,
    ///   and *b* bytes of changes that were not flushed.
    public static func open(
        at path: String, configuration: Configuration = Configuration()
    ) throws(StoreError) -> KeyValueStore {
        KeyValueStore(try Engine.open(at: path, configuration))
    }

    /// Opens the store in a directory, or creates one if there is none, without blocking a thread of the cooperative
    /// pool; see the synchronous form.
    public static func open(
        at path: String, configuration: Configuration = Configuration()
    ) async throws(StoreError) -> KeyValueStore {
        try await BlockingWork.run { () throws(StoreError) in try open(at: path, configuration: configuration) }
    }

    /// Makes a store in memory, for tests and for temporary data. It runs the same engine on an in-memory file system.
    public static func inMemory(configuration: Configuration = Configuration()) throws(StoreError) -> KeyValueStore {
        var configuration = configuration
        configuration.fileSystem = InMemoryFileSystem()
        return try open(at: "/memory", configuration: configuration)
    }

    /// The directory of the store.
    public var path: String { engine.directory.path }

    /// The contents of the store and its activity since it was opened.
    public var statistics: Statistics { engine.statistics() }

    /// The files of the store at this moment, and the key range of each segment.
    /// - Complexity: O(segments).
    public var layout: StoreLayout { engine.layout() }

    /// Returns a snapshot of the current state. If the store is closed, every read of the snapshot throws
    /// ``StoreError/Code/closed``.
    public func snapshot() -> Snapshot { Snapshot(self) }
}
