import Synchronization

extension ReadPath {
    /// Looks for the value of `key` as `sequence` sees it, or as is visible now, where it is in most cases.
    ///
    /// In as few instructions as can be: while the processor waits for the memory of one read it begins with the next, if
    /// that is not too far ahead (some 300 instructions).
    @inline(__always)
    func pin(_ key: Bytes, at sequence: SequenceNumber? = nil) -> PinnedValue {
        let reading = superVersions.enter()
        // After the view: what the view has dropped is then hidden by something that this number sees.
        let visible = sequence ?? visible.load(ordering: .acquiring)
        let plan = reading.view.with { $0.plan }
        if _fastPath(plan.isQuick) {
            let found = plan.find(SearchKey(key), visible: visible)
            if _fastPath(!found.isUnclear && !status.isStopping) {
                return PinnedValue(found, reading)
            }
        }
        superVersions.abandon(reading)
        return .unclear
    }

    /// Ends what ``pin(_:at:)`` has begun.
    @inline(__always)
    func unpin(_ value: PinnedValue) {
        if value.isShared { superVersions.leaveShared() } else { value.end() }
    }

    /// Runs `body` with the value of `key` as `sequence` sees it, or as is visible now, or with nil where there is none: for
    /// what ``pin(_:at:)`` has left unclear.
    ///
    /// The bytes are good until `body` returns. No lock is taken and nothing is allocated.
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

    /// Looks `key` up in the current super version. Runs `body` with the record, whose bytes are good until `body` returns,
    /// or with nil if there is no visible record.
    @inline(__always)
    private func withRecord<R>(
        _ key: Bytes, at sequence: SequenceNumber?, _ body: (Record?, SuperVersion) throws(StoreError) -> R
    ) throws(StoreError) -> R {
        try status.checkOpen()
        let reading = superVersions.enter()
        defer { superVersions.leave(reading) }
        // After the super version: whatever that has dropped is hidden by a change that this number sees.
        let visible = sequence ?? visible.load(ordering: .acquiring)
        return try reading.view.with { superVersion throws(StoreError) in
            noteLongRead(superVersion)
            var pin = BlockPin()
            defer { withExtendedLifetime(pin) {} }
            return try body(superVersion.lookup(key, visible: visible, pin: &pin), superVersion)
        }
    }

    /// Whether a record's value file is younger than the view, and the view is not the current one any more: its value may
    /// have been overwritten meanwhile, and the file collected.
    func hasMovedOn(from superVersion: SuperVersion, _ record: Record) -> Bool {
        guard let pointer = ValuePointer(record.value), superVersion.version.valueFiles[pointer.file] == nil else {
            return false
        }
        return superVersions.current() !== superVersion
    }

    /// Not inlined into the read that it repeats.
    @inline(never)
    private func readAgain<R>(_ key: Bytes, _ body: (Bytes?) throws(StoreError) -> R) throws(StoreError) -> R {
        try read(key, body)
    }

    /// As ``read(_:at:_:)``, lending the value to a body of the caller's that may throw anything.
    ///
    /// Not generic over what the body returns: called from another module it would not be specialised, and looking up
    /// the result's metadata takes longer than the read. The callers, which are inlined there, keep the result.
    /// - Returns: whether there is a value.
    func read(
        _ key: Bytes, at sequence: SequenceNumber? = nil, sharing body: (RawSpan) throws -> Void
    ) throws -> Bool {
        var failure: (any Error)?
        let isFound = try read(key, at: sequence) { value in
            guard let value else { return false }
            do { try unsafe body(value.buffer.bytes) } catch { failure = error }
            return true
        }
        if let failure { throw failure }
        return isFound
    }

    /// The value of `key`, copied; nil where it has none.
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
