/// Decides how much writers are slowed, so that they are never stopped for long. RocksDB's word for it.
///
/// Two things slow writers. The greater delay of each kind is 4 MiB a second.
///
/// **Flushed runs that wait for compaction.** The delay begins well before the bound, and grows with the square of their
/// number: that keeps the queue short at any speed that compactions can reach. A fixed delay (LevelDB) either does nothing
/// or costs everyone the same.
///
/// **A flush under way.** The next memtable should be full when the flush ends, not before. A writer whose memtable is full
/// earlier waits for all that is left of the flush: a tenth of a second in one call, where values are large. The same time in
/// pieces of about a millisecond is hardly noticed, and where processors are few it is the flush that makes use of it. So at
/// each step, a MiB of log, the rest of the flush is compared with the room that writers have, and the delay is
/// changed by what the last step was too quick or too slow. What writers take by themselves, and how many of them there
/// are, need not be known. Smaller memtables are not worth it.
///
/// Guarded by the write lock.
struct WriteController: Sendable {
    /// Runs in level 0 at which writers are slowed.
    static let slowdownRuns = 12
    /// Runs in level 0 at which the delay is greatest.
    static let boundRuns = 32
    /// Runs in level 0 at which writers wait: more would make reads slow without bound. Only reached where compactions
    /// fail, or a batch is as big as many memtables.
    static let greatestRuns = 64

    /// Nanoseconds for each KiB written, for the flush under way.
    private(set) var flushDelay: UInt64 = 0
    /// Nanoseconds for each KiB written, for runs that wait for compaction.
    private(set) var runDelay: UInt64 = 0
    /// Flushed runs that wait for compaction; 0 where nothing compacts them.
    private var flushedRuns = 0
    /// Nanoseconds that writers still owe.
    private var debt: UInt64 = 0
    /// When the flush that goes on has begun, and the KiB of its memtable.
    private var flush: (start: UInt64, size: Double)?
    /// Moving average of flush time, in nanoseconds per KiB of memtable.
    private var usual = Self.firstGuess
    /// When the last step was, and how full the memtable was then, in KiB.
    private var last: (moment: UInt64, fill: Double) = (0, 0)

    /// A gigabyte a second: what a processor of these years writes while another one fills memtables.
    private static let firstGuess = 1000.0
    /// A flush that has not come so far is taken to have.
    private static let tellingPart = 1.0 / 16
    /// All of a flush, compared with the making of its blocks: the indexes and the sync come after it.
    private static let whole = 9.0 / 8
    /// What others took counts for less: to wait for the rest at the end costs no more than to be slowed in vain.
    private static let trust = 0.9
    /// What writers may as well wait in one piece at the end, in nanoseconds: where they take about as long as flushes, as most
    /// do, nothing is to be slowed by what is known so roughly.
    private static let tolerance = 4_000_000.0
    /// The greatest delay of either kind: 4 MiB a second.
    private static let greatestDelay: UInt64 = 250_000
    /// The shortest and the longest pause, in nanoseconds.
    private static let (shortestPause, longestPause): (UInt64, UInt64) = (1_000_000, 20_000_000)

    /// Nanoseconds for each KiB written; 0 nearly always.
    @inline(__always)
    var delay: UInt64 { flushDelay &+ runDelay }

    // MARK: Pauses

    /// What a writer does before its change.
    enum Charge: Equatable {
        case goOn
        /// Pause first, which the caller must not: nothing was charged.
        case refused
        /// Sleep so many nanoseconds first.
        case pause(UInt64)
    }

    /// Charges a writer for its bytes; a pause is due once a millisecond is owed.
    /// - Parameter mayPause: whether the caller can sleep. One that cannot comes again as one that can, and is charged then.
    mutating func charge(_ bytes: Int, mayPause: Bool) -> Charge {
        let delay = flushDelay &+ runDelay
        let owed = debt &+ delay &* UInt64(bytes + 64) / 1024
        if !mayPause, owed >= Self.shortestPause { return .refused }
        debt = owed
        guard owed >= Self.shortestPause else { return .goOn }
        debt = 0
        return .pause(min(owed, Self.longestPause))
    }

    // MARK: Runs

    /// Whether so many flushed runs wait for compaction that no more may come.
    var isFull: Bool { flushedRuns >= Self.greatestRuns }

    /// Changes the delay by the number of flushed runs that wait for compaction.
    mutating func update(flushedRuns: Int) {
        self.flushedRuns = flushedRuns
        let range = Self.boundRuns - Self.slowdownRuns
        let over = min(max(0, flushedRuns - Self.slowdownRuns), range)
        runDelay = UInt64(over * over) * Self.greatestDelay / UInt64(range * range)
    }

    // MARK: Flushes

    /// A memtable of so many bytes is to be flushed now.
    mutating func beginFlush(bytes: Int, now: UInt64 = Platform.monotonicNanoseconds()) {
        flush = (now, Double(bytes) / 1024)
    }

    /// The flush has ended.
    /// - Parameter usualBytes: bytes that a memtable has usually; what one of less than half as many takes tells nothing.
    mutating func endFlush(usualBytes: Int, now: UInt64 = Platform.monotonicNanoseconds()) {
        if let flush, flush.size >= Double(usualBytes) / 2048 {
            // One that the machine has held up says little of the next.
            usual = (usual + min(Double(now &- flush.start) / flush.size, 2 * usual)) / 2
        }
        stopFlush()
    }

    /// The flush has failed.
    mutating func stopFlush() { (flush, flushDelay) = (nil, 0) }

    /// An empty memtable takes the changes from now on.
    mutating func beginTable(now: UInt64 = Platform.monotonicNanoseconds()) { last = (now, 0) }

    /// Changes the delay by what the last step tells.
    /// - Parameters:
    ///   - part: how much of the memtable has been written, from 0 to 1.
    ///   - bytes: how full the next one is.
    ///   - room: how many more bytes may be written until writers wait for the flush.
    mutating func takeStep(flushed part: Double, bytes: Int, room: Int, now: UInt64 = Platform.monotonicNanoseconds()) {
        let (fill, step) = (Double(bytes) / 1024, last)
        last = (now, fill)
        guard let flush, fill - step.fill >= 1, room >= 1024 else { return }
        let passed = Double(now &- flush.start)
        // By what this flush has done, and by what others took: its sync may take as long as all before it.
        let own = passed / max(part, Self.tellingPart) * Self.whole
        let whole = max(own, usual * flush.size * Self.trust) - Self.tolerance
        let wanted = (whole - passed) / (Double(room) / 1024)
        let taken = Double(now &- step.moment) / (fill - step.fill)
        let greatest = Double(Self.greatestDelay)
        flushDelay = whole > passed ? UInt64(max(0, min(Double(flushDelay) + wanted - taken, greatest))) : 0
    }
}
