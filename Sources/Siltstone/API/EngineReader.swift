/// The two readers of an engine: a store, which sees the newest changes, and a ``Snapshot`` of it.
///
/// A read checks before and after it enters a super version that the snapshot is open. A release in between lets a
/// compaction drop the versions that the snapshot has kept, and the read would miss them.
///
/// Cursors keep the engine alive, and not the snapshot: their super version keeps the records that they see.
///
/// The functions that look up one key on the caller's thread, or loop over one range, are not here. Callers in other
/// modules would reach them through witnesses instead of direct calls.
protocol EngineReader: KeyValueReader {
    var engine: Engine { get }

    /// The last change that reads see; nil for the newest one.
    var visible: SequenceNumber? { get }

    /// Throws ``StoreError/Code/closed`` if the snapshot was released. A store checks nothing here, because the owners
    /// that it reads from check that it is open.
    func check() throws(StoreError)
}

// ``KeyValueReader`` describes each requirement.
extension EngineReader {
    /// Makes a read, and checks before and after it.
    @inline(__always)
    func whileOpen<R>(_ read: () throws(StoreError) -> R) throws(StoreError) -> R {
        try check()
        let result = try read()
        try check()
        return result
    }

    /// Looks up groups of keys.
    public func _withValues(
        _ fill: (KeyGroup) -> Void, _ body: (Int, RawSpan?) -> Bool
    ) throws(StoreError) {
        try whileOpen { () throws(StoreError) in try engine.reads.readGroups(at: visible, fill, body) }
    }

    /// Makes a cursor.
    public func _makeCursor(
        from: [UInt8]?, to: [UInt8]?, reverse: Bool, limit: Int?
    ) throws(StoreError) -> Cursor {
        let range = KeyRange(from: from, to: to)
        let direction: ScanDirection = reverse ? .backward : .forward
        return try whileOpen { () throws(StoreError) in
            Cursor(try ScanIterator(engine.scans, at: visible, over: range, direction, limit: limit), keeping: engine)
        }
    }

    /// Starts one scan over all of the ranges, which seeks from one to the next.
    public func _makeIterator(over ranges: [KeyRange], reverse: Bool, limit: Int?) throws(StoreError) -> InlinedIterator
    {
        try whileOpen { () throws(StoreError) in
            try engine.scans.makeIterator(at: visible, over: ranges, reverse: reverse, limit: limit)
        }
    }

    /// Makes a cursor that seeks from one range to the next.
    public func _makeCursor(over ranges: [KeyRange], reverse: Bool, limit: Int?) throws(StoreError) -> Cursor {
        let direction: ScanDirection = reverse ? .backward : .forward
        return try whileOpen { () throws(StoreError) in
            Cursor(try ScanIterator(engine.scans, at: visible, over: ranges, direction, limit: limit), keeping: engine)
        }
    }

    /// Estimates how much a range holds now, not at the time of a snapshot. An estimate cannot tell versions apart.
    public func _estimate(_ range: KeyRange) throws(StoreError) -> RangeEstimate {
        try check()
        return try engine.reads.estimate(range)
    }

    /// Returns a copy of the value of a key. Suspends where ``_copyValue(_:)`` blocks.
    public func _copyValueAsync(_ key: [UInt8]) async throws(StoreError) -> [UInt8]? {
        try check()
        let value = try await engine.reads.readWithoutBlocking(key, at: visible, needsValue: true) {
            $0.map { [UInt8]($0) }
        }
        try check()
        return value
    }

    /// Whether a key has a value. Suspends where ``_contains(_:)`` blocks.
    public func _containsAsync(_ key: [UInt8]) async throws(StoreError) -> Bool {
        try check()
        let isFound = try await engine.reads.readWithoutBlocking(key, at: visible, needsValue: false) { $0 != nil }
        try check()
        return isFound
    }
}
