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
    /// The ranges that scans of the transaction have found deleted, by the transaction or before it. The sequence
    /// numbers are those of ``changeCount``.
    var deletedRanges = DeletedRangeSet()
    /// The number of changes so far. Those that were undone count, too.
    private(set) var changeCount: SequenceNumber = 0

    /// What the transaction has written for a key.
    struct Written: Equatable {
        /// The value that it has put; nil if it has deleted the key, alone or in a range.
        var value: [UInt8]?
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
        add(.value, key, value)
    }

    mutating func delete(_ key: Bytes) throws(StoreError) {
        try checkLimits(key.count, 0)
        add(.tombstone, key, .emptyBytes)
    }

    /// Deletes the keys in `[start, end)`. Adds nothing if there can be none.
    mutating func deleteRange(_ start: Bytes, _ end: Bytes) throws(StoreError) {
        try Limits.check(key: max(start.count, end.count), value: 0)
        guard compareKeys(start, end) < 0 else { return }
        try checkLimits(start.count, end.count)
        add(.rangeTombstone, start, end)
    }

    /// Adds a change to the batch and to the index. A deleted range removes the writes that it covers from the index.
    private mutating func add(_ kind: RecordKind, _ key: Bytes, _ value: Bytes) {
        batch.append(kind, key: key, value: value)
        changeCount += 1
        if kind == .value { deletedRanges.note(put: key, changeCount) }
        if kind == .rangeTombstone {
            batch.withPayload { payload in writes.remove(from: key, to: value, in: payload) }
            return deleted.insert(KeyRange(from: [UInt8](key), to: [UInt8](value)))
        }
        let write = SortedWrites.Write(
            keyOffset: UInt32(batch.byteCount - value.count - key.count), keyCount: UInt32(key.count),
            valueCount: UInt32(value.count), isDeletion: kind == .tombstone)
        batch.withPayload { payload in writes.set(write, in: payload) }
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

    /// Looks up `key` among the writes; returns nil if the transaction has not written it.
    /// - Complexity: O(log n) for n writes
    func lookup(_ key: Bytes) -> Written? {
        if batch.isEmpty { return nil }
        return batch.withPayload { payload in
            guard let write = writes.write(of: key, in: payload) else {
                return !deleted.isEmpty && deleted.contains(key) ? Written() : nil
            }
            return Written(value: write.isDeletion ? nil : [UInt8](write.value(in: payload)))
        }
    }

    /// Undoes all changes after a mark.
    /// - Complexity: O(n log n) in the number of changes before the mark, which are indexed again.
    mutating func rollBack(to mark: Mark) {
        guard mark.count < batch.count else { return }
        let old = batch
        let changeCount = changeCount + 1
        self = WriteBuffer()
        forgetDeletedRanges(changeCount)
        old.withPayload { payload in
            var changes = ChangeReader(Bytes(rebasing: payload[..<mark.byteCount]), firstSequence: 0)
            // The batch has encoded these changes itself, so decoding them cannot fail.
            do throws(MalformedChange) {
                while let change = try changes.next() { add(change.kind, change.key, change.value) }
            } catch { assertionFailure("a batch that cannot be read") }
        }
    }

    /// Forgets what scans have found: a roll-back can bring any key back.
    private mutating func forgetDeletedRanges(_ count: SequenceNumber) {
        changeCount = count
        deletedRanges.removeAll()
        deletedRanges.notePuts(upTo: count)
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
