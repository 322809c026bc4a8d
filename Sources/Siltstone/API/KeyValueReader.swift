/// What a store, a snapshot and a transaction have in common: they read keys and walk ranges.
///
/// Write a function over `some KeyValueReader` and it runs on the newest state, on a state of the past, and inside a
/// transaction:
///
/// ```swift
/// func balance(of account: String, in reader: some KeyValueReader) throws -> Int {
///     guard let bytes = try reader.get(account.utf8) else { return 0 }
///     return Int(String(decoding: bytes, as: UTF8.self)) ?? 0
/// }
/// ```
///
/// ``KeyValueStore`` reads the newest state anew with each call; a ``Snapshot`` stands still. The types
/// of this package are the only ones that conform: the requirements whose names begin with an underscore are how they
/// hand bytes to functions that become part of the caller, and no interface to rely on.
public protocol KeyValueReader: AnyObject, Sendable {
    /// A reader whose state does not move between two calls.
    associatedtype Stable: KeyValueReader where Stable.Stable == Stable

    /// The reader itself if its state does not move, else a snapshot of it.
    func stable() -> Stable

    /// The value of a key, copied; nil where it has none.
    func _copyValue(_ key: RawSpan) throws(StoreError) -> [UInt8]?

    /// Pins the value of a key, if it is found by a short look.
    func _pin(_ key: RawSpan) throws(StoreError) -> PinnedValue

    /// Ends what ``_pin(_:)`` has begun. Called on the same thread.
    func _unpin(_ value: PinnedValue)

    /// Runs `body` with the value of a key, if it has one: the long look behind an unclear pin.
    func _withValue(_ key: RawSpan, _ body: (RawSpan) throws -> Void) throws

    /// Whether a key has a value.
    func _contains(_ key: RawSpan) throws(StoreError) -> Bool

    /// Calls `body` with the value of each of many keys, in their order, as of one moment.
    /// - Parameters:
    ///   - fill: puts the next keys into an empty group; none at the end.
    ///   - body: gets the key's index and its value, good until it returns; returns false to stop.
    func _withValues(
        _ fill: (KeyGroup) -> Void, _ body: (Int, RawSpan?) -> Bool
    ) throws(StoreError)

    /// Begins a walk over `[from, to)` that becomes part of the caller.
    func _beginWalk(
        from: [UInt8]?, to: [UInt8]?, reverse: Bool, limit: Int?
    ) throws(StoreError) -> InlinedWalk

    /// A cursor over `[from, to)`.
    func _makeCursor(from: [UInt8]?, to: [UInt8]?, reverse: Bool, limit: Int?) throws(StoreError) -> Cursor

    /// Begins a walk over some ranges, the first of `rest` in the walk's direction, and leaves the others there.
    /// - Parameter rest: sorted and disjoint, in key order; at least one.
    func _beginWalk(
        over rest: inout ArraySlice<KeyRange>, reverse: Bool, limit: Int?
    ) throws(StoreError) -> InlinedWalk

    /// A cursor over several ranges.
    /// - Parameter ranges: sorted and disjoint, in key order.
    func _makeCursor(over ranges: [KeyRange], reverse: Bool, limit: Int?) throws(StoreError) -> Cursor

    /// About what a range holds, which is not empty.
    func _estimate(_ range: KeyRange) throws(StoreError) -> RangeEstimate

    /// As ``_copyValue(_:)``, without blocking a thread of the cooperative pool.
    func _copyValue(waiting key: [UInt8]) async throws(StoreError) -> [UInt8]?

    /// As ``_contains(_:)``, without blocking a thread of the cooperative pool.
    func _contains(waiting key: [UInt8]) async throws(StoreError) -> Bool

    /// The values of several keys, copied, without blocking a thread of the cooperative pool.
    func _copyValues(waiting keys: [[UInt8]]) async throws(StoreError) -> [[UInt8]?]

    /// Runs work that may wait for the disk on a thread of the store's own.
    func _onBlockingQueue<R: Sendable>(
        _ body: @escaping @Sendable () throws(StoreError) -> R
    ) async throws(StoreError) -> R
}

// MARK: - One key

extension KeyValueReader {
    /// The value of `key`, or nil where it has none.
    /// - Throws: ``StoreError`` where the disk fails or is damaged, or the store or the reader is closed.
    /// - Complexity: O(runs) for a missing key, less for one that was written lately.
    @inlinable
    public func get(_ key: some Collection<UInt8>) throws(StoreError) -> [UInt8]? {
        try withContiguousSpan(key) { key throws(StoreError) in try _copyValue(key) }
    }

    /// The value of `key`, or nil where it has none.
    @inlinable
    public func get(_ key: RawSpan) throws(StoreError) -> [UInt8]? {
        try _copyValue(key)
    }

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
        try withContiguousSpan(key) { key throws(any Error) -> R? in
            let pinned = try _pin(key)
            if pinned.isUnclear {
                var result: R?
                try _withValue(key) { value in result = try body(value) }
                return result
            }
            defer { _unpin(pinned) }
            guard let value = pinned.value else { return nil }
            return unsafe try body(value.buffer.bytes)
        }
    }

    /// Whether `key` has a value.
    @inlinable
    public func contains(_ key: some Collection<UInt8>) throws(StoreError) -> Bool {
        try withContiguousSpan(key) { key throws(StoreError) in try _contains(key) }
    }
}

// MARK: - Ranges

extension KeyValueReader {
    /// Walks the entries whose keys are in `[from, to)`, in key order.
    ///
    /// The cursor stands still: it sees the state of the moment when it was made.
    /// - Parameters:
    ///   - from: the first key; nil for the beginning.
    ///   - to: the first key behind the range; nil for the end.
    ///   - reverse: whether to begin at the end.
    ///   - limit: how many entries at most.
    /// - Throws: ``StoreError`` where the store or the reader is closed.
    /// - Complexity: O(runs · log n) to begin, then O(runs) for each entry at worst.
    public func scan(
        from: [UInt8]? = nil, to: [UInt8]? = nil, reverse: Bool = false, limit: Int? = nil
    ) throws(StoreError) -> Cursor {
        try _makeCursor(from: from, to: to, reverse: reverse, limit: limit)
    }

    /// Walks the entries whose keys begin with `prefix`, in key order.
    public func scan(
        prefix: some Collection<UInt8>, reverse: Bool = false, limit: Int? = nil
    ) throws(StoreError) -> Cursor {
        let prefix = Array(prefix)
        return try scan(from: prefix, to: KeyRange.successor(ofPrefix: prefix), reverse: reverse, limit: limit)
    }

    /// Calls `body` with each entry whose key is in `[from, to)`, in key order, without copying.
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
        try _beginWalk(from: from, to: to, reverse: reverse, limit: limit).forEach(body)
    }

    /// Calls `body` with each entry whose key begins with `prefix`, in key order, without copying; see
    /// ``forEach(from:to:reverse:limit:_:)``.
    @inlinable
    @inline(__always)
    public func forEach(
        prefix: some Collection<UInt8>, reverse: Bool = false, limit: Int? = nil,
        _ body: (RawSpan, RawSpan) throws -> Bool
    ) throws {
        // The walk keeps nothing.
        defer { withExtendedLifetime(self) {} }
        let prefix = Array(prefix)
        try _beginWalk(from: prefix, to: KeyRange.successor(ofPrefix: prefix), reverse: reverse, limit: limit)
            .forEach(body)
    }

    /// The entries whose keys are in `[from, to)`, as an asynchronous sequence.
    public func entries(
        from: [UInt8]? = nil, to: [UInt8]? = nil, reverse: Bool = false, limit: Int? = nil
    ) -> EntrySequence {
        entries(ranges: CollectionOfOne(KeyRange(from: from, to: to)), reverse: reverse, limit: limit)
    }

    /// The entries whose keys begin with `prefix`, as an asynchronous sequence.
    public func entries(
        prefix: some Collection<UInt8>, reverse: Bool = false, limit: Int? = nil
    ) -> EntrySequence {
        entries(ranges: CollectionOfOne(KeyRange(prefix: prefix)), reverse: reverse, limit: limit)
    }
}

// MARK: - Without blocking a thread of the cooperative pool

extension KeyValueReader {
    /// The value of `key`, or nil where it has none.
    public func get(_ key: some Collection<UInt8>) async throws(StoreError) -> [UInt8]? {
        try await _copyValue(waiting: Array(key))
    }

    /// Whether `key` has a value.
    public func contains(_ key: some Collection<UInt8>) async throws(StoreError) -> Bool {
        try await _contains(waiting: Array(key))
    }
}
