import Synchronization

extension ReadPath {
    /// Looks up `key` as of `sequence`, or as of the newest visible change if `sequence` is nil. Returns an unclear
    /// result if the fast path cannot decide; then call ``read(_:at:_:)``.
    ///
    /// This uses as few instructions as possible. While the processor waits for the memory of one read, it can start
    /// the next read only if that is at most some 200 instructions ahead (`Docs/Experiments.md`).
    @inline(__always)
    func pin(_ key: Bytes, at sequence: SequenceNumber? = nil) -> PinnedValue {
        let reading = superVersions.enter()
        // Loaded after the super version; see ``ReadPath``.
        let visible = sequence ?? self.visible
        let plan = reading.superVersion.with { $0.plan }
        if _fastPath(plan.isQuick) {
            let found = plan.find(SearchKey(key), hash: KeyHash.hash(key), visible: visible)
            if _fastPath(!found.isUnclear && !status.isStopping) {
                return PinnedValue(found, reading)
            }
        }
        superVersions.abandon(reading)
        return .unclear
    }

    /// Ends the read that ``pin(_:at:)`` started.
    @inline(__always)
    func unpin(_ value: PinnedValue) {
        if value.end() { superVersions.finish(value) }
    }

    /// Runs `body` with the value of `key` as of `sequence`, or as of the newest visible change. Runs it with nil if
    /// there is no value. This is the slow path for reads that ``pin(_:at:)`` left unclear.
    ///
    /// The bytes are valid until `body` returns. This takes locks and allocates only for range tombstones of memtables,
    /// for blocks that it reads or inflates, for value files, and now and then to publish a super version
    /// (``noteSlowRead(_:)``).
    func read<R>(
        _ key: Bytes, at sequence: SequenceNumber? = nil, _ body: (Bytes?) throws(StoreError) -> R
    ) throws(StoreError) -> R {
        try withRecord(key, at: sequence) { record, superVersion throws(StoreError) in
            guard let record else { return try body(nil) }
            if record.kind == .value { return try body(record.value) }
            if sequence == nil, hasMovedOn(from: superVersion, record) { return try readAgain(key, body) }
            return try withResolvedValue(record, superVersion.version) { value throws(StoreError) in try body(value) }
        }
    }

    /// Looks up `key` in the current super version. Runs `body` with the record, whose bytes are valid until `body`
    /// returns, or with nil if there is no visible record.
    @inline(__always)
    private func withRecord<R>(
        _ key: Bytes, at sequence: SequenceNumber?, _ body: (Record?, SuperVersion) throws(StoreError) -> R
    ) throws(StoreError) -> R {
        try status.checkOpen()
        let reading = superVersions.enter()
        defer { superVersions.leave(reading) }
        // Loaded after the super version; see ``ReadPath``.
        let visible = sequence ?? self.visible
        return try reading.superVersion.with { superVersion throws(StoreError) in
            noteSlowRead(superVersion)
            var pin = BlockPin()
            defer { withExtendedLifetime(pin) {} }
            return try body(superVersion.lookup(key, visible: visible, pin: &pin), superVersion)
        }
    }

    /// Whether the super version does not list the record's value file and is no longer the current one. Then the value
    /// may have been overwritten since, and its file deleted by garbage collection.
    func hasMovedOn(from superVersion: SuperVersion, _ record: Record) -> Bool {
        guard let pointer = ValuePointer(record.value), superVersion.version.valueFiles[pointer.file] == nil else {
            return false
        }
        return superVersions.current() !== superVersion
    }

    /// Repeats a read. Not inlined, because ``read(_:at:_:)`` itself calls it.
    @inline(never)
    private func readAgain<R>(_ key: Bytes, _ body: (Bytes?) throws(StoreError) -> R) throws(StoreError) -> R {
        try read(key, body)
    }

    /// Like ``read(_:at:_:)``, but calls `body` only if there is a value, and `body` may throw any error.
    ///
    /// This is not generic over the result of `body`. A call from another module would not be specialised, and looking
    /// up the metadata of the result type takes longer than the read. The public callers are inlined into the other
    /// module and keep the result there.
    /// - Returns: whether there is a value.
    func read(
        _ key: Bytes, at sequence: SequenceNumber? = nil, sharing body: (RawSpan) throws -> Void
    ) throws -> Bool {
        let result = try read(key, at: sequence) { value in
            value.map { value in Result { try unsafe body(value.buffer.bytes) } }
        }
        try result?.get()
        return result != nil
    }

    /// Returns a copy of the value of `key`; nil if it has none.
    func get(_ key: Bytes, at sequence: SequenceNumber? = nil) throws(StoreError) -> [UInt8]? {
        let pinned = pin(key, at: sequence)
        if pinned.isUnclear { return try read(key, at: sequence) { value in value.map { [UInt8]($0) } } }
        defer { unpin(pinned) }
        return pinned.value.map { [UInt8]($0) }
    }

    /// Whether `key` has a value.
    func contains(_ key: Bytes, at sequence: SequenceNumber? = nil) throws(StoreError) -> Bool {
        let pinned = pin(key, at: sequence)
        if !pinned.isUnclear {
            defer { unpin(pinned) }
            return pinned.value != nil
        }
        return try withRecord(key, at: sequence) { record, _ in record != nil }
    }
}
