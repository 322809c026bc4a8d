import Synchronization

// Reads that block no thread of the cooperative pool.

extension ReadPath {
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
        return try await blocking.run { () throws(StoreError) in
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
        let pinned = pin(key, at: sequence)
        if !pinned.isUnclear {
            defer { unpin(pinned) }
            return try body(pinned.value)
        }
        try status.checkOpen()
        let reading = superVersions.enter()
        defer { superVersions.leave(reading) }
        return try reading.view.with { superVersion throws(StoreError) in
            noteLongRead(superVersion)
            let visible = sequence ?? visible.load(ordering: .acquiring)
            if !isReady(key, superVersion, visible) { return nil }
            var pin = BlockPin()
            defer { withExtendedLifetime(pin) {} }
            guard let record = try superVersion.lookup(key, visible: visible, pin: &pin) else { return try body(nil) }
            if needsValue, record.kind == .pointer { return nil }
            return try body(record.value)
        }
    }

    /// Whether a look-up of `key` reads no disk.
    func isReady(_ key: Bytes, _ superVersion: SuperVersion, _ visible: SequenceNumber) -> Bool {
        directory.configuration.access == .read
            ? superVersion.isDecidedInMemory(key, visible: visible) : superVersion.isReady(key, visible: visible)
    }

    /// The values of keys, copied: on this thread those that are there, and the others together on one that may wait.
    func copyValues(of keys: [[UInt8]], at sequence: SequenceNumber) async throws(StoreError) -> [[UInt8]?] {
        var (values, postponed) = try copyValues(of: keys, at: sequence, mayWait: false)
        if postponed.isEmpty { return values }
        let missing = postponed.map { keys[$0] }
        let (found, _) = try await blocking.run { () throws(StoreError) in
            try self.copyValues(of: missing, at: sequence, mayWait: true)
        }
        for (index, value) in zip(postponed, found) { values[index] = value }
        return values
    }

    /// - Returns: the values that were read, and the indices of keys that would have waited for the disk.
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
