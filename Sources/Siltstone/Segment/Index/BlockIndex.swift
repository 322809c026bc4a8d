/// Where the blocks of a segment begin and which keys they hold: the sparse index for seeks, and the way from an
/// address to its block (`Docs/Format.md`, "Block index").
///
/// The *fence* of a block comes after everything in the block before, and not after anything in its own. Fences are
/// compared by a digest, the 8 bytes behind the prefix that all of them share; only ties compare keys. Without
/// the prefix a digest of decimal keys would always be zeros.
final class BlockIndex: Sendable {
    /// Of a fence that is no version of a key: it stands before all of them.
    static let beforeAllVersions = SequenceNumber.max

    /// Fences of a group: their digests are four lines of the processor's caches.
    private static let groupSize = 32

    /// Bytes of memory for each block, about: where it begins, its fence and the digest of that, the window.
    static let bytesPerBlock = 40

    let blockCount: Int
    /// Logarithm of the window in which at most one block begins.
    private let windowShift: Int
    /// Where each block begins, in units, and behind them where the last one ends.
    private let starts: HeapArray<UInt32>
    /// The last block that begins in a window or before it.
    private let windows: HeapArray<UInt32>
    private let keys: HeapArray<Bytes>
    private let sequences: HeapArray<SequenceNumber>
    private let digests: HeapArray<UInt64>
    /// The first digest of each group of ``groupSize``.
    private let samples: HeapArray<UInt64>
    /// What all fences but the first begin with.
    private let common: SearchKey
    private var skip: Int { common.count }
    /// Holds the keys.
    private let storage: HeapBytes

    /// Reads the section; nil where it does not fit the footer, or is not in order.
    /// - Parameter section: lies in `storage`.
    init?(_ section: Bytes, in storage: HeapBytes, footer: SegmentFooter) {
        let count = footer.blockCount
        // An entry takes 3 bytes at least: this bounds what a wrong count can allocate.
        guard count <= section.count / 3 else { return nil }
        self.storage = storage
        blockCount = count
        windowShift = footer.windowShift
        starts = HeapArray(count: count + 1)
        keys = HeapArray(count: count)
        sequences = HeapArray(count: count)
        digests = HeapArray(count: count)
        samples = HeapArray(count: count / Self.groupSize + 1)
        let windowCount = footer.dataBytes >> footer.windowShift + 1
        windows = HeapArray(repeating: 0, count: windowCount)

        // Parsed by a static function, which can say no before `self` is whole.
        let isParsed = Self.parse(
            section, count: count, dataBytes: footer.dataBytes, starts: starts, keys: keys, sequences: sequences)
        let hasWindows =
            isParsed
            && Self.fill(windows, shift: footer.windowShift, starts: starts, blockCount: count)
        common = hasWindows && count > 1 ? Self.commonPrefix(keys[1], keys[count - 1]) : SearchKey(.emptyBytes)
        guard hasWindows else { return nil }
        let skip = common.count
        for block in 0..<count { digests[block] = SearchKey(keys[block]).digest(after: skip) }
        for group in 0..<(count + Self.groupSize - 1) / Self.groupSize {
            samples[group] = digests[group * Self.groupSize]
        }
    }

    private static func commonPrefix(_ first: Bytes, _ last: Bytes) -> SearchKey {
        let first = SearchKey(first)
        return first.prefix(first.commonPrefix(with: SearchKey(last)))
    }

    private static func parse(
        _ section: Bytes, count: Int, dataBytes: Int, starts: borrowing HeapArray<UInt32>,
        keys: borrowing HeapArray<Bytes>, sequences: borrowing HeapArray<SequenceNumber>
    ) -> Bool {
        var reader = ByteReader(section)
        var start = 0
        for block in 0..<count {
            guard let units = reader.length(), units > 0, units <= (dataBytes &- start) &>> SegmentFormat.unitShift,
                let continued = reader.varint(), let key = reader.counted()
            else { return false }
            starts[block] = UInt32(truncatingIfNeeded: start &>> SegmentFormat.unitShift)
            keys[block] = key
            sequences[block] = continued == 0 ? beforeAllVersions : continued - 1
            start &+= units &<< SegmentFormat.unitShift
            guard block > 0 else { continue }
            let order = compareKeysByWords(keys[block - 1], key)
            guard order < 0 || order == 0 && sequences[block - 1] > sequences[block] else { return false }
        }
        starts[count] = UInt32(start >> SegmentFormat.unitShift)
        return reader.isAtEnd && start == dataBytes
    }

    private static func fill(
        _ windows: borrowing HeapArray<UInt32>, shift: Int, starts: borrowing HeapArray<UInt32>, blockCount: Int
    ) -> Bool {
        let count = windows.count
        var previous = -1
        for block in 0..<blockCount {
            let window = (Int(starts[block]) &<< SegmentFormat.unitShift) &>> shift
            guard window > previous || blockCount == 0, window < count else { return false }
            for between in (previous + 1)..<window { windows[between] = UInt32(max(0, block - 1)) }
            windows[window] = UInt32(block)
            previous = window
        }
        for rest in (previous + 1)..<max(count, previous + 1) { windows[rest] = UInt32(max(0, blockCount - 1)) }
        return true
    }

    // MARK: Blocks

    /// Logical address of a block.
    @inline(__always)
    func start(of block: Int) -> Int { Int(starts[block]) &<< SegmentFormat.unitShift }

    /// Bytes of a block.
    @inline(__always)
    func length(of block: Int) -> Int { start(of: block &+ 1) &- start(of: block) }

    /// The block that holds a logical address, which must be in the data area.
    @inline(__always)
    func block(holding address: Int) -> Int {
        let block = Int(windows[address &>> windowShift])
        // Arithmetic, not a branch: it would be guessed wrong every fourth time.
        return block &- Int(truncatingIfNeeded: UInt(bitPattern: address &- start(of: block)) &>> 63)
    }

    /// The fence of a block: its key, and its version where the block continues the key of the one before.
    func fence(of block: Int) -> (key: Bytes, sequence: SequenceNumber) { (keys[block], sequences[block]) }

    // MARK: Search

    /// What a search in a block can go by, for a key that ``search(_:_:)`` sends there; nil where digests would not tell the
    /// block's keys apart, or nothing is known of what they share.
    @inline(__always)
    func hint(of block: Int) -> BlockHint? {
        // The first block may begin with anything, and the last one end with anything.
        guard block > 0, block &+ 1 < blockCount, digests[block] != digests[block &+ 1] else { return nil }
        return BlockHint(skip: skip, first: digests[block], next: digests[block &+ 1])
    }

    /// The block to look into for version `sequence` of `key`: the first record that does not come before it is in
    /// that block, or is the first of the next one. At least one block must be there.
    /// - Complexity: O(log n)
    func search(_ key: Bytes, _ sequence: SequenceNumber) -> Int {
        guard blockCount > 1 else { return 0 }
        let wanted = SearchKey(key)
        if _slowPath(skip > 0 && !wanted.hasPrefix(common)) {
            return wanted.compare(to: common) < 0 ? 0 : blockCount - 1
        }
        let digest = wanted.digest(after: skip)
        var low = firstFence(notBelow: digest)
        if low < blockCount, digests[low] == digest {
            let high = firstFence(from: low, to: blockCount) { digests[$0] > digest }
            low = firstFence(from: low, to: high) { block in
                let order = compareKeys(keys[block], key)
                return order > 0 || order == 0 && sequences[block] < sequence
            }
        }
        return low - 1
    }

    /// Which part of all blocks lies before a key, from 0 to 1; right but for a part of one block. Inside of that the place is
    /// guessed by the digests of the fences around it, as if keys were spread evenly. At least one block must be there.
    /// - Complexity: O(log n)
    func position(of key: Bytes) -> Double {
        let block = search(key, Self.beforeAllVersions)
        var inside = 0.5
        if let hint = hint(of: block) {
            let digest = min(max(SearchKey(key).digest(after: hint.skip), hint.first), hint.next)
            inside = Double(digest - hint.first) / Double(hint.next - hint.first)
        }
        let before = Double(start(of: block)) + inside * Double(length(of: block))
        return before / Double(start(of: blockCount))
    }

    /// The first block, but for block 0, whose digest is not below `digest`; ``blockCount`` if none.
    ///
    /// Two steps, of which the first looks at what stays in the innermost cache. The second one's lines are asked for at
    /// once: where they are not in any cache, which is so in a store that is read at random, a search in one step waits
    /// for each.
    @inline(__always)
    private func firstFence(notBelow digest: UInt64) -> Int {
        let groups = (blockCount &- 1) / Self.groupSize
        let first = samples.count(below: digest, from: 1, of: groups) &* Self.groupSize
        let count = min(blockCount &- first, Self.groupSize)
        digests.prefetch(from: first, count: count)
        starts.prefetch(from: first, count: count &+ 1)
        return first &+ 1 &+ digests.count(below: digest, from: first &+ 1, of: count &- 1)
    }

    /// The first block of `[low, high)` that satisfies a condition which holds for all behind it too; `high` if none.
    @inline(__always)
    private func firstFence(from low: Int, to high: Int, where holds: (Int) -> Bool) -> Int {
        var low = low
        var high = high
        while low < high {
            let middle = (low &+ high) &>> 1
            if holds(middle) { high = middle } else { low = middle &+ 1 }
        }
        return low
    }
}
