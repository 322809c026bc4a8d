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
    /// The changes as they stand in the log (`Docs/Format.md`, "Changes"), so that writing them is one copy.
    private(set) var payload: [UInt8] = []
    /// How many changes the batch holds.
    public private(set) var count = 0

    /// Bytes of the greatest value: whether any is to go to a value file.
    private(set) var largestValueBytes = 0
    /// Bytes of the greatest key, or end of a range: whether all are within the limit.
    private(set) var largestKeyBytes = 0

    /// Makes an empty batch.
    public init() {}

    /// Bytes that the changes take in the log: keys, values and a few bytes for each.
    public var byteCount: Int { payload.count }

    /// Whether the batch holds no change.
    public var isEmpty: Bool { count == 0 }

    /// Removes all changes; the memory is kept for the next ones.
    public mutating func removeAll() {
        payload.removeAll(keepingCapacity: true)
        count = 0
        largestValueBytes = 0
        largestKeyBytes = 0
    }

    /// Prepares for changes of `bytes` bytes in all, so that adding them moves nothing.
    public mutating func reserveCapacity(_ bytes: Int) { payload.reserveCapacity(bytes) }

    /// Adds a change.
    mutating func append(_ kind: RecordKind, key: Bytes, value: Bytes) {
        withUnsafeTemporaryAllocation(byteCount: ChangeEncoding.greatestPrefix, alignment: 1) { buffer in
            guard let start = buffer.baseAddress else { return }  // never nil for a size above zero
            let end = ChangeEncoding.writePrefix(kind, key: key.count, value: value.count, to: start)
            payload.append(contentsOf: UnsafeRawBufferPointer(start: start, count: end - start))
        }
        payload.append(contentsOf: key)
        payload.append(contentsOf: value)
        count += 1
        largestKeyBytes = max(largestKeyBytes, key.count, kind == .rangeTombstone ? value.count : 0)
        if kind == .value { largestValueBytes = max(largestValueBytes, value.count) }
    }
}

extension WriteBatch {
    /// Lends the encoded changes.
    func withPayload<R>(_ body: (Bytes) throws(StoreError) -> R) throws(StoreError) -> R {
        try withContiguousBytes(payload, body)
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
                    try withUnsafeTemporaryBytes(ValuePointer.size) { buffer throws(StoreError) in
                        if let address = buffer.baseAddress { pointer.write(to: address) }
                        slim.append(.pointer, key: change.key, value: Bytes(buffer))
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
