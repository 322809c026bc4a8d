import Synchronization

/// The store as it was at one moment. As many as one likes may live, for as long as one likes; what they see is kept.
///
/// Released by ``release()``, or when the last reference goes. Reads on a released snapshot throw
/// ``StoreError/Code/closed``.
public final class Snapshot: Sendable {
    /// Keeps the store open for as long as the snapshot lives.
    let store: KeyValueStore
    /// The newest change that the snapshot sees: it has this number in the store's history.
    public let sequence: UInt64
    private let isReleased = Atomic<Bool>(false)

    init(_ store: KeyValueStore) {
        self.store = store
        let engine = store.engine
        sequence = engine.snapshots.register { engine.visible.load(ordering: .acquiring) }
    }

    deinit { release() }

    var engine: Engine { store.engine }

    /// Lets the store give up what only this snapshot sees. Cursors made before stay good.
    public func release() {
        if !isReleased.exchange(true, ordering: .acquiringAndReleasing) { engine.snapshots.release(sequence) }
    }

    func check() throws(StoreError) {
        if isReleased.load(ordering: .relaxed) {
            throw StoreError(.closed, "the snapshot was released; take a new one", file: engine.directory)
        }
    }

    /// The value of `key`, or nil where it has none.
    /// - Throws: ``StoreError`` where the disk fails or is damaged, or the store or the snapshot is closed.
    @inlinable
    public func get(_ key: some Collection<UInt8>) throws(StoreError) -> [UInt8]? {
        try withContiguousBytes(key) { bytes throws(StoreError) in try getBytes(bytes) }
    }

    @usableFromInline
    func getBytes(_ key: UnsafeRawBufferPointer) throws(StoreError) -> [UInt8]? {
        try check()
        return try engine.get(key, at: sequence)
    }

    /// Runs `body` with the value of `key`, without copying it; nil where it has none.
    /// - Parameters:
    ///   - key: the key.
    ///   - body: gets the value's bytes, which are good until it returns.
    /// - Returns: what `body` returned.
    /// - Throws: ``StoreError``, or what `body` throws.
    @inlinable
    public func withValue<R>(_ key: some Collection<UInt8>, _ body: (RawSpan) throws -> R) throws -> R? {
        try withContiguousBytes(key) { bytes throws(any Error) in
            let loan = try lend(bytes)
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
    func lend(_ key: UnsafeRawBufferPointer) throws(StoreError) -> Loan {
        try check()
        return engine.lend(key, at: sequence)
    }

    @usableFromInline
    func takeBack(_ loan: Loan) { engine.takeBack(loan) }

    @usableFromInline
    func withValueBytes(_ key: UnsafeRawBufferPointer, _ body: (RawSpan) throws -> Void) throws {
        _ = try engine.read(key, at: sequence, sharing: body)
    }

    /// Whether `key` has a value.
    @inlinable
    public func contains(_ key: some Collection<UInt8>) throws(StoreError) -> Bool {
        try withContiguousBytes(key) { bytes throws(StoreError) in try containsBytes(bytes) }
    }

    @usableFromInline
    func containsBytes(_ key: UnsafeRawBufferPointer) throws(StoreError) -> Bool {
        try check()
        return try engine.contains(key, at: sequence)
    }

    /// The values of several keys, in their order; nil for each that has none.
    public func get(all keys: some Sequence<some Collection<UInt8>>) throws(StoreError) -> [[UInt8]?] {
        var values: [[UInt8]?] = []
        for key in keys { values.append(try get(key)) }
        return values
    }

    /// Walks the entries whose keys are in `[from, to)`, in key order.
    /// - Parameters:
    ///   - from: the first key; nil for the beginning.
    ///   - to: the first key behind the range; nil for the end.
    ///   - reverse: whether to begin at the end.
    ///   - limit: how many entries at most.
    /// - Throws: ``StoreError`` where the store or the snapshot is closed.
    /// - Complexity: O(runs · log n) to begin, then O(runs) for each entry at worst.
    public func scan(
        from: [UInt8]? = nil, to: [UInt8]? = nil, reverse: Bool = false, limit: Int? = nil
    ) throws(StoreError) -> Cursor {
        try check()
        return Cursor(try ScanWalk(engine, at: self, ScanRange(from: from, to: to, reverse: reverse, limit: limit)))
    }

    /// Walks the entries whose keys begin with `prefix`, in key order.
    public func scan(
        prefix: some Collection<UInt8>, reverse: Bool = false, limit: Int? = nil
    ) throws(StoreError) -> Cursor {
        try check()
        return Cursor(try ScanWalk(engine, at: self, ScanRange(prefix: Array(prefix), reverse: reverse, limit: limit)))
    }

    /// Calls `body` with each entry whose key is in `[from, to)`, without copying.
    /// - Parameters:
    ///   - from: the first key; nil for the beginning.
    ///   - to: the first key behind the range; nil for the end.
    ///   - reverse: whether to begin at the end.
    ///   - limit: how many entries at most.
    ///   - body: gets key and value, which are good until it returns; returns false to stop.
    /// - Throws: ``StoreError``, or what `body` throws.
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

    /// Calls `body` with each entry whose key begins with `prefix`, without copying; see
    /// ``forEach(from:to:reverse:limit:_:)``.
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
        try check()
        return try engine.beginWalk(at: self, from: from, to: to, reverse: reverse, limit: limit)
    }

    @usableFromInline
    func beginWalk(
        prefix: [UInt8], reverse: Bool, limit: Int?
    ) throws(StoreError) -> InlinedWalk {
        try beginWalk(
            from: prefix, to: ScanRange.successor(ofPrefix: prefix), reverse: reverse, limit: limit)
    }

    /// The entries whose keys are in `[from, to)`, as an asynchronous sequence.
    public func entries(
        from: [UInt8]? = nil, to: [UInt8]? = nil, reverse: Bool = false, limit: Int? = nil
    ) -> EntrySequence {
        EntrySequence(snapshot: self, range: ScanRange(from: from, to: to, reverse: reverse, limit: limit))
    }

    /// The entries whose keys begin with `prefix`, as an asynchronous sequence.
    public func entries(
        prefix: some Collection<UInt8>, reverse: Bool = false, limit: Int? = nil
    ) -> EntrySequence {
        EntrySequence(snapshot: self, range: ScanRange(prefix: Array(prefix), reverse: reverse, limit: limit))
    }
}
