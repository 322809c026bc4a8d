/// Iterates over the entries of one state of a store in key order: the state when a store's cursor was made, that of a
/// snapshot, or that of a transaction with the writes that the transaction had made by then.
///
/// A cursor stays valid, and sees the same entries, regardless of later writes, flushes and compactions, after its
/// snapshot was released, and after its store was closed. It is used by one task or thread at a time. Errors are always
/// thrown: nil means the end. After an error, make a new cursor.
public final class Cursor {
    /// The scan of a store or a snapshot, if ``hasScan`` is true.
    private let iterator = HeapSlot<ScanIterator>()
    private let hasScan: Bool
    /// The scan of a transaction. ``deinit`` releases it.
    private let merged: Borrowed<TransactionIterator>?
    /// Keeps the objects that the scan reads from alive.
    private let keeper: AnyObject

    /// Makes a cursor over the scan of a store or a snapshot, which the engine keeps valid.
    init(_ iterator: consuming ScanIterator, keeping keeper: Engine) {
        self.iterator.fill(iterator)
        hasScan = true
        self.keeper = keeper
        merged = nil
    }

    /// Makes a cursor over the scan of a transaction, whose snapshot keeps it valid.
    init(_ iterator: TransactionIterator, keeping keeper: Transaction) {
        merged = .retaining(iterator)
        self.keeper = keeper
        hasScan = false
    }

    deinit {
        // Ends the scans before the store that they read from can be released.
        merged?.release()
        if hasScan { _ = iterator.take() }
    }

    /// Returns a copy of the next entry; nil at the end.
    /// - Throws: ``StoreError`` if the disk fails or is corrupt.
    public func next() throws(StoreError) -> Entry? {
        if let merged = merged?.object {
            guard let record = try merged.nextRecord() else { return nil }
            return try merged.withValue(of: record) { Entry(key: [UInt8](record.key), value: [UInt8]($0)) }
        }
        guard hasScan, let record = try iterator.value.nextRecord() else { return nil }
        return try iterator.value.withValue(of: record) { value in
            Entry(key: [UInt8](record.key), value: [UInt8](value))
        }
    }

    /// Returns a copy of the key of the next entry; nil at the end. Does not read a value that is in a value file.
    /// - Throws: see ``next()``.
    public func nextKey() throws(StoreError) -> [UInt8]? {
        if let merged = merged?.object { return try merged.nextRecord().map { [UInt8]($0.key) } }
        guard hasScan, let record = try iterator.value.nextRecord() else { return nil }
        return [UInt8](record.key)
    }

    /// Moves to `key`: the next entry is the first one, in the cursor's direction, that does not come before `key`. For
    /// a cursor that goes backward, this is the last entry whose key is not larger than `key`.
    ///
    /// The cursor can move ahead or back, but not out of its range or ranges. Entries that were returned before the
    /// call still count towards the limit that the cursor was made with. A key close ahead is reached without a new
    /// search.
    /// - Throws: see ``next()``.
    /// - Complexity: that of the start of a scan (``KeyValueReader/scan(from:to:reverse:limit:)``).
    public func seek(to key: some Collection<UInt8>) throws(StoreError) {
        let key = Array(key)
        try merged?.object.seek(to: key)
        if hasScan { try iterator.value.seek(to: key) }
    }

    /// Calls `body` with each remaining entry, without copying.
    /// - Parameter body: gets the key and the value, which are valid until it returns. It returns false to stop;
    ///   the next call continues behind that entry. It must not use the cursor.
    /// - Throws: ``StoreError``, or the errors of `body`.
    public func forEach(_ body: (RawSpan, RawSpan) throws -> Bool) throws {
        if hasScan { try iterator.value.forEach(body) }
        guard let merged = merged?.object else { return }
        while let record = try merged.nextRecord() {
            let goesOn = try merged.withValue(of: record) { value in
                Result { try unsafe body(record.key.buffer.bytes, value.buffer.bytes) }
            }
            if try !goesOn.get() { return }
        }
    }
}
