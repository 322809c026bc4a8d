/// The uncommitted writes of a transaction: the changes to commit, and an index for reads.
///
/// The buffer is a value. A scan keeps the copy with which it started, so it does not see later writes. The index and
/// what a roll-back needs stay in memory: about 20 bytes for each write, and 24 for one that a change after a mark has
/// replaced.
package struct WriteBuffer: Sendable {
    /// All changes, in the order in which they were made.
    private(set) var batch: TransactionBatch
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

    /// A point to which the buffer can roll back.
    package struct Mark: Sendable {
        fileprivate var end: TransactionBatch.End

        /// Whether there is a write before this point.
        var isBehindWrites: Bool { end.position > 0 }
    }

    /// A write that a later change has removed from ``writes``. A roll-back of that change restores it.
    private struct Displaced: Sendable {
        /// The end of the later change.
        var change: UInt64
        var write: SortedWrites.Write
    }

    /// What rolling back needs, in the order of the changes. Writes after the newest mark are not among them: they go
    /// with the changes that have removed them.
    private var displaced: [Displaced] = []
    /// The insertions into ``deleted``, each with the end of its change.
    private var deletions: [(change: UInt64, insertion: KeyRangeSet.Insertion)] = []
    /// The newest point to which the buffer may have to roll back; nil if it needs no undo information.
    private var newestMark: Mark?
    /// Number of writes that roll-backs have removed or restored: the work of savepoints, for tests.
    private(set) var undoneCount = 0

    /// - Parameter scratch: nil to keep all changes in memory.
    init(_ scratch: ScratchSpace? = nil) { batch = TransactionBatch(scratch) }

    var isEmpty: Bool { batch.isEmpty }

    /// Returns the current point.
    mutating func makeMark() -> Mark {
        let mark = Mark(end: batch.end)
        newestMark = mark
        return mark
    }

    // These throw `tooLarge` if a limit is exceeded, and the errors of scratch files. The buffer is then unchanged.

    mutating func put(_ key: Bytes, _ value: Bytes) throws(StoreError) {
        try checkLimits(key.count, value.count)
        try add(.value, key, value)
    }

    mutating func delete(_ key: Bytes) throws(StoreError) {
        try checkLimits(key.count, 0)
        try add(.tombstone, key, .emptyBytes)
    }

    /// Deletes the keys in `[start, end)`. Adds nothing if there can be none.
    mutating func deleteRange(_ start: Bytes, _ end: Bytes) throws(StoreError) {
        try Limits.check(key: max(start.count, end.count), value: 0)
        guard compareKeys(start, end) < 0 else { return }
        try checkLimits(start.count, end.count)
        try add(.rangeTombstone, start, end)
    }

    /// Adds a change to the batch and to the index. A deleted range removes the writes that it covers from the index.
    private mutating func add(_ kind: RecordKind, _ key: Bytes, _ value: Bytes) throws(StoreError) {
        let part = try batch.append(kind, key: key, value: value)
        let end = batch.end
        changeCount += 1
        if kind == .value { deletedRanges.note(put: key, changeCount) }
        if kind == .rangeTombstone {
            let removed = batch.withPayload { payload in writes.remove(from: key, to: value, in: payload) }
            for write in removed { keep(write, end) }
            let insertion = deleted.insert(KeyRange(from: [UInt8](key), to: [UInt8](value)))
            if let insertion, newestMark != nil { deletions.append((end.position, insertion)) }
            return
        }
        let write = SortedWrites.Write(
            part: part, end: end.tail.byteCount, keyCount: key.count, valueCount: value.count,
            isDeletion: kind == .tombstone)
        if let replaced = Self.set(write, in: &writes, of: batch) { keep(replaced, end) }
    }

    /// Adds a write to the index of a batch. A function without `self`, because a closure that changes the index would
    /// copy the batch, and count the references of all its parts.
    @inline(__always)
    private static func set(
        _ write: SortedWrites.Write, in writes: inout SortedWrites, of batch: borrowing TransactionBatch
    ) -> SortedWrites.Write? {
        batch.withPayload { payload in writes.set(write, in: payload) }
    }

    /// Keeps a write that the last change has removed from the index, if a roll-back may need it.
    /// - Parameter end: the end of that change.
    @inline(__always)
    private mutating func keep(_ write: SortedWrites.Write, _ end: TransactionBatch.End) {
        guard let newestMark, write.position <= newestMark.end.position else { return }
        displaced.append(Displaced(change: end.position, write: write))
    }

    /// Throws ``StoreError/Code/tooLarge`` if a change exceeds a limit or would make the batch too large.
    private func checkLimits(_ keyCount: Int, _ valueCount: Int) throws(StoreError) {
        try Limits.check(key: keyCount, value: valueCount)
        let size = ChangeEncoding.size(key: keyCount, value: valueCount)
        guard size <= Limits.batchBytes else {
            throw StoreError(.tooLarge, "the change has \(size) bytes, \(Limits.batchBytes) is the most")
        }
        guard batch.scratch != nil || batch.byteCount + size <= Limits.batchBytes else {
            throw StoreError(
                .tooLarge,
                "the transaction would write \(batch.byteCount + size) bytes, \(Limits.batchBytes) is the most in a "
                    + "store that does not map its files; split it, or open the store with Configuration.access = .mapped"
            )
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
    /// - Complexity: O(k log n) for k changes after the mark, and n writes.
    mutating func rollBack(to mark: Mark) {
        let end = mark.end.position
        // A later roll-back goes to this mark or to an earlier one, or to one that is made from now on.
        newestMark = mark
        guard end < batch.end.position else { return }
        forgetDeletedRanges()
        batch.withPayload { payload in
            removeWrites(after: mark.end, in: payload)
            while let last = displaced.last, last.change > end {
                displaced.removeLast()
                guard last.write.position <= end else { continue }
                undoneCount += 1
                _ = writes.set(last.write, in: payload)
            }
        }
        while let last = deletions.last, last.change > end {
            deletions.removeLast()
            deleted.undo(last.insertion)
        }
        batch.truncate(to: mark.end)
    }

    /// Removes the writes that the changes after an earlier end have added.
    private mutating func removeWrites(after end: TransactionBatch.End, in payload: TransactionBatch.Payload) {
        for part in end.part..<payload.count {
            let start = part == end.part ? end.tail.byteCount : 0
            var changes = ChangeReader(Bytes(rebasing: payload[part][start...]), firstSequence: 0)
            // The batch has encoded these changes itself, so decoding them cannot fail.
            do throws(MalformedChange) {
                while let change = try changes.next() {
                    undoneCount += 1
                    if change.kind == .rangeTombstone { continue }
                    let place = writes.firstPlace(notBelow: change.key, in: payload)
                    guard let write = writes[place], write.position > end.position,
                        keysEqual(write.key(in: payload), change.key)
                    else { continue }
                    writes.remove(at: place)
                }
            } catch { assertionFailure("a batch that cannot be read") }
        }
    }

    /// Forgets what scans have found: a roll-back can bring any key back.
    private mutating func forgetDeletedRanges() {
        changeCount += 1
        deletedRanges.removeAll()
        deletedRanges.notePuts(upTo: changeCount)
    }

    /// Makes all changes valid as long as the buffer or a copy of it, for ``WriteBufferSource``.
    mutating func seal() throws(StoreError) { try batch.seal() }

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
