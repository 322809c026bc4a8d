/// The functions that a store, a snapshot and a transaction share: they read keys and scan ranges.
///
/// Write a function over `some KeyValueReader`, and it runs on the newest state, on a past state, and inside a
/// transaction:
///
/// ```swift
/// func balance(of account: String, in reader: some KeyValueReader) throws -> Int {
///     guard let bytes = try reader.get(account.utf8) else { return 0 }
///     return Int(String(decoding: bytes, as: UTF8.self)) ?? 0
/// }
/// ```
///
/// Each call on a ``KeyValueStore`` reads the newest state; a ``Snapshot`` does not change. Only types of this package
/// conform. The requirements whose names start with an underscore pass bytes to functions that are inlined into the
/// caller. They are not a stable interface.
public protocol KeyValueReader: AnyObject, Sendable {
    /// The type of a reader whose state does not change between two calls.
    associatedtype Stable: KeyValueReader where Stable.Stable == Stable

    /// Returns the reader itself if its state does not change, otherwise a snapshot of it.
    func stable() -> Stable

    /// Returns a copy of the value of a key; nil if it has none.
    func _copyValue(_ key: RawSpan) throws(StoreError) -> [UInt8]?

    /// Pins the value of a key. The result is unclear if only the slow path can tell whether there is a value.
    func _pin(_ key: RawSpan) throws(StoreError) -> PinnedValue

    /// Ends the read that ``_pin(_:)`` started. Called on the same thread. Not called for an unclear result.
    func _unpin(_ value: PinnedValue)

    /// Runs `body` with the value of a key, if it has one. This is the slow path, for keys that ``_pin(_:)`` left
    /// unclear.
    func _withValue(_ key: RawSpan, _ body: (RawSpan) throws -> Void) throws

    /// Whether a key has a value.
    func _contains(_ key: RawSpan) throws(StoreError) -> Bool

    /// Calls `body` with the value of each of many keys, in their order. All values are from the same moment.
    /// - Parameters:
    ///   - fill: appends the next keys to an empty group. If it appends none, the read ends.
    ///   - body: gets the index of a key and its value, nil if it has none. The value is valid until `body` returns. It
    ///     returns false to stop.
    func _withValues(
        _ fill: (KeyGroup) -> Void, _ body: (Int, RawSpan?) -> Bool
    ) throws(StoreError)

    /// Starts a scan over `[from, to)` whose loop is inlined into the caller. Bounds and limit are those of
    /// ``scan(from:to:reverse:limit:)``.
    func _makeIterator(
        from: [UInt8]?, to: [UInt8]?, reverse: Bool, limit: Int?
    ) throws(StoreError) -> InlinedIterator

    /// Makes a cursor over `[from, to)`.
    func _makeCursor(from: [UInt8]?, to: [UInt8]?, reverse: Bool, limit: Int?) throws(StoreError) -> Cursor

    /// Starts a scan over several ranges whose loop is inlined into the caller.
    /// - Parameter ranges: sorted and disjoint, in key order.
    func _makeIterator(over ranges: [KeyRange], reverse: Bool, limit: Int?) throws(StoreError) -> InlinedIterator

    /// Makes a cursor over several ranges.
    /// - Parameter ranges: sorted and disjoint, in key order.
    func _makeCursor(over ranges: [KeyRange], reverse: Bool, limit: Int?) throws(StoreError) -> Cursor

    /// Estimates how much a range holds. The range is not empty.
    func _estimate(_ range: KeyRange) throws(StoreError) -> RangeEstimate

    /// Like ``_copyValue(_:)``, without blocking a thread of the cooperative pool.
    func _copyValueAsync(_ key: [UInt8]) async throws(StoreError) -> [UInt8]?

    /// Like ``_contains(_:)``, without blocking a thread of the cooperative pool.
    func _containsAsync(_ key: [UInt8]) async throws(StoreError) -> Bool

    /// Returns copies of the values of several keys, in the order of the keys; nil for each key that has none. All
    /// values are from the same moment. Blocks no thread of the cooperative pool.
    func _copyValuesAsync(_ keys: [[UInt8]]) async throws(StoreError) -> [[UInt8]?]
}

// MARK: - One key

extension KeyValueReader {
    /// Returns a copy of the value of `key`; nil if it has none.
    /// - Throws: ``StoreError`` if the disk fails or is corrupt, or the store or the reader is closed.
    /// - Complexity: O(*r*) for a missing key in *r* sorted runs (``Statistics/readAmplification``), less for one that
    ///   was written recently. A snapshot or a transaction also passes the versions of the key that a memtable has
    ///   received since.
    @inlinable
    public func get(_ key: some Collection<UInt8>) throws(StoreError) -> [UInt8]? {
        try withContiguousSpan(key) { key throws(StoreError) in try _copyValue(key) }
    }

    /// Returns a copy of the value of `key`; nil if it has none.
    @inlinable
    public func get(_ key: RawSpan) throws(StoreError) -> [UInt8]? {
        try _copyValue(key)
    }

    /// Runs `body` with the value of `key`, without copying it. Only a value that the transaction itself has written is
    /// copied. Returns nil if there is none.
    /// - Parameters:
    ///   - key: the key.
    ///   - body: gets the bytes of the value, which are valid until it returns. Meanwhile the read keeps the memtables and
    ///     files of its moment, as a cursor does.
    /// - Returns: the result of `body`.
    /// - Throws: ``StoreError``, or the errors of `body`.
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
    /// Iterates over the entries whose keys are in `[from, to)`, in key order.
    ///
    /// ``Cursor`` says which state the cursor sees.
    /// - Parameters:
    ///   - from: the first key; nil for the smallest.
    ///   - to: the first key after the range; nil for no upper bound.
    ///   - reverse: true to start at the end, and visit keys in descending order.
    ///   - limit: the largest number of entries; nil for all.
    /// - Throws: ``StoreError`` if the store or the reader is closed.
    /// - Complexity: O(*r* log *n*) to start in *r* sorted runs (``Statistics/readAmplification``) of *n* entries, then
    ///   at most O(*r*) for each entry or removed entry. Versions that the scan does not see cost extra, while they are
    ///   in a memtable or a snapshot keeps them.
    public func scan(
        from: [UInt8]? = nil, to: [UInt8]? = nil, reverse: Bool = false, limit: Int? = nil
    ) throws(StoreError) -> Cursor {
        try _makeCursor(from: from, to: to, reverse: reverse, limit: limit)
    }

    /// Iterates over the entries whose keys start with `prefix`, in key order.
    public func scan(
        prefix: some Collection<UInt8>, reverse: Bool = false, limit: Int? = nil
    ) throws(StoreError) -> Cursor {
        let range = KeyRange(prefix: prefix)
        return try scan(from: range.from, to: range.to, reverse: reverse, limit: limit)
    }

    /// Calls `body` with each entry whose key is in `[from, to)`, in key order, without copying.
    /// - Parameters:
    ///   - from: the first key; nil for the smallest.
    ///   - to: the first key after the range; nil for no upper bound.
    ///   - reverse: true to start at the end.
    ///   - limit: the largest number of entries; nil for all.
    ///   - body: gets the key and the value, which are valid until it returns. It returns false to stop.
    /// - Throws: ``StoreError``, or the errors of `body`.
    /// - Complexity: that of ``scan(from:to:reverse:limit:)``.
    @inlinable
    @inline(__always)
    public func forEach(
        from: [UInt8]? = nil, to: [UInt8]? = nil, reverse: Bool = false, limit: Int? = nil,
        _ body: (RawSpan, RawSpan) throws -> Bool
    ) throws {
        // The scan does not retain the reader.
        defer { withExtendedLifetime(self) {} }
        try _makeIterator(from: from, to: to, reverse: reverse, limit: limit).forEach(body)
    }

    /// Calls `body` with each entry whose key starts with `prefix`, in key order, without copying; see
    /// ``forEach(from:to:reverse:limit:_:)``.
    @inlinable
    @inline(__always)
    public func forEach(
        prefix: some Collection<UInt8>, reverse: Bool = false, limit: Int? = nil,
        _ body: (RawSpan, RawSpan) throws -> Bool
    ) throws {
        let range = KeyRange(prefix: prefix)
        try forEach(from: range.from, to: range.to, reverse: reverse, limit: limit, body)
    }

    /// Returns the entries whose keys are in `[from, to)`, as an asynchronous sequence. Bounds and limit are those of
    /// ``scan(from:to:reverse:limit:)``.
    public func entries(
        from: [UInt8]? = nil, to: [UInt8]? = nil, reverse: Bool = false, limit: Int? = nil
    ) -> EntrySequence {
        entries(ranges: CollectionOfOne(KeyRange(from: from, to: to)), reverse: reverse, limit: limit)
    }

    /// Returns the entries whose keys start with `prefix`, as an asynchronous sequence.
    public func entries(
        prefix: some Collection<UInt8>, reverse: Bool = false, limit: Int? = nil
    ) -> EntrySequence {
        entries(ranges: CollectionOfOne(KeyRange(prefix: prefix)), reverse: reverse, limit: limit)
    }
}

// MARK: - Without blocking a thread of the cooperative pool

extension KeyValueReader {
    /// Returns a copy of the value of `key`; nil if it has none.
    public func get(_ key: some Collection<UInt8>) async throws(StoreError) -> [UInt8]? {
        try await _copyValueAsync(Array(key))
    }

    /// Whether `key` has a value.
    public func contains(_ key: some Collection<UInt8>) async throws(StoreError) -> Bool {
        try await _containsAsync(Array(key))
    }
}
