/// Builds the block index of a segment.
struct BlockIndexBuilder: ~Copyable {
    /// The encoded section so far.
    private(set) var bytes: [UInt8] = []
    private(set) var blockCount = 0
    /// The fence of the current block.
    private var fence: [UInt8] = []
    /// 1 + the first record's sequence number if the current block continues the versions of a key; otherwise 0.
    private var continuedSequence: UInt64 = 0

    /// Starts a block.
    /// - Parameters:
    ///   - key: the key of its first record.
    ///   - sequence: that record's sequence number.
    ///   - last: the key of the last record of the preceding block; nil for the first block.
    mutating func beginBlock(_ key: Bytes, _ sequence: SequenceNumber, after last: Bytes?) {
        fence.removeAll(keepingCapacity: true)
        continuedSequence = 0
        guard let last else { return }
        if keysEqual(key, last) {
            continuedSequence = sequence + 1
            fence.append(contentsOf: key)
        } else {
            // The shortest separator of the two keys: `key` up to and including the first byte that differs.
            let shared = SearchKey(key).commonPrefix(with: SearchKey(last))
            fence.append(contentsOf: key.prefix(shared + 1))
        }
    }

    /// Ends the block.
    /// - Parameter length: bytes of the block.
    mutating func endBlock(length: Int) {
        bytes.append(varint: UInt64(length >> SegmentFormat.unitShift))
        bytes.append(varint: continuedSequence)
        bytes.append(counted: fence)
        blockCount += 1
    }
}
