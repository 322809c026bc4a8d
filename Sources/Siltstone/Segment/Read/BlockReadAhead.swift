/// Reads ahead of a scan over the mapped blocks of a segment. Its window doubles while the scan continues in one
/// direction.
///
/// The kernel's own read-ahead is off for segments. It would read megabytes for a seek, and it does not support
/// backward scans.
struct BlockReadAhead {
    private static let minWindow = 128 << 10
    /// One window is always requested ahead of the one being scanned. So the disk always has about a megabyte to read.
    private static let maxWindow = 1 << 20
    /// Largest window of a scan that has found everything in memory so far. One system call per megabyte would take a
    /// fiftieth of such a scan.
    private static let maxResidentWindow = 8 << 20
    /// Blocks after a seek for which nothing is requested if the store fits into memory. Most seeks read no more than
    /// these.
    private static let freeBlocks = 4

    /// Blocks in `lower..<upper` need no action when the scan enters them.
    private var lower = 0
    private var upper = 0
    /// The end of the requested blocks: exclusive in a forward scan, inclusive in a backward one.
    private var edge = 0
    /// Bytes of the latest window; 0 after a seek.
    private var window = 0
    /// True if the latest window was completely in memory.
    private var isPresent = false

    /// Ends the scan. The next block is treated as a seek.
    @inline(__always)
    mutating func restart() {
        lower = 0
        upper = 0
        window = 0
        isPresent = false
    }

    /// Requests blocks ahead, if necessary, before the scan enters a block.
    /// - Parameter isForward: the likely direction of a scan that starts at this block.
    @inline(__always)
    mutating func enter(_ block: Int, of reader: SegmentReader, isForward: Bool) {
        if _fastPath(block >= lower && block < upper) { return }
        // Most scans are seeks that end before anything is requested.
        if _fastPath(upper == 0 && !reader.isTight) { return begin(at: block, Self.freeBlocks, isForward) }
        move(to: block, reader, isForward)
    }

    /// Starts a scan at a block.
    /// - Parameter free: number of consecutive blocks for which nothing more is requested.
    @inline(__always)
    private mutating func begin(at block: Int, _ free: Int, _ isForward: Bool) {
        lower = isForward ? block : block &+ 1 &- free
        upper = lower &+ free
        edge = isForward ? upper : lower
    }

    @inline(never)
    private mutating func move(to block: Int, _ reader: SegmentReader, _ isForward: Bool) {
        if upper > lower, block == upper { return advance(from: block, by: 1, reader) }
        if upper > lower, block == lower - 1 { return advance(from: block, by: -1, reader) }
        (window, isPresent) = (0, false)
        // If memory is tight, requests the two blocks that a seek without a scan reads at most.
        begin(at: block, reader.isTight ? 2 : Self.freeBlocks, isForward)
        if reader.isTight { reader.fetchMissing(blocks: lower..<upper) }
    }

    /// Requests the next window while the scan is still in the previous one.
    private mutating func advance(from block: Int, by direction: Int, _ reader: SegmentReader) {
        let greatest = isPresent && !reader.isTight ? Self.maxResidentWindow : Self.maxWindow
        window = min(max(2 * window, Self.minWindow), greatest)
        let count = max(2, window / reader.averageBlockBytes)
        if direction > 0 {
            let start = max(block, edge)
            isPresent = reader.fetchMissing(blocks: start..<start + count)
            (lower, upper, edge) = (block, max(start, block + 1), start + count)
        } else {
            let end = min(block + 1, edge)
            isPresent = reader.fetchMissing(blocks: end - count..<end)
            (lower, upper, edge) = (min(end, block), block + 1, end - count)
        }
    }
}
