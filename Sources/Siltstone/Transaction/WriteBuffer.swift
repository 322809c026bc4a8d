/// The uncommitted writes of a transaction: a batch to commit, and an index for reads.
///
/// The buffer is a value. A scan keeps the copy with which it started, so it does not see later writes.
package struct WriteBuffer: Sendable {
    /// All changes, in the order in which they were made.
    private(set) var batch = WriteBatch()
    /// The latest write of each key. A later ``deleteRange(_:_:)`` removes the writes that it covers.
    private(set) var writes = SortedWrites()
    /// The deleted ranges. They hide entries of the store, but none of ``writes``.
    private(set) var deleted = KeyRangeSet()

    /// The result of a lookup.
    enum Lookup {
        /// The transaction has not written the key.
        case unwritten
        /// The transaction has deleted the key, alone or in a range.
        case deleted
        /// The value that the transaction has put.
        case value([UInt8])
    }

    /// A point to which the buffer can roll back: the bytes and the number of the changes before it.
    package struct Mark: Sendable {
        fileprivate var byteCount: Int
        fileprivate var count: Int

        /// Whether there is a write before this point.
        var isBehindWrites: Bool { count > 0 }
    }

    var isEmpty: Bool { batch.isEmpty }

    /// The current point.
    var mark: Mark { Mark(byteCount: batch.byteCount, count: batch.count) }

    /// Reserves memory for `bytes` more bytes of changes, so that adding them does not move the earlier ones.
    mutating func reserveCapacity(for bytes: Int) {
        batch.reserveCapacity(min(batch.byteCount + bytes, Limits.batchBytes))
    }

    // These throw `tooLarge` if a limit is exceeded. The buffer is then unchanged.

    mutating func put(_ key: Bytes, _ value: Bytes) throws(StoreError) {
        try checkLimits(key.count, value.count)
        batch.append(.value, key: key, value: value)
        index(keyCount: key.count, valueCount: value.count, isDeletion: false)
    }

    mutating func delete(_ key: Bytes) throws(StoreError) {
        try checkLimits(key.count, 0)
        batch.append(.tombstone, key: key, value: .emptyBytes)
        index(keyCount: key.count, valueCount: 0, isDeletion: true)
    }

    /// Deletes the keys in `[start, end)`. Adds nothing if there can be none.
    mutating func deleteRange(_ start: Bytes, _ end: Bytes) throws(StoreError) {
        try Limits.check(key: max(start.count, end.count), value: 0)
        guard compareKeys(start, end) < 0 else { return }
        try checkLimits(start.count, end.count)
        batch.append(.rangeTombstone, key: start, value: end)
        cover(start, end)
    }

    /// Adds the batch's last change to ``writes``.
    private mutating func index(keyCount: Int, valueCount: Int, isDeletion: Bool) {
        let write = SortedWrites.Write(
            keyOffset: UInt32(batch.byteCount - valueCount - keyCount), keyCount: UInt32(keyCount),
            valueCount: UInt32(valueCount), isDeletion: isDeletion)
        batch.withPayload { payload in writes.set(write, in: payload) }
    }

    /// Adds a deleted range, and removes the writes that it covers from the index.
    private mutating func cover(_ start: Bytes, _ end: Bytes) {
        batch.withPayload { payload in writes.remove(from: start, to: end, in: payload) }
        deleted.insert(KeyRange(from: [UInt8](start), to: [UInt8](end)))
    }

    /// Throws ``StoreError/Code/tooLarge`` if a change exceeds a limit or would make the batch too large.
    private func checkLimits(_ keyCount: Int, _ valueCount: Int) throws(StoreError) {
        try Limits.check(key: keyCount, value: valueCount)
        let bytes = batch.byteCount + ChangeEncoding.size(key: keyCount, value: valueCount)
        guard bytes <= Limits.batchBytes else {
            throw StoreError(
                .tooLarge, "the transaction would write \(bytes) bytes, \(Limits.batchBytes) is the most; split it")
        }
    }

    /// Looks up `key` among the writes.
    /// - Complexity: O(log n) for n writes
    func lookup(_ key: Bytes) -> Lookup {
        if batch.isEmpty { return .unwritten }
        let found: Lookup = batch.withPayload { payload in
            guard let write = writes.write(of: key, in: payload) else { return .unwritten }
            return write.isDeletion ? .deleted : .value([UInt8](write.value(in: payload)))
        }
        if case .unwritten = found, !deleted.isEmpty, deleted.contains(key) { return .deleted }
        return found
    }

    /// Undoes all changes after a mark.
    /// - Complexity: O(n log n) in the number of changes before the mark, which are indexed again.
    mutating func rollBack(to mark: Mark) {
        guard mark.count < batch.count else { return }
        let old = batch
        self = WriteBuffer()
        old.withPayload { payload in
            var changes = ChangeReader(Bytes(rebasing: payload[..<mark.byteCount]), firstSequence: 0)
            for _ in 0..<mark.count {
                // The batch has encoded these changes itself, so decoding them cannot fail.
                guard
                    case .success(let change?) = Result(catching: { () throws(MalformedChange) in
                        try changes.next()
                    })
                else { return assertionFailure("a batch that cannot be read") }
                replay(change)
            }
        }
    }

    /// Adds a change of the old batch again.
    private mutating func replay(_ change: Record) {
        batch.append(change.kind, key: change.key, value: change.value)
        if change.kind == .rangeTombstone { return cover(change.key, change.value) }
        index(keyCount: change.key.count, valueCount: change.value.count, isDeletion: change.kind == .tombstone)
    }

    /// Returns the written keys and ranges. A commit under snapshot isolation checks this set for conflicts.
    func writtenKeys() -> ReadSet {
        var keys = ReadSet()
        for range in deleted.ranges { keys.insert(range) }
        batch.withPayload { payload in
            var place = SortedWrites.Place(piece: 0, index: 0)
            while let write = writes[place] {
                keys.insert(write.key(in: payload))
                place = writes.place(after: place)
            }
        }
        return keys
    }
}
