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
/// bytes (`withValue`, `forEach`) is synchronous; `get` and ``entries(from:to:reverse:limit:)`` stand in for it in tasks. A write is
/// acknowledged as ``Durability`` says. One process at a time owns a store for writing.
///
/// Keys and values are any contiguous bytes: `[UInt8]`, `Data`, a buffer, a `RawSpan`, the `utf8` of a `String`.
public final class KeyValueStore: Sendable {
    let engine: Engine

    init(_ engine: Engine) { self.engine = engine }

    /// A store that is not closed is left like one whose process died: nothing that was acknowledged as synced is lost,
    /// and what was buffered is with the kernel.
    deinit {
        engine.reference.clear()
        engine.abandon()
    }

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
        KeyValueStore(try StoreOpener.open(at: path, configuration))
    }

    /// Opens the store in a directory, or makes one where there is none, on a thread of its own.
    public static func open(
        at path: String, configuration: Configuration = Configuration()
    ) async throws(StoreError) -> KeyValueStore {
        try await BlockingWork.run { () throws(StoreError) in
            KeyValueStore(try StoreOpener.open(at: path, configuration))
        }
    }

    /// A store that lives in memory, for tests and for data that need not last: the same engine on files that are none.
    public static func inMemory(configuration: Configuration = Configuration()) throws(StoreError) -> KeyValueStore {
        var configuration = configuration
        configuration.fileSystem = InMemoryFileSystem()
        return try open(at: "/memory", configuration: configuration)
    }

    /// The directory that the store is in.
    public var path: String { engine.directory }

    /// What the store holds and has done.
    public var statistics: Statistics { engine.statistics() }

    // MARK: Reading

    /// The value of `key`, or nil where it has none.
    /// - Throws: ``StoreError`` where the disk fails or is damaged, or the store is closed.
    /// - Complexity: O(runs) for a missing key, less for one that was written lately.
    @inlinable
    public func get(_ key: some Collection<UInt8>) throws(StoreError) -> [UInt8]? {
        try withContiguousBytes(key) { bytes throws(StoreError) in try getBytes(bytes) }
    }

    /// The value of `key`, or nil where it has none.
    @inlinable
    public func get(_ key: RawSpan) throws(StoreError) -> [UInt8]? {
        try withContiguousBytes(key) { bytes throws(StoreError) in try getBytes(bytes) }
    }

    @usableFromInline
    func getBytes(_ key: UnsafeRawBufferPointer) throws(StoreError) -> [UInt8]? { try engine.get(key) }

    /// Runs `body` with the value of `key`, without copying it; nil where it has none.
    /// - Parameters:
    ///   - key: the key.
    ///   - body: gets the value's bytes, which are good until it returns. It should be short: files that were replaced
    ///     meanwhile are kept until it returns.
    /// - Returns: what `body` returned.
    /// - Throws: ``StoreError``, or what `body` throws.
    @inlinable
    @inline(__always)
    public func withValue<R>(_ key: some Collection<UInt8>, _ body: (RawSpan) throws -> R) throws -> R? {
        try withContiguousBytes(key) { bytes throws(any Error) in
            let loan = lend(bytes)
            if loan.isUnclear {
                var result: R?
                try withValueBytes(bytes) { value in result = try body(value) }
                return result
            }
            defer { takeBack(loan) }
            guard let value = loan.value else { return nil }
            return try body(value.bytes)
        }
    }

    @usableFromInline
    func lend(_ key: UnsafeRawBufferPointer) -> Loan { engine.lend(key) }

    @inlinable
    @inline(__always)
    func takeBack(_ loan: Loan) {
        if loan.isShared { takeBackShared() } else { loan.end() }
        // What was lent lives as long as the engine, and this may be inlined where nothing else keeps that.
        withExtendedLifetime(self) {}
    }

    @usableFromInline
    func takeBackShared() { engine.views.leaveShared() }

    @usableFromInline
    func withValueBytes(_ key: UnsafeRawBufferPointer, _ body: (RawSpan) throws -> Void) throws {
        _ = try engine.read(key, sharing: body)
    }

    /// Whether `key` has a value.
    @inlinable
    public func contains(_ key: some Collection<UInt8>) throws(StoreError) -> Bool {
        try withContiguousBytes(key) { bytes throws(StoreError) in try containsBytes(bytes) }
    }

    @usableFromInline
    func containsBytes(_ key: UnsafeRawBufferPointer) throws(StoreError) -> Bool { try engine.contains(key) }

    /// The values of several keys as of one moment, in the keys' order; nil for each that has none.
    public func get(all keys: some Sequence<some Collection<UInt8>>) throws(StoreError) -> [[UInt8]?] {
        let snapshot = snapshot()
        defer { withExtendedLifetime(snapshot) {} }
        return try snapshot.get(all: keys)
    }

    /// The store as it is now. Of a store that is closed, every read of the snapshot throws ``StoreError/Code/closed``.
    public func snapshot() -> Snapshot { Snapshot(self) }

    /// Walks the entries whose keys are in `[from, to)` as they are now; see
    /// ``Snapshot/scan(from:to:reverse:limit:)``.
    public func scan(
        from: [UInt8]? = nil, to: [UInt8]? = nil, reverse: Bool = false, limit: Int? = nil
    ) throws(StoreError) -> Cursor {
        Cursor(try ScanWalk(engine, ScanRange(from: from, to: to, reverse: reverse, limit: limit)))
    }

    /// Walks the entries whose keys begin with `prefix` as they are now.
    public func scan(
        prefix: some Collection<UInt8>, reverse: Bool = false, limit: Int? = nil
    ) throws(StoreError) -> Cursor {
        Cursor(try ScanWalk(engine, ScanRange(prefix: Array(prefix), reverse: reverse, limit: limit)))
    }

    /// Calls `body` with each entry whose key is in `[from, to)`, without copying; see
    /// ``Snapshot/forEach(from:to:reverse:limit:_:)``.
    @inlinable
    @inline(__always)
    public func forEach(
        from: [UInt8]? = nil, to: [UInt8]? = nil, reverse: Bool = false, limit: Int? = nil,
        _ body: (RawSpan, RawSpan) throws -> Bool
    ) throws {
        // The walk keeps nothing.
        defer { withExtendedLifetime(self) {} }
        try beginWalk(from: from, to: to, reverse: reverse, limit: limit).forEach(body)
    }

    /// Calls `body` with each entry whose key begins with `prefix`, without copying.
    @inlinable
    @inline(__always)
    public func forEach(
        prefix: some Collection<UInt8>, reverse: Bool = false, limit: Int? = nil,
        _ body: (RawSpan, RawSpan) throws -> Bool
    ) throws {
        // The walk keeps nothing.
        defer { withExtendedLifetime(self) {} }
        try beginWalk(prefix: Array(prefix), reverse: reverse, limit: limit).forEach(body)
    }

    @usableFromInline
    func beginWalk(
        from: [UInt8]?, to: [UInt8]?, reverse: Bool, limit: Int?
    ) throws(StoreError) -> InlinedWalk {
        try engine.beginWalk(at: nil, from: from, to: to, reverse: reverse, limit: limit)
    }

    @usableFromInline
    func beginWalk(
        prefix: [UInt8], reverse: Bool, limit: Int?
    ) throws(StoreError) -> InlinedWalk {
        try beginWalk(
            from: prefix, to: ScanRange.successor(ofPrefix: prefix), reverse: reverse, limit: limit)
    }

    /// The entries whose keys are in `[from, to)` as they are now, as an asynchronous sequence.
    public func entries(
        from: [UInt8]? = nil, to: [UInt8]? = nil, reverse: Bool = false, limit: Int? = nil
    ) -> EntrySequence {
        snapshot().entries(from: from, to: to, reverse: reverse, limit: limit)
    }

    /// The entries whose keys begin with `prefix` as they are now, as an asynchronous sequence.
    public func entries(
        prefix: some Collection<UInt8>, reverse: Bool = false, limit: Int? = nil
    ) -> EntrySequence {
        snapshot().entries(prefix: prefix, reverse: reverse, limit: limit)
    }
}
