/// Encoded changes that are complete: in memory, or in a mapped scratch file.
final class ChangePart: Sendable {
    /// The changes, valid as long as this object.
    let bytes: Bytes
    /// The counts of the changes.
    let end: WriteBatch.End
    private let owner: any AnyObject & Sendable

    /// - Parameter owner: keeps the bytes valid.
    init(_ bytes: Bytes, _ end: WriteBatch.End, owner: any AnyObject & Sendable) {
        self.bytes = bytes
        self.end = end
        self.owner = owner
    }
}

/// The changes of a transaction, in the order in which they were made.
///
/// New changes go to a batch, the tail. Once that is full, it becomes a part, which never changes. So a copy of this
/// value shares all parts, and a change copies at most the tail, however large the transaction is. If the parts in
/// memory exceed ``ScratchSpace/memoryBytes``, they go to a scratch file, and are read through its mapping.
struct TransactionBatch: Sendable {
    /// The end of the changes at some moment, to which ``truncate(to:)`` cuts them.
    struct End: Sendable {
        fileprivate(set) var part = 0
        fileprivate(set) var tail = WriteBatch.End()

        /// Larger for a later end; see ``SortedWrites/Write/position``.
        var position: UInt64 { UInt64(part) << 32 | UInt64(tail.byteCount) }
    }

    /// The bytes of all parts. The last one is the tail.
    struct Payload {
        fileprivate let parts: [Bytes]
        fileprivate let tail: Bytes

        var count: Int { parts.count + 1 }

        @inline(__always)
        subscript(part: Int) -> Bytes { part < parts.count ? parts[part] : tail }
    }

    /// The largest usual part. A larger tail is copied at more cost, by the next change after a scan has begun, and by a
    /// roll-back into it; smaller ones make more parts. The exact value was not measured.
    private static let usualPart = 256 << 10
    /// Bytes of a tail at which it becomes a part.
    private let largestPart: Int

    private var parts: [ChangePart] = []
    /// The bytes of each part, which can be read without counting references.
    private var partBytes: [Bytes] = []
    private var tail = WriteBatch()
    /// The index of the first part that is in memory.
    private var firstInMemory = 0
    /// Bytes of the parts that are in memory.
    private var memoryBytes = 0
    /// Bytes and number of the changes in all parts.
    private var (sealedBytes, sealedCount) = (0, 0)
    /// Nil if all changes stay in memory.
    let scratch: ScratchSpace?

    init(_ scratch: ScratchSpace?) {
        self.scratch = scratch
        largestPart = min(Self.usualPart, (scratch?.memoryBytes ?? .max) / 4)
    }

    var count: Int { sealedCount + tail.count }
    var byteCount: Int { sealedBytes + tail.byteCount }
    var isEmpty: Bool { parts.isEmpty && tail.isEmpty }

    /// Whether some changes are in scratch files.
    var isSpilled: Bool { firstInMemory > 0 }

    var end: End { End(part: parts.count, tail: tail.end) }

    /// Adds a change.
    /// - Returns: the number of its part. Its key and value are the last bytes before ``end``.
    /// - Throws: the errors of writing a scratch file. Nothing was added then.
    mutating func append(_ kind: RecordKind, key: Bytes, value: Bytes) throws(StoreError) -> Int {
        let size = ChangeEncoding.size(key: key.count, value: value.count)
        if tail.byteCount + size > largestPart, !tail.isEmpty { try seal() }
        tail.append(kind, key: key, value: value)
        return parts.count
    }

    /// Makes the tail a part.
    mutating func seal() throws(StoreError) {
        if tail.isEmpty { return }
        if let scratch, memoryBytes + tail.byteCount > scratch.memoryBytes {
            try spill(to: scratch)
        } else {
            let copy = HeapBytes(count: tail.byteCount)
            tail.withPayload { copy.buffer.copyMemory(from: $0) }
            add(ChangePart(copy.bytes, tail.end, owner: copy))
            memoryBytes += tail.byteCount
        }
        // The memory of a usual tail serves the next one.
        if tail.capacity <= 2 * Self.usualPart { tail.removeAll() } else { tail = WriteBatch() }
    }

    /// Moves the parts in memory to a scratch file, and adds the tail as a part there.
    private mutating func spill(to scratch: ScratchSpace) throws(StoreError) {
        let mapping = try tail.withPayload { payload throws(StoreError) in
            try scratch.write(partBytes[firstInMemory...] + [payload])
        }
        let contents = mapping.memory.bytes
        var offset = 0
        func next(_ end: WriteBatch.End) -> ChangePart {
            defer { offset += end.byteCount }
            return ChangePart(
                Bytes(rebasing: contents[offset..<offset + end.byteCount]), end, owner: mapping)
        }
        for index in firstInMemory..<parts.count {
            parts[index] = next(parts[index].end)
            partBytes[index] = parts[index].bytes
        }
        add(next(tail.end))
        (firstInMemory, memoryBytes) = (parts.count, 0)
    }

    private mutating func add(_ part: ChangePart) {
        parts.append(part)
        partBytes.append(part.bytes)
        sealedBytes += part.end.byteCount
        sealedCount += part.end.count
    }

    /// Removes the changes after an earlier end.
    mutating func truncate(to end: End) {
        guard end.part < parts.count else { return tail.truncate(to: end.tail) }
        tail = WriteBatch()
        tail.append(encoded: Bytes(rebasing: parts[end.part].bytes[..<end.tail.byteCount]), end.tail)
        for (index, part) in parts.enumerated().dropFirst(end.part) {
            sealedBytes -= part.end.byteCount
            sealedCount -= part.end.count
            if index >= firstInMemory { memoryBytes -= part.end.byteCount }
        }
        firstInMemory = min(firstInMemory, end.part)
        parts.removeSubrange(end.part...)
        partBytes.removeSubrange(end.part...)
    }

    /// Returns all changes in one batch.
    func joined() -> WriteBatch {
        if parts.isEmpty { return tail }
        var all = WriteBatch()
        all.reserveCapacity(byteCount)
        for part in parts { all.append(encoded: part.bytes, part.end) }
        tail.withPayload { all.append(encoded: $0, tail.end) }
        return all
    }

    /// Passes the encoded changes to `body`. They are valid during the call only; those of the parts as long as this
    /// value.
    @inline(__always)
    func withPayload<R, E: Error>(_ body: (Payload) throws(E) -> R) throws(E) -> R {
        try tail.withPayload { tail throws(E) in try body(Payload(parts: partBytes, tail: tail)) }
    }
}
