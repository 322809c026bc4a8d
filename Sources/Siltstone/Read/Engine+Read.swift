import Synchronization

extension Engine {
    /// Runs `body` with the value of `key` as `sequence` sees it, or as is visible now, or with nil where there is none: for
    /// what ``lend(_:at:)`` has left unclear.
    ///
    /// The bytes are good until `body` returns. No lock is taken and nothing is allocated.
    func read<R>(
        _ key: Bytes, at sequence: SequenceNumber? = nil, _ body: (Bytes?) throws(StoreError) -> R
    ) throws(StoreError) -> R {
        try checkOpen()
        let reading = views.enter()
        defer { views.leave(reading) }
        // After the view: what the view has dropped is then hidden by something that this number sees.
        let visible = sequence ?? visible.load(ordering: .acquiring)
        return try reading.view._withUnsafeGuaranteedRefThrowing { view throws(StoreError) in
            noteLongRead(view)
            var pin = BlockPin()
            defer { withExtendedLifetime(pin) {} }
            guard let record = try view.lookup(key, visible: visible, pin: &pin) else { return try body(nil) }
            if record.kind == .value { return try body(record.value) }
            if sequence == nil, hasMovedOn(from: view, record) { return try readAgain(key, body) }
            return try withResolvedValue(record, view.version) { value throws(StoreError) in try body(value) }
        }
    }

    /// The current view, and what is visible, for whoever keeps both for long.
    ///
    /// The view is that of a moment after `visible` was asked for: where it was not, a large value could be visible whose
    /// file is younger than the view, and which a compaction may take away while the view lives.
    func currentView() -> (ReadView, SequenceNumber) {
        var view = views.current()
        while true {
            // After the view: what the view has dropped is then hidden by something that this number sees.
            let sequence = visible.load(ordering: .acquiring)
            let now = views.current()
            if now === view { return (view, sequence) }
            view = now
        }
    }

    /// Whether a record's value file is younger than the view, and the view is not the current one any more: its value may
    /// have been overwritten meanwhile, and the file collected.
    func hasMovedOn(from view: ReadView, _ record: Record) -> Bool {
        guard let pointer = ValuePointer(record.value), view.version.valueFiles[pointer.file] == nil else {
            return false
        }
        return views.current() !== view
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
            do { try body(value.buffer.bytes) } catch { failure = error }
            return true
        }
        if let failure { throw failure }
        return isFound
    }

    /// The value of `key`, copied; nil where it has none.
    func get(_ key: Bytes, at sequence: SequenceNumber? = nil) throws(StoreError) -> [UInt8]? {
        let loan = lend(key, at: sequence)
        if loan.isUnclear { return try read(key, at: sequence) { value in value.map { [UInt8]($0) } } }
        defer { takeBack(loan) }
        return loan.value.map { [UInt8]($0) }
    }

    /// Whether `key` has a value.
    func contains(_ key: Bytes, at sequence: SequenceNumber? = nil) throws(StoreError) -> Bool {
        let loan = lend(key, at: sequence)
        if !loan.isUnclear {
            defer { takeBack(loan) }
            return loan.value != nil
        }
        try checkOpen()
        let reading = views.enter()
        defer { views.leave(reading) }
        let visible = sequence ?? visible.load(ordering: .acquiring)
        return try reading.view._withUnsafeGuaranteedRefThrowing { view throws(StoreError) in
            noteLongRead(view)
            var pin = BlockPin()
            defer { withExtendedLifetime(pin) {} }
            return try view.lookup(key, visible: visible, pin: &pin) != nil
        }
    }

    // MARK: Without blocking a thread of the cooperative pool

    /// Runs `body` with the record of `key`, or nil where it has no value, on this thread if that does not have to wait for
    /// the disk for long, else on one that may.
    ///
    /// Where the store fits into memory, what has passed its checksum is read in line. Else the system is asked whether it
    /// has the pages, which takes a microsecond or two. Large values, and blocks that are read by calls, are never read in
    /// line.
    func readWithoutBlocking<R: Sendable>(
        _ key: [UInt8], at sequence: SequenceNumber?, needsValue: Bool,
        _ body: @escaping @Sendable (Bytes?) throws(StoreError) -> R
    ) async throws(StoreError) -> R {
        let inline = try withContiguousBytes(key) { bytes throws(StoreError) in
            try readInline(bytes, at: sequence, needsValue: needsValue, body)
        }
        if let inline { return inline }
        return try await onBlockingQueue { () throws(StoreError) in
            try withContiguousBytes(key) { bytes throws(StoreError) in
                try self.read(bytes, at: sequence) { value throws(StoreError) in try body(value) }
            }
        }
    }

    /// - Returns: nil where that would take long, and nothing was done.
    private func readInline<R>(
        _ key: Bytes, at sequence: SequenceNumber?, needsValue: Bool,
        _ body: (Bytes?) throws(StoreError) -> R
    ) throws(StoreError) -> R? {
        let loan = lend(key, at: sequence)
        if !loan.isUnclear {
            defer { takeBack(loan) }
            return try body(loan.value)
        }
        try checkOpen()
        let reading = views.enter()
        defer { views.leave(reading) }
        return try reading.view._withUnsafeGuaranteedRefThrowing { view throws(StoreError) in
            noteLongRead(view)
            let visible = sequence ?? visible.load(ordering: .acquiring)
            if !isReady(key, view, visible) { return nil }
            var pin = BlockPin()
            defer { withExtendedLifetime(pin) {} }
            guard let record = try view.lookup(key, visible: visible, pin: &pin) else { return try body(nil) }
            if needsValue, record.kind == .pointer { return nil }
            return try body(record.value)
        }
    }

    /// Whether a look-up of `key` reads no disk.
    func isReady(_ key: Bytes, _ view: ReadView, _ visible: SequenceNumber) -> Bool {
        configuration.access == .read
            ? view.isDecidedInMemory(key, visible: visible) : view.isReady(key, visible: visible)
    }

    /// Runs `body` with a record's value, which is fetched from its value file where it lies there.
    /// - Parameter recent: is to go to that file.
    func withResolvedValue<R>(
        _ record: Record, _ version: Version, noting recent: UnsafeMutablePointer<RecentValueFile>? = nil,
        _ body: (Bytes) throws(StoreError) -> R
    ) throws(StoreError) -> R {
        guard record.kind == .pointer else { return try body(record.value) }
        guard let pointer = ValuePointer(record.value) else {
            throw .corrupt("a record's value pointer is malformed", file: directory)
        }
        // Of the version, or a newer one, which records in memory may refer to.
        let file = version.valueFiles[pointer.file] ?? views.current().version.valueFiles[pointer.file]
        guard let file else {
            throw .corrupt(
                "the value file is not part of the store", file: StoreFile.values(pointer.file).path(in: directory),
                offset: Int(clamping: pointer.offset))
        }
        return try file.withValue(pointer, key: record.key) { value throws(StoreError) in
            // The look at the value may have mapped the file.
            recent?.pointee.enter(file)
            return try body(value)
        }
    }
}
