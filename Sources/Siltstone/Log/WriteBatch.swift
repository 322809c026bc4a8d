/// Changes that take effect together: all of them or none, also across a crash.
///
/// The changes are applied in the order in which they were added; a later one for the same key wins. A batch may be
/// written more than once, and is a value: a copy does not see what is added to the original.
///
/// ```swift
/// var batch = WriteBatch()
/// batch.put("from".utf8, balance1)
/// batch.put("to".utf8, balance2)
/// batch.delete("pending".utf8)
/// try store.write(batch)
/// ```
public struct WriteBatch: Sendable {
    /// Begins with the changes as they stand in the log (`Docs/Format.md`, "Changes"), so that writing them is one copy; the
    /// rest is room for more.
    private var memory: [UInt8] = []
    /// Bytes that the changes take in the log: keys, values and a few bytes for each.
    public private(set) var byteCount = 0
    /// How many changes the batch holds.
    public private(set) var count = 0

    /// Bytes of the greatest value: whether any is to go to a value file.
    private(set) var largestValueBytes = 0
    /// Bytes of the greatest key, or end of a range: whether all are within the limit.
    private(set) var largestKeyBytes = 0

    /// Makes an empty batch.
    public init() {}

    /// Whether the batch holds no change.
    public var isEmpty: Bool { count == 0 }

    /// Removes all changes; the memory is kept for the next ones.
    public mutating func removeAll() {
        byteCount = 0
        count = 0
        largestValueBytes = 0
        largestKeyBytes = 0
    }

    /// Prepares for changes of `bytes` bytes in all, so that adding them moves nothing.
    public mutating func reserveCapacity(_ bytes: Int) {
        guard bytes > memory.count else { return }
        var larger = [UInt8](repeating: 0, count: bytes)
        larger.withMutableBytes { larger in memory.withBytes { larger.copyMemory(from: $0) } }
        memory = larger
    }

    /// Adds a change.
    mutating func append(_ kind: RecordKind, key: Bytes, value: Bytes) {
        let end = byteCount + ChangeEncoding.size(key: key.count, value: value.count)
        if end > memory.count { reserveCapacity(max(end, 2 * memory.count)) }
        // Written in place: to append kind, lengths, key and value one by one takes several times as long.
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
    /// Lends the encoded changes.
    func withPayload<R, E: Error>(_ body: (Bytes) throws(E) -> R) throws(E) -> R {
        try withContiguousBytes(memory) { bytes throws(E) in
            try body(Bytes(rebasing: bytes[..<byteCount]))
        }
    }

    /// This batch with its large values moved out of it.
    /// - Parameters:
    ///   - bytes: from which size a value is large.
    ///   - move: puts a key's value elsewhere and says where.
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
