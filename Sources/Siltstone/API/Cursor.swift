/// Iterates over the entries of one state of a store, in ascending or descending key order. A cursor of a store sees
/// the state of the moment when the cursor was made. A cursor of a snapshot sees the state of the snapshot. A cursor of
/// a transaction also sees the writes that the transaction made before the cursor.
///
/// Later writes, flushes and compactions do not change the entries that a cursor sees. A cursor stays valid after its
/// snapshot was released, and after its store was closed. After its transaction has ended, a cursor can only finish its
/// current range: ``seek(to:)`` and the step to a next range throw ``StoreError/Code/transactionEnded``. One task or
/// thread at a time uses a cursor. Errors are always thrown: nil means the end. After an error, make a new cursor.
public final class Cursor {
    /// The scan of a store or a snapshot. The slot is filled only if ``transactionScan`` is nil.
    private let storeScan = HeapSlot<ScanIterator>()
    /// The scan of a transaction; nil for another one. `init` retains it and `deinit` releases it. It must end before
    /// ``keeper``, whose objects it reads.
    private let transactionScan: Borrowed<TransactionIterator>?
    /// Keeps alive the objects that the scan reads.
    private let keeper: AnyObject

    /// Makes a cursor over the scan of a store or a snapshot, which the engine keeps valid.
    init(_ iterator: consuming ScanIterator, keeping keeper: Engine) {
        storeScan.fill(iterator)
        self.keeper = keeper
        transactionScan = nil
    }

    /// Makes a cursor over the scan of a transaction. The scan keeps the records; `keeper` keeps the store.
    init(_ iterator: TransactionIterator, keeping keeper: AnyObject) {
        transactionScan = .retaining(iterator)
        self.keeper = keeper
    }

    deinit {
        // Ends the scans before the store that they read from can be released.
        if let transactionScan { transactionScan.release() } else { _ = storeScan.take() }
    }

    /// Returns a copy of the next entry; nil at the end.
    /// - Throws: ``StoreError`` if the disk fails or is corrupt, or if the transaction has ended (see ``Cursor``).
    public func next() throws(StoreError) -> Entry? {
        if let scan = transactionScan?.object {
            guard let record = try scan.nextRecord() else { return nil }
            return try scan.withValue(of: record) { Entry(key: [UInt8](record.key), value: [UInt8]($0)) }
        }
        guard let record = try storeScan.value.nextRecord() else { return nil }
        return try storeScan.value.withValue(of: record) { Entry(key: [UInt8](record.key), value: [UInt8]($0)) }
    }

    /// Returns a copy of the key of the next entry; nil at the end. Does not read a value that is in a value file.
    /// - Throws: see ``next()``.
    public func nextKey() throws(StoreError) -> [UInt8]? {
        if let scan = transactionScan?.object { return try scan.nextRecord().map { [UInt8]($0.key) } }
        return try storeScan.value.nextRecord().map { [UInt8]($0.key) }
    }

    /// Moves to `key`: the next entry is the first one, in the cursor's direction, that does not come before `key`. For
    /// a cursor that goes backward, this is the last entry whose key is not larger than `key`.
    ///
    /// The cursor can move ahead or back, but not out of its range or ranges. Entries that were returned before the
    /// call still count towards the limit that the cursor was made with. A key in the records that were read last is
    /// found without searching the store again.
    /// - Throws: see ``next()``.
    /// - Complexity: that of the start of a scan (``KeyValueReader/scan(from:to:reverse:limit:)``).
    public func seek(to key: some Collection<UInt8>) throws(StoreError) {
        let key = Array(key)
        if let scan = transactionScan?.object { try scan.seek(to: key) } else { try storeScan.value.seek(to: key) }
    }

    /// Calls `body` with each remaining entry, without copying. Only a transaction's own writes are copied.
    /// - Parameter body: gets the key and the value, which are valid until it returns. It returns false to stop;
    ///   the next call continues behind that entry. It must not use the cursor.
    /// - Throws: ``StoreError``, or the errors of `body`.
    public func forEach(_ body: (RawSpan, RawSpan) throws -> Bool) throws {
        guard let scan = transactionScan?.object else { return try storeScan.value.forEach(body) }
        while let record = try scan.nextRecord() {
            let goesOn = try scan.withValue(of: record) { value in
                Result { try unsafe body(record.key.buffer.bytes, value.buffer.bytes) }
            }
            if try !goesOn.get() { return }
        }
    }
}
