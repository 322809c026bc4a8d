// Many keys in one read.

extension KeyValueReader {
    /// Calls `body` with the value of each of many keys, in their order, without copying, all as of one moment.
    ///
    /// Several times as fast as one read after the other where values lie all over memory: the keys are looked up in groups,
    /// and what they wait for is loaded for the whole group at once. Keys in ascending order are read faster.
    ///
    /// ```swift
    /// try store.withValues(of: keys) { index, value in
    ///     if let value { sum += decode(value) } else { missing.append(index) }
    /// }
    /// ```
    /// - Parameters:
    ///   - keys: in any order; a key may come more than once.
    ///   - body: gets the key's index and its value, nil where it has none; good until it returns. Files that were
    ///     replaced meanwhile are kept until the last key was read.
    /// - Throws: ``StoreError``, or what `body` throws.
    @inlinable
    public func withValues(
        of keys: some Sequence<some Collection<UInt8>>, _ body: (Int, RawSpan?) throws -> Void
    ) throws {
        defer { withExtendedLifetime(self) {} }
        var iterator = keys.makeIterator()
        var failure: (any Error)?
        try _withValues { group in
            while !group.isFull, let key = iterator.next() { withContiguousBytes(key) { group.append($0) } }
        } _: { index, value in
            do {
                try body(index, value)
                return true
            } catch {
                failure = error
                return false
            }
        }
        if let failure { throw failure }
    }

    /// The values of several keys as of one moment, in the keys' order; nil for each that has none.
    ///
    /// Read in groups; see ``withValues(of:_:)``.
    /// - Throws: ``StoreError`` where the disk fails or is damaged, or the store or the reader is closed.
    public func get(all keys: some Sequence<some Collection<UInt8>>) throws(StoreError) -> [[UInt8]?] {
        defer { withExtendedLifetime(self) {} }
        var iterator = keys.makeIterator()
        var values: [[UInt8]?] = []
        try _withValues { group in
            while !group.isFull, let key = iterator.next() { withContiguousBytes(key) { group.append($0) } }
        } _: { _, value in
            if let value { values.append(value.withBytes { [UInt8]($0) }) } else { values.append(nil) }
            return true
        }
        return values
    }

    /// The values of several keys as of one moment, in the keys' order; nil for each that has none.
    public func get(all keys: some Sequence<some Collection<UInt8>>) async throws(StoreError) -> [[UInt8]?] {
        try await _copyValues(waiting: keys.map { Array($0) })
    }
}

// MARK: - For readers that look up one key at a time

extension KeyValueReader {
    /// Looks up one key after the other.
    public func _withValues(
        _ fill: (KeyGroup) -> Void, _ body: (Int, RawSpan?) -> Bool
    ) throws(StoreError) {
        let stable = stable()
        defer { withExtendedLifetime(stable) {} }
        let group = KeyGroup()
        var base = 0
        while true {
            group.removeAll()
            fill(group)
            if group.count == 0 { return }
            for index in 0..<group.count {
                let goesOn =
                    if let value = try unsafe stable._copyValue(group[index].buffer.bytes) {
                        unsafe body(base + index, value.span.bytes)
                    } else {
                        body(base + index, nil)
                    }
                if !goesOn { return }
            }
            base += group.count
        }
    }

    /// Looks up one key after the other.
    public func _copyValues(waiting keys: [[UInt8]]) async throws(StoreError) -> [[UInt8]?] {
        let stable = stable()
        defer { withExtendedLifetime(stable) {} }
        var values: [[UInt8]?] = []
        for key in keys { values.append(try await stable._copyValue(waiting: key)) }
        return values
    }
}
