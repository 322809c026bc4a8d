/// A scan whose loop is inlined into the caller. Without inlining, the call for each entry would take longer than most
/// callers' work on it. The scan itself stays at a fixed address, because inlined code cannot hold it. Public only for
/// the inlined code.
public struct InlinedIterator {
    /// The scan of a store or a snapshot, in the storage of its ``Scan``; nil for the scan of a transaction.
    private let storeScan: HeapPlace<ScanIterator>?
    /// The scan of a transaction, retained.
    private let transactionScan: Borrowed<TransactionIterator>?

    /// Starts a scan of a store or a snapshot.
    /// - Parameters:
    ///   - iterator: not started. The caller keeps the store that it reads from alive until its end.
    ///   - from: the key at which it starts; nil for the first key in scan order.
    init(_ iterator: consuming ScanIterator, from: [UInt8]?) throws(StoreError) {
        // Moved to its storage before it starts. Afterwards the move would need one more copy, which is a fiftieth of a
        // short scan.
        let place = iterator.moveToStorage()
        storeScan = place
        transactionScan = nil
        do throws(StoreError) { try place.value.begin(at: from) } catch {
            end(behind: nil)
            throw error
        }
    }

    /// Wraps the scan of a transaction.
    init(_ iterator: TransactionIterator) {
        storeScan = nil
        transactionScan = .retaining(iterator)
    }

    /// Ends the scan and frees it. Must be called exactly once.
    /// - Parameter taken: the position after the last record that the caller has used; nil for the complete last row.
    @usableFromInline
    func end(behind taken: RecordPlace?) {
        // Moved out of its storage before it is destroyed: its end returns the storage to the pool, where another thread
        // may use it at once.
        if let storeScan { _ = storeScan.take() }
        transactionScan?.with { $0.end(behind: taken) }
        transactionScan?.release()
    }

    /// See ``ScanIterator/nextRow(behind:)``.
    @usableFromInline
    func nextRow(behind taken: RecordPlace?) throws(StoreError) -> RecordRow? {
        if let storeScan { return try storeScan.value.nextRow(behind: taken) }
        return try transactionScan?.with { scan throws(StoreError) in try scan.nextRow(behind: taken) } ?? nil
    }

    /// See ``ScanIterator/handOther(_:to:)``.
    @usableFromInline
    func handOther(_ record: RecordPlace, to body: (RawSpan, RawSpan) throws -> Bool) throws -> Bool {
        if let storeScan { return try storeScan.value.handOther(record, to: body) }
        return try transactionScan?.object.handOther(record, to: body) ?? false
    }

    /// See ``ScanIterator/handOtherKey(_:to:)``.
    @usableFromInline
    func handOtherKey(_ record: RecordPlace, to body: (RawSpan) throws -> Bool) rethrows -> Bool {
        if let storeScan { return try storeScan.value.handOtherKey(record, to: body) }
        return try transactionScan?.object.handOtherKey(record, to: body) ?? false
    }

    /// Calls `body` with the key and the value of each entry, and ends the scan.
    /// - Parameter body: gets bytes that are valid until it returns. It returns false to stop.
    /// - Returns: whether the scan has reached its end.
    @inlinable
    @inline(__always)
    @discardableResult
    func forEach(_ body: (RawSpan, RawSpan) throws -> Bool) throws -> Bool {
        var stop: RecordPlace?
        defer { end(behind: stop) }
        var taken: RecordPlace?
        while let row = try nextRow(behind: taken) {
            guard let next = try row.forEachValue(to: body, stop: &stop) else { return false }
            taken = next
            if next == row.end, row.start != row.end { continue }
            if try !handOther(next, to: body) {
                stop = next.successor()
                return false
            }
            taken = next.successor()
        }
        return true
    }

    /// Like ``forEach(_:)``, with keys only. Does not read values that are in value files.
    @inlinable
    @inline(__always)
    @discardableResult
    func forEachKey(_ body: (RawSpan) throws -> Bool) throws -> Bool {
        var stop: RecordPlace?
        defer { end(behind: stop) }
        var taken: RecordPlace?
        while let row = try nextRow(behind: taken) {
            guard let next = try row.handKeys(to: body, stop: &stop) else { return false }
            taken = next
            if next == row.end, row.start != row.end { continue }
            if try !handOtherKey(next, to: body) {
                stop = next.successor()
                return false
            }
            taken = next.successor()
        }
        return true
    }

    /// Counts the entries, and ends the scan.
    func count() throws(StoreError) -> Int {
        defer { end(behind: nil) }
        if let storeScan { return try storeScan.value.count() }
        var count = 0
        let add = { (_: RawSpan) in
            count += 1
            return true
        }
        var (taken, stop): (RecordPlace?, RecordPlace?)
        while let row = try nextRow(behind: taken) {
            guard let next = row.handKeys(to: add, stop: &stop) else { break }
            taken = next
            if next == row.end, row.start != row.end { continue }
            _ = handOtherKey(next, to: add)
            taken = next.successor()
        }
        return count
    }
}

extension ScanPath {
    /// Starts a scan whose loop is inlined into the caller.
    /// - Parameters: see ``KeyValueReader/forEach(from:to:reverse:limit:_:)``.
    ///   - snapshot: the last change that the scan sees; nil for the newest visible one.
    func makeIterator(
        at snapshot: SequenceNumber?, from: [UInt8]?, to: [UInt8]?, reverse: Bool, limit: Int?
    ) throws(StoreError) -> InlinedIterator {
        // Two calls, because selecting the key for a single call would retain the key.
        if reverse {
            return try InlinedIterator(
                ScanIterator(self, at: snapshot, .backward, stopBound: from, limit: limit), from: to)
        }
        return try InlinedIterator(ScanIterator(self, at: snapshot, .forward, stopBound: to, limit: limit), from: from)
    }

    /// Like ``makeIterator(at:from:to:reverse:limit:)``, over several ranges.
    /// - Parameter ranges: sorted and disjoint.
    func makeIterator(
        at snapshot: SequenceNumber?, over ranges: [KeyRange], reverse: Bool, limit: Int?
    ) throws(StoreError) -> InlinedIterator {
        let direction: ScanDirection = reverse ? .backward : .forward
        let iterator = try ScanIterator(self, at: snapshot, over: ranges, direction, limit: limit)
        let start = iterator.startBound
        return try InlinedIterator(iterator, from: start)
    }
}
