/// The sparse index of a segment: the start and the separator key of each block (`Docs/Format.md`, "Block index").
/// Seeks search it by key. Point reads have an address from the hash index, and look up its block.
///
/// The *fence* of a block is its separator key: larger than every key of the preceding block, and not larger than any
/// key of its own. If the block continues the versions of the preceding block's last key, the fence is that key with
/// the sequence number of the block's first record. The first fence is empty. Searches never compare it.
///
/// Searches compare digests of fences, and keys only if digests are equal. All fences but the first share a common
/// prefix. A digest is the 8 bytes after this prefix. Digests of the first 8 bytes would be the same for all decimal
/// keys with leading zeros.
///
/// A *logical address* is an offset in the data area, as if blocks were stored uncompressed. The data area is divided
/// into windows of 2^`windowShift` bytes. No two blocks start in one window, so a block is found by an address in one
/// look-up and at most one step back.
final class BlockIndex: Sendable {
    /// The sequence number of a fence that does not continue a key. It is ordered before all versions, which are
    /// ordered from the newest to the oldest.
    static let beforeAllVersions = SequenceNumber.max

    /// Fences per group. Their digests fill four cache lines.
    private static let groupSize = 32

    /// Approximate bytes of memory per block, without those of the key: start, fence, digest and window.
    static let bytesPerBlock = 40

    let blockCount: Int
    /// Base-2 logarithm of the window size in bytes.
    private let windowShift: Int
    /// Start of each block in units of 2^``SegmentFormat/unitShift`` bytes, followed by the end of the last block.
    private let starts: HeapArray<UInt32>
    /// For each window, the last block that starts in it or before it.
    private let windows: HeapArray<UInt32>
    /// The fence of each block: its key, its sequence number or ``beforeAllVersions``, and the digest of its key.
    private let keys: HeapArray<Bytes>
    private let sequences: HeapArray<SequenceNumber>
    private let digests: HeapArray<UInt64>
    /// The first digest of each group of ``groupSize``.
    private let samples: HeapArray<UInt64>
    /// The prefix that all fences but the first share.
    private let common: SearchKey
    /// Length of ``common``, in bytes.
    private var commonLength: Int { common.count }
    /// Owns the memory of the keys.
    private let storage: HeapBytes

    /// Decodes the section. Returns nil if it contradicts the footer or its fences are not in order.
    /// - Parameter section: a part of `storage`.
    init?(_ section: Bytes, in storage: HeapBytes, footer: SegmentFooter) {
        let count = footer.blockCount
        // An entry takes at least 3 bytes. This bounds the memory that a corrupt count can allocate.
        guard count <= section.count / 3 else { return nil }
        self.storage = storage
        blockCount = count
        windowShift = footer.windowShift
        starts = HeapArray(count: count + 1)
        keys = HeapArray(count: count)
        sequences = HeapArray(count: count)
        digests = HeapArray(count: count)
        samples = HeapArray(count: count / Self.groupSize + 1)
        let windowCount = (footer.dataBytes >> footer.windowShift) + 1
        windows = HeapArray(repeating: 0, count: windowCount)

        // Parses in a static function, because a method cannot be called before all properties are set.
        let isParsed = Self.parse(
            section, count: count, dataBytes: footer.dataBytes, starts: starts, keys: keys, sequences: sequences)
        let hasWindows =
            isParsed
            && Self.fill(windows, shift: footer.windowShift, starts: starts, blockCount: count)
        // A section that is not valid may have left the keys unset.
        common = hasWindows && count > 1 ? Self.commonPrefix(keys[1], keys[count - 1]) : SearchKey(.emptyBytes)
        guard hasWindows else { return nil }
        for block in 0..<count { digests[block] = SearchKey(keys[block]).digest(after: common.count) }
        for group in 0..<(count + Self.groupSize - 1) / Self.groupSize {
            samples[group] = digests[group * Self.groupSize]
        }
    }

    private static func commonPrefix(_ first: Bytes, _ last: Bytes) -> SearchKey {
        let first = SearchKey(first)
        return first.prefix(first.commonPrefix(with: SearchKey(last)))
    }

    /// Fills the three arrays. Returns false if the section contradicts the footer or its fences are not in order.
    private static func parse(
        _ section: Bytes, count: Int, dataBytes: Int, starts: borrowing HeapArray<UInt32>,
        keys: borrowing HeapArray<Bytes>, sequences: borrowing HeapArray<SequenceNumber>
    ) -> Bool {
        var reader = ByteReader(section)
        var start = 0
        for block in 0..<count {
            guard let units = reader.length(), units > 0, units <= (dataBytes &- start) &>> SegmentFormat.unitShift,
                let continuedSequence = reader.varint(), let key = reader.counted()
            else { return false }
            starts[block] = UInt32(truncatingIfNeeded: start &>> SegmentFormat.unitShift)
            keys[block] = key
            // One more than the sequence number; 0 if the block does not continue a key.
            sequences[block] = continuedSequence == 0 ? beforeAllVersions : continuedSequence - 1
            start &+= units &<< SegmentFormat.unitShift
            guard block > 0 else { continue }
            let order = compareKeysByWords(keys[block - 1], key)
            guard order < 0 || order == 0 && sequences[block - 1] > sequences[block] else { return false }
        }
        starts[count] = UInt32(start >> SegmentFormat.unitShift)
        return reader.isAtEnd && start == dataBytes
    }

    /// Fills ``windows``. Returns false if two blocks start in one window.
    private static func fill(
        _ windows: borrowing HeapArray<UInt32>, shift: Int, starts: borrowing HeapArray<UInt32>, blockCount: Int
    ) -> Bool {
        let count = windows.count
        var previous = -1
        for block in 0..<blockCount {
            let window = (Int(starts[block]) &<< SegmentFormat.unitShift) &>> shift
            guard window > previous, window < count else { return false }
            for between in (previous + 1)..<window { windows[between] = UInt32(max(0, block - 1)) }
            windows[window] = UInt32(block)
            previous = window
        }
        for rest in (previous + 1)..<count { windows[rest] = UInt32(max(0, blockCount - 1)) }
        return true
    }

    // MARK: Blocks

    /// Logical address of a block.
    @inline(__always)
    func start(of block: Int) -> Int { Int(starts[block]) &<< SegmentFormat.unitShift }

    /// Length of a block, in bytes before compression.
    @inline(__always)
    func length(of block: Int) -> Int { start(of: block &+ 1) &- start(of: block) }

    /// The block that contains a logical address. The address must be in the data area.
    @inline(__always)
    func block(holding address: Int) -> Int {
        let block = Int(windows[address &>> windowShift])
        // One block back if this block starts after the address. The sign of the difference is subtracted, because a
        // branch would be mispredicted every fourth time.
        return block &- Int(truncatingIfNeeded: UInt(bitPattern: address &- start(of: block)) &>> 63)
    }

    /// The fence of a block: its key, and its sequence number or ``beforeAllVersions``.
    func fence(of block: Int) -> (key: Bytes, sequence: SequenceNumber) { (keys[block], sequences[block]) }

    // MARK: Search

    /// The block in which to search for version `sequence` of `key`: the last one whose fence is not ordered after that
    /// version. If all records of the block are ordered before the version, the search continues at the first record of
    /// the next block. The segment must have at least one block.
    /// - Complexity: O(log n) for n blocks
    func search(_ key: Bytes, _ sequence: SequenceNumber) -> Int {
        guard blockCount > 1 else { return 0 }
        let wanted = SearchKey(key)
        if _slowPath(commonLength > 0 && !wanted.hasPrefix(common)) {
            return wanted.compare(to: common) < 0 ? 0 : blockCount - 1
        }
        let digest = wanted.digest(after: commonLength)
        // The first block whose fence is ordered after the version.
        var firstAfter = firstFence(notBelow: digest)
        if firstAfter < blockCount, digests[firstAfter] == digest {
            let end = (firstAfter..<blockCount).partitioningIndex { digests[$0] > digest }
            firstAfter = (firstAfter..<end).partitioningIndex { block in
                let order = compareKeys(keys[block], key)
                return order > 0 || order == 0 && sequences[block] < sequence
            }
        }
        return firstAfter - 1
    }

    /// The fraction of the segment's block bytes that are before a key, from 0 to 1. The error is less than one block.
    /// Inside the block, interpolates between the digests of the fences, as if keys were spread evenly. The segment
    /// must have at least one block.
    /// - Complexity: O(log n) for n blocks
    func position(of key: Bytes) -> Double {
        let block = search(key, Self.beforeAllVersions)
        var inside = 0.5
        // The first block may start with any key, and the last one may end with any key.
        if block > 0, block + 1 < blockCount, digests[block] != digests[block + 1] {
            let (first, next) = (digests[block], digests[block + 1])
            // The key is between the two fences. The bounds only keep the subtraction from overflowing.
            let digest = min(max(SearchKey(key).digest(after: commonLength), first), next)
            inside = Double(digest - first) / Double(next - first)
        }
        let before = Double(start(of: block)) + inside * Double(length(of: block))
        return before / Double(start(of: blockCount))
    }

    /// The first block after block 0 whose digest is not smaller than `digest`; ``blockCount`` if none.
    ///
    /// Searches in two steps: first the samples, which stay in the L1 cache, and then one group of digests. All cache
    /// lines of the group are prefetched at once. A binary search of all digests would wait for one line after the
    /// other.
    @inline(__always)
    private func firstFence(notBelow digest: UInt64) -> Int {
        let lastGroup = (blockCount &- 1) / Self.groupSize
        let first = samples.elements.count(below: digest, from: 1, of: lastGroup) &* Self.groupSize
        let count = min(blockCount &- first, Self.groupSize)
        digests.elements.prefetch(from: first, count: count)
        // The caller reads the start and the end of the block next.
        starts.elements.prefetch(from: first, count: count &+ 1)
        // The first digest of the group is either that of block 0 or below `digest`.
        return first &+ 1 &+ digests.elements.count(below: digest, from: first &+ 1, of: count &- 1)
    }
}
