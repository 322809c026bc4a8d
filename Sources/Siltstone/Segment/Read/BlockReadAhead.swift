/// Read-ahead of a walk over the mapped blocks of a segment: a window that doubles while the walk goes on in one
/// direction.
///
/// The kernel's own read-ahead is off for segments. It would read megabytes for a seek, and knows nothing of a walk
/// backward.
struct BlockReadAhead {
    private static let smallestWindow = 128 << 10
    /// With one window ahead of the one that is walked, the disk always has a megabyte or more to do.
    private static let greatestWindow = 1 << 20
    /// The window of a walk that has found everything in memory so far. To ask the system for each megabyte would take a
    /// fiftieth of such a walk.
    private static let greatestPresentWindow = 8 << 20
    /// Blocks of a seek in a store that fits into memory for which nothing is asked: most seeks read no more.
    private static let freeBlocks = 4

    /// Blocks that need no look.
    private var lower = 0
    private var upper = 0
    /// What was asked for ends before this block, or, backward, begins with it.
    private var edge = 0
    /// Bytes of the latest window; 0 behind a seek.
    private var window = 0
    /// Whether the latest window was found in memory.
    private var isPresent = false

    /// Forgets the walk: the next block is that of a seek.
    @inline(__always)
    mutating func restart() {
        lower = 0
        upper = 0
        window = 0
        isPresent = false
    }

    /// Looks at the walk before a block is entered.
    /// - Parameters:
    ///   - isForward: which way a walk that begins here is likely to go on.
    @inline(__always)
    mutating func enter(_ block: Int, of reader: SegmentReader, isForward: Bool) {
        if _fastPath(block >= lower && block < upper) { return }
        // Most walks are seeks that end before anything is asked for.
        if _fastPath(upper == 0 && !reader.isTight) { return begin(at: block, Self.freeBlocks, isForward) }
        move(to: block, reader, isForward)
    }

    /// Takes note of the first block of a walk.
    /// - Parameter free: blocks in a row for which nothing more is asked.
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
        begin(at: block, reader.isTight ? 2 : Self.freeBlocks, isForward)
        if reader.isTight { reader.fetchMissing(blocks: lower..<upper) }
    }

    /// Asks for the next window, while the walk is in the one before.
    private mutating func advance(from block: Int, by direction: Int, _ reader: SegmentReader) {
        let greatest = isPresent && !reader.isTight ? Self.greatestPresentWindow : Self.greatestWindow
        window = min(max(2 * window, Self.smallestWindow), greatest)
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
