/// Changes that take effect atomically: all of them or none, also across a crash.
///
/// The changes are applied in the order in which they were added; a later change of the same key wins. A batch may be
/// written more than once. It has value semantics: a copy does not see later additions to the original. A batch accepts
/// any change; writing it throws ``StoreError/Code/tooLarge`` if a key, a value or the batch exceeds ``Limits``.
///
/// ```swift
/// var batch = WriteBatch()
/// batch.put("from".utf8, balance1)
/// batch.put("to".utf8, balance2)
/// batch.delete("pending".utf8)
/// try store.write(batch)
/// ```
public struct WriteBatch: Sendable {
    /// The first ``byteCount`` bytes are the changes, encoded as in the log (`Docs/Format.md`, "Changes"), so writing
    /// them is one copy. The other bytes are spare capacity.
    private var memory: [UInt8] = []
    /// Bytes of the encoded changes: keys, values and a few bytes for each change. In the log, a large value
    /// (``Configuration/largeValueBytes``) takes less.
    public private(set) var byteCount = 0
    /// Number of changes in the batch.
    public private(set) var count = 0

    /// Bytes of the largest value: says whether any value has to go to a value file.
    private(set) var largestValueBytes = 0
    /// Bytes of the largest key or end of a range: says whether all are within the limit.
    private(set) var largestKeyBytes = 0

    /// The end of a batch at some moment, to which ``truncate(to:)`` cuts it.
    struct End: Sendable {
        /// Bytes of the changes before the end.
        fileprivate(set) var byteCount = 0
        fileprivate(set) var count = 0
        fileprivate var largestValueBytes = 0
        fileprivate var largestKeyBytes = 0
    }

    /// Adds the changes of another batch.
    /// - Parameters:
    ///   - changes: as ``withPayload(_:)`` passes them.
    ///   - end: the end of that batch.
    mutating func append(encoded changes: Bytes, _ end: End) {
        assert(changes.count == end.byteCount)
        reserveCapacity(byteCount + changes.count)
        memory.withMutableBytes { bytes in bytes[byteCount...].copyMemory(from: changes) }
        byteCount += changes.count
        count += end.count
        largestKeyBytes = max(largestKeyBytes, end.largestKeyBytes)
        largestValueBytes = max(largestValueBytes, end.largestValueBytes)
    }

    /// Creates an empty batch.
    public init() {}

    /// True if the batch has no changes.
    public var isEmpty: Bool { count == 0 }

    /// Removes all changes; keeps the memory for the next ones.
    public mutating func removeAll() { truncate(to: End()) }

    /// The end of the changes so far.
    var end: End {
        End(
            byteCount: byteCount, count: count, largestValueBytes: largestValueBytes, largestKeyBytes: largestKeyBytes)
    }

    /// Removes the changes after an earlier end.
    mutating func truncate(to end: End) {
        byteCount = end.byteCount
        count = end.count
        largestValueBytes = end.largestValueBytes
        largestKeyBytes = end.largestKeyBytes
    }

    /// Bytes of encoded changes for which there is memory.
    var capacity: Int { memory.count }

    /// Allocates memory for changes of `bytes` bytes in total, so that adding them copies none of them again.
    public mutating func reserveCapacity(_ bytes: Int) {
        guard bytes > memory.count else { return }
        // At least twice the memory. Otherwise a caller that reserves a little for each of many steps would copy all
        // earlier changes in each step.
        var larger = [UInt8](repeating: 0, count: max(bytes, 2 * memory.count))
        larger.withMutableBytes { larger in
            memory.withBytes { larger.copyMemory(from: Bytes(rebasing: $0[..<byteCount])) }
        }
        memory = larger
    }

    /// Adds a change.
    mutating func append(_ kind: RecordKind, key: Bytes, value: Bytes) {
        let end = byteCount + ChangeEncoding.size(key: key.count, value: value.count)
        reserveCapacity(end)
        // The change is encoded in place. Appending kind, lengths, key and value to the array one by one takes several
        // times as long.
        memory.withMutableBytes { bytes in
            ChangeEncoding.write(kind, key: key, value: value, to: bytes[byteCount...])
        }
        byteCount = end
        count += 1
        largestKeyBytes = max(largestKeyBytes, key.count, kind == .rangeTombstone ? value.count : 0)
        if kind == .value { largestValueBytes = max(largestValueBytes, value.count) }
    }
}

extension WriteBatch {
    /// Passes the encoded changes to `body`. They are valid during the call only.
    func withPayload<R, E: Error>(_ body: (Bytes) throws(E) -> R) throws(E) -> R {
        try withContiguousBytes(memory) { bytes throws(E) in
            try body(Bytes(rebasing: bytes[..<byteCount]))
        }
    }

    /// Returns this batch with its large values moved to a value file and replaced by pointers (key-value separation,
    /// after WiscKey).
    /// - Parameters:
    ///   - bytes: smallest size of a large value, in bytes.
    ///   - move: writes a key's value to a value file and returns its position.
    /// - Throws: the errors of `move`. ``StoreError/Code/invalidArgument`` for a malformed batch would take a bug or a
    ///   memory error, because only ``append(_:key:value:)`` encodes changes.
    func movingLargeValues(
        ofAtLeast bytes: Int, _ move: (_ key: Bytes, _ value: Bytes) throws(StoreError) -> ValuePointer
    ) throws(StoreError) -> WriteBatch {
        try withPayload { payload throws(StoreError) in
            var slim = WriteBatch()
            var changes = ChangeReader(payload, firstSequence: 0)
            do {
                while let change = try changes.next() {
                    guard change.kind == .value, change.value.count >= bytes else {
                        slim.append(change.kind, key: change.key, value: change.value)
                        continue
                    }
                    let pointer = try move(change.key, change.value)
                    try withStackBytes(ValuePointer.size) { buffer throws(StoreError) in
                        pointer.write(to: buffer)
                        slim.append(.pointer, key: change.key, value: buffer.bytes)
                    }
                }
            } catch let error as StoreError {
                throw error
            } catch {
                throw StoreError(.invalidArgument, "the batch is malformed")
            }
            return slim
        }
    }
}
