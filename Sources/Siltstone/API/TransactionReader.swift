/// A reader that sees the writes of a transaction before the transaction's snapshot.
///
/// The functions that look up one key on the caller's thread are not here. Callers in other modules would reach them
/// through witnesses instead of direct calls.
protocol TransactionReader: KeyValueReader {
    var snapshot: Snapshot { get }
    var state: TransactionState { get }

    /// The writes that the reader sees; nil for those that the transaction has made when a read starts.
    var frozenWrites: WriteBuffer? { get }

    /// Looks up a key among the writes. If it is not there, the store must be read, so this adds the key to the
    /// transaction's read set.
    /// - Throws: ``StoreError/Code/transactionEnded``.
    func written(_ key: Bytes) throws(StoreError) -> WriteBuffer.Written?
}

// ``KeyValueReader`` describes each requirement.
extension TransactionReader {
    /// Starts a scan.
    public func _makeIterator(
        from: [UInt8]?, to: [UInt8]?, reverse: Bool, limit: Int?
    ) throws(StoreError) -> InlinedIterator {
        try _makeIterator(over: [KeyRange(from: from, to: to)], reverse: reverse, limit: limit)
    }

    /// Makes a cursor.
    public func _makeCursor(
        from: [UInt8]?, to: [UInt8]?, reverse: Bool, limit: Int?
    ) throws(StoreError) -> Cursor {
        try _makeCursor(over: [KeyRange(from: from, to: to)], reverse: reverse, limit: limit)
    }

    /// Starts a scan over several ranges.
    public func _makeIterator(
        over ranges: [KeyRange], reverse: Bool, limit: Int?
    ) throws(StoreError) -> InlinedIterator {
        InlinedIterator(try makeIterator(ranges, reverse, limit))
    }

    /// Makes a cursor over several ranges.
    public func _makeCursor(over ranges: [KeyRange], reverse: Bool, limit: Int?) throws(StoreError) -> Cursor {
        Cursor(try makeIterator(ranges, reverse, limit), keeping: self)
    }

    private func makeIterator(_ ranges: [KeyRange], _ reverse: Bool, _ limit: Int?) throws(StoreError)
        -> TransactionIterator
    {
        try TransactionIterator(
            state, snapshot.scans, at: snapshot.sequence, over: ranges, reverse ? .backward : .forward, limit: limit,
            seeing: frozenWrites)
    }

    /// Returns a copy of the value of a key.
    public func _copyValueAsync(_ key: [UInt8]) async throws(StoreError) -> [UInt8]? {
        if let written = try key.withBytes({ key throws(StoreError) in try written(key) }) { return written.value }
        return try await snapshot._copyValueAsync(key)
    }

    /// Whether a key has a value.
    public func _containsAsync(_ key: [UInt8]) async throws(StoreError) -> Bool {
        if let written = try key.withBytes({ key throws(StoreError) in try written(key) }) {
            return written.value != nil
        }
        return try await snapshot._containsAsync(key)
    }

    /// Looks up the keys one by one.
    public func _copyValuesAsync(_ keys: [[UInt8]]) async throws(StoreError) -> [[UInt8]?] {
        var values: [[UInt8]?] = []
        for key in keys { values.append(try await _copyValueAsync(key)) }
        return values
    }

    /// Looks up many keys: first among the writes, and the others in the snapshot, in one super version. Keys that are
    /// among the writes are not looked up in the snapshot, so damage of a value that a write replaces is no error.
    public func _withValues(
        _ fill: (KeyGroup) -> Void, _ body: (Int, RawSpan?) -> Bool
    ) throws(StoreError) {
        try state.checkActive()
        try snapshot.check()
        var own: [WriteBuffer.Written?] = []
        var (first, next) = (0, 0)
        var failure: StoreError?
        try snapshot.reads.readGroups(
            at: snapshot.sequence,
            { group in
                fill(group)
                (first, next) = (next, next + group.count)
                own.removeAll(keepingCapacity: true)
                do throws(StoreError) {
                    for index in 0..<group.count { own.append(try written(group[index])) }
                } catch { failure = error }
            },
            // After a failure, no key is looked up, and the first one ends the read.
            skips: { failure != nil || own[$0 - first] != nil }
        ) { index, value in
            if failure != nil { return false }
            guard let written = own[index - first] else { return body(index, value) }
            return unsafe body(index, written.value?.span.bytes)
        }
        if let failure { throw failure }
    }

    /// Estimates how much a range of the store holds. Ignores the transaction's own writes, and adds nothing to its
    /// read set.
    public func _estimate(_ range: KeyRange) throws(StoreError) -> RangeEstimate {
        try state.checkActive()
        return try snapshot._estimate(range)
    }
}
