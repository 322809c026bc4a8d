import Synchronization

// Asynchronous reads. They block no thread of the cooperative pool.

extension ReadPath {
    /// Runs `body` with the value of `key`, or with nil if it has none. The read and `body` run inline, on this thread,
    /// if the read probably does not wait for the disk, otherwise on a thread that may block.
    ///
    /// If the store fits into memory, blocks that have passed their checksum are read inline. Otherwise this asks the
    /// system whether the needed pages are in memory, which takes one or two microseconds. Two kinds of reads never run
    /// inline: those that need a large value, and those that need a block when files are read by `pread`.
    /// - Parameters:
    ///   - sequence: the newest change that the read sees; nil for the newest visible one.
    ///   - needsValue: false if `body` only looks at whether there is a value. It then gets any bytes, and a large value is
    ///     not fetched.
    func readWithoutBlocking<R: Sendable>(
        _ key: [UInt8], at sequence: SequenceNumber?, needsValue: Bool,
        _ body: @escaping @Sendable (Bytes?) throws(StoreError) -> R
    ) async throws(StoreError) -> R {
        let inline = try withContiguousBytes(key) { bytes throws(StoreError) in
            try readInline(bytes, at: sequence, needsValue: needsValue, body)
        }
        if let inline { return inline }
        return try await BlockingWork.run { () throws(StoreError) in
            try withContiguousBytes(key) { bytes throws(StoreError) in
                if !needsValue { return try body(self.contains(bytes, at: sequence) ? .emptyBytes : nil) }
                return try self.read(bytes, at: sequence) { value throws(StoreError) in try body(value) }
            }
        }
    }

    /// Runs `body` on this thread if the read probably does not wait for the disk.
    /// - Returns: nil if it would wait. Then `body` did not run.
    private func readInline<R>(
        _ key: Bytes, at sequence: SequenceNumber?, needsValue: Bool,
        _ body: (Bytes?) throws(StoreError) -> R
    ) throws(StoreError) -> R? {
        let pinned = pin(key, at: sequence)
        if !pinned.isUnclear {
            defer { unpin(pinned) }
            return try body(pinned.value)
        }
        try status.checkOpen()
        let reading = superVersions.enter()
        defer { superVersions.leave(reading) }
        return try reading.superVersion.with { superVersion throws(StoreError) in
            noteSlowRead(superVersion)
            let visible = sequence ?? self.visible
            if !isReady(key, superVersion, visible) { return nil }
            var pin = BlockPin()
            defer { withExtendedLifetime(pin) {} }
            guard let record = try superVersion.lookup(key, visible: visible, pin: &pin) else { return try body(nil) }
            if needsValue, record.kind == .pointer { return nil }
            return try body(record.value)
        }
    }

    /// Whether a lookup of `key` reads nothing from the disk. If it would, and files are mapped, this starts its reads.
    func isReady(_ key: Bytes, _ superVersion: SuperVersion, _ visible: SequenceNumber) -> Bool {
        directory.configuration.access == .read
            ? superVersion.isDecidedInMemory(key, visible: visible) : superVersion.isReady(key, visible: visible)
    }

    /// Copies the values of keys, in their order; nil for a key without a value. Reads values in memory on this thread,
    /// and all others together on a thread that may block.
    func copyValues(of keys: [[UInt8]], at sequence: SequenceNumber) async throws(StoreError) -> [[UInt8]?] {
        var (values, postponed) = try copyValues(of: keys, at: sequence, mayWait: false)
        if postponed.isEmpty { return values }
        let missing = postponed.map { keys[$0] }
        let (found, _) = try await BlockingWork.run { () throws(StoreError) in
            try self.copyValues(of: missing, at: sequence, mayWait: true)
        }
        for (index, value) in zip(postponed, found) { values[index] = value }
        return values
    }

    /// Copies the values of keys on this thread, in one super version.
    /// - Parameter mayWait: true to read from the disk. If false, lookups that would wait for it are skipped.
    /// - Returns: the values, and the indices of the keys whose lookups were skipped. Their values are nil.
    private func copyValues(
        of keys: [[UInt8]], at sequence: SequenceNumber, mayWait: Bool
    ) throws(StoreError) -> ([[UInt8]?], [Int]) {
        var values = [[UInt8]?](repeating: nil, count: keys.count)
        var postponed: [Int] = []
        var next = 0
        let fill = { (group: KeyGroup) in
            while next < keys.count, !group.isFull {
                withContiguousBytes(keys[next]) { group.append($0) }
                next += 1
            }
        }
        try readGroups(at: sequence, fill, postpone: mayWait ? nil : { postponed.append($0) }) { index, value in
            if let value { values[index] = value.withBytes { [UInt8]($0) } }
            return true
        }
        return (values, postponed)
    }
}
