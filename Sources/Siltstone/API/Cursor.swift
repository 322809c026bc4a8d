/// Walks the entries of a snapshot in key order.
///
/// The cursor stays good, and sees the same, whatever is written, flushed or compacted meanwhile, and after its snapshot
/// was released. Used by one task or thread at a time. An error is thrown, never taken for the end; the cursor cannot go
/// on after one.
public final class Cursor {
    /// The walk of a store or a snapshot, where it is one.
    private let walk = HeapSlot<ScanWalk>()
    private let hasWalk: Bool
    /// The walk of a transaction.
    private let merged: Borrowed<TransactionWalk>?
    /// Stands in for both, where each of several ranges has a cursor of its own.
    private let chain: CursorChain?
    /// Keeps what the walk reads from.
    private let keeper: AnyObject?

    /// - Parameter keeper: keeps what the walk reads from.
    init(_ walk: consuming ScanWalk, keeping keeper: Engine) {
        self.walk.fill(walk)
        hasWalk = true
        self.keeper = keeper
        (merged, chain) = (nil, nil)
    }

    /// - Parameter keeper: keeps what the walk reads from.
    init(_ walk: TransactionWalk, keeping keeper: Transaction) {
        merged = .retaining(walk)
        self.keeper = keeper
        (hasWalk, chain) = (false, nil)
    }

    init(_ chain: CursorChain) {
        (hasWalk, merged, keeper) = (false, nil, nil)
        self.chain = chain
    }

    deinit {
        // Before what keeps their store.
        merged?.release()
        if hasWalk { _ = walk.take() }
    }

    /// The next entry, copied; nil at the end.
    /// - Throws: ``StoreError`` where the disk fails or is damaged. Not where the store was closed since the cursor was
    ///   made: it goes on to its end.
    public func next() throws(StoreError) -> Entry? {
        if let chain { return try chain.next { cursor throws(StoreError) in try cursor.next() } }
        if let merged = merged?.object {
            guard let record = try merged.nextRecord() else { return nil }
            return try merged.withValue(of: record) { Entry(key: [UInt8](record.key), value: [UInt8]($0)) }
        }
        guard hasWalk, let record = try walk.value.nextRecord() else { return nil }
        return try walk.value.withValue(of: record) { value in
            Entry(key: [UInt8](record.key), value: [UInt8](value))
        }
    }

    /// The key of the next entry, copied; nil at the end. A value that lies in a value file is not fetched.
    /// - Throws: as ``next()``.
    public func nextKey() throws(StoreError) -> [UInt8]? {
        if let chain { return try chain.next { cursor throws(StoreError) in try cursor.nextKey() } }
        if let merged = merged?.object { return try merged.nextRecord().map { [UInt8]($0.key) } }
        guard hasWalk, let record = try walk.value.nextRecord() else { return nil }
        return [UInt8](record.key)
    }

    /// Goes to `key`: the next entry is the first one, in the cursor's direction, that does not come before it. Of a cursor
    /// that goes backward this is the last one that is not above `key`.
    ///
    /// Ahead or back, but not out of the cursor's range, or ranges. The limit counts on. A key close ahead is reached
    /// without a new search.
    /// - Throws: as ``next()``.
    /// - Complexity: O(runs · log n).
    public func seek(to key: some Collection<UInt8>) throws(StoreError) {
        let key = Array(key)
        chain?.seek(to: key)
        try merged?.object.seek(to: key)
        if hasWalk { try walk.value.seek(to: key) }
    }

    /// Calls `body` with each entry that is left, without copying.
    /// - Parameter body: gets key and value, which are good until it returns; returns false to stop. It must not use the
    ///   cursor itself.
    /// - Throws: ``StoreError``, or what `body` throws.
    public func forEach(_ body: (RawSpan, RawSpan) throws -> Bool) throws {
        try chain?.forEach(body)
        if hasWalk { try walk.value.forEach(body) }
        guard let merged = merged?.object else { return }
        while let record = try merged.nextRecord() {
            let goesOn = try merged.withValue(of: record) { value in
                Result { try unsafe body(record.key.buffer.bytes, value.buffer.bytes) }
            }
            if try !goesOn.get() { return }
        }
    }
}
