/// Decides how much writers are slowed, so that they are never stopped for long (RocksDB: `WriteController`).
///
/// Three causes slow writers. The maximum delay of the first two together, and of the third, is 4 MiB a second.
///
/// **Flushed runs that wait for compaction.** The delay starts well before the limit and grows with the square of the
/// number of runs. That keeps level 0 short at any speed that compactions can reach. A fixed delay (LevelDB) either has
/// no effect or costs all writers the same.
///
/// **Garbage in value files.** The delay starts when there is more of it than compactions usually leave, and reaches its
/// maximum at twice as much.
///
/// **A running flush.** The next memtable should become full when the flush ends, not earlier. A writer whose memtable
/// is full earlier waits for the rest of the flush: a tenth of a second in one call, if values are large. The same time
/// in pauses of about a millisecond is hardly noticeable, and with few processors the flush itself uses that time. So
/// at each step, which is one MiB of log, the controller compares the remaining flush with the remaining room for
/// writers. It changes the delay by the amount that the last step was too fast or too slow. It need not know the
/// writers' own speed or their number. It does not slow writers of small memtables, for which this is not worthwhile.
///
/// The write lock guards it.
struct WriteController: Sendable {
    /// Number of level-0 runs from which writers are slowed. 12 and 32 were measured better than 8 and 20
    /// (`Docs/Experiments.md`).
    static let slowdownRuns = 12
    /// Number of level-0 runs from which the delay is at its maximum.
    static let boundRuns = 32
    /// Number of level-0 runs at which writers wait. More runs would make reads slow without bound. Reached if
    /// compactions fail, if they are slower than writers at the greatest delay, or if a batch is as large as many
    /// memtables.
    static let greatestRuns = 64

    /// Delay because of the running flush, in nanoseconds per KiB written.
    private(set) var flushDelay: UInt64 = 0
    /// Delay because of flushed runs and garbage, in nanoseconds per KiB written.
    private(set) var runDelay: UInt64 = 0
    /// Flushed runs that wait for compaction; 0 if nothing compacts them.
    private var flushedRuns = 0
    /// Delay that writers have not served yet, in nanoseconds.
    private var debt: UInt64 = 0
    /// Start of the running flush in nanoseconds, and size of its memtable in KiB.
    private var flush: (start: UInt64, size: Double)?
    /// Moving average of flush time, in nanoseconds per KiB of memtable.
    private var usual = Self.firstGuess
    /// Time of the last step in nanoseconds, and the fill of the memtable at that time in KiB.
    private var last: (moment: UInt64, fill: Double) = (0, 0)

    /// First estimate: a gigabyte a second, which a current processor writes while another one fills memtables.
    private static let firstGuess = 1000.0
    /// Below this fraction, progress is too small to extrapolate from. The flush is then treated as if it had this
    /// progress.
    private static let tellingPart = 1.0 / 16
    /// Ratio of the complete flush to the building of its blocks. Writing the indexes and the sync follow the blocks.
    private static let whole = 9.0 / 8
    /// Weight of the average of earlier flushes. It is below 1, because waiting for the rest at the end costs no more
    /// than an unnecessary delay.
    private static let trust = 0.9
    /// Wait at the end of a flush that is accepted, in nanoseconds (4 ms). If writers take about as long as the flush,
    /// as most do, such a rough estimate should not slow them.
    private static let tolerance = 4_000_000.0
    /// Maximum delay of each kind, in nanoseconds per KiB (4 MiB a second).
    private static let greatestDelay: UInt64 = 250_000
    /// Shortest and longest pause, in nanoseconds (1 ms and 20 ms).
    private static let (shortestPause, longestPause): (UInt64, UInt64) = (1_000_000, 20_000_000)

    /// The sum of both delays, in nanoseconds per KiB written. Nearly always 0.
    @inline(__always)
    var delay: UInt64 { flushDelay &+ runDelay }

    // MARK: Pauses

    /// The action of a writer before its change.
    enum Charge: Equatable {
        case proceed
        /// A pause is due, and the caller cannot pause. Nothing was charged.
        case refused
        /// Sleep this many nanoseconds first.
        case pause(UInt64)
    }

    /// Charges a writer for its bytes. A pause is due once the debt reaches a millisecond. The pause is at most 20
    /// milliseconds, and a larger debt is forgiven.
    /// - Parameters:
    ///   - bytes: bytes of the change. 64 more are charged for its overhead.
    ///   - mayPause: true if the caller can sleep. A caller that cannot gets ``Charge/refused``, repeats the change as
    ///     one that can, and is charged then.
    mutating func charge(_ bytes: Int, mayPause: Bool) -> Charge {
        let owed = debt &+ delay &* UInt64(bytes + 64) / 1024
        if !mayPause, owed >= Self.shortestPause { return .refused }
        debt = owed
        guard owed >= Self.shortestPause else { return .proceed }
        debt = 0
        return .pause(min(owed, Self.longestPause))
    }

    // MARK: Runs

    /// True if writers wait for a compaction before they seal a memtable, because too many runs wait for compaction.
    var isFull: Bool { flushedRuns >= Self.greatestRuns }

    /// Sets the delay for work that waits for compaction.
    /// - Parameters:
    ///   - flushedRuns: number of flushed runs.
    ///   - garbage: bytes of garbage in value files, as a multiple of the usual ones.
    mutating func update(flushedRuns: Int, garbage: Double = 0) {
        self.flushedRuns = flushedRuns
        let runs = Double(flushedRuns - Self.slowdownRuns) / Double(Self.boundRuns - Self.slowdownRuns)
        let over = min(max(0, runs, garbage - 1), 1)
        runDelay = UInt64(over * over * Double(Self.greatestDelay))
    }

    // MARK: Flushes

    /// Records the start of a flush of a memtable of `bytes` bytes.
    mutating func beginFlush(bytes: Int, now: UInt64 = Platform.monotonicNanoseconds()) {
        flush = (now, Double(bytes) / 1024)
    }

    /// Records the end of the flush.
    /// - Parameter usualBytes: usual bytes of a memtable. A flush of less than half of that does not change the
    ///   average.
    mutating func endFlush(usualBytes: Int, now: UInt64 = Platform.monotonicNanoseconds()) {
        if let flush, flush.size >= Double(usualBytes) / 2048 {
            // Limits the influence of one flush to twice the average. A flush that the machine has held up predicts
            // little about the next one.
            usual = (usual + min(Double(now &- flush.start) / flush.size, 2 * usual)) / 2
        }
        stopFlush()
    }

    /// Records that the flush has failed or ended, and ends its delay.
    mutating func stopFlush() { (flush, flushDelay) = (nil, 0) }

    /// Records that a new, empty memtable takes the changes.
    mutating func beginTable(now: UInt64 = Platform.monotonicNanoseconds()) { last = (now, 0) }

    /// Adjusts the delay after a step.
    /// - Parameters:
    ///   - part: fraction of the flushed memtable that has been written, from 0 to 1.
    ///   - bytes: bytes in the active memtable.
    ///   - room: bytes that can still be written before writers must wait for the flush.
    mutating func takeStep(flushed part: Double, bytes: Int, room: Int, now: UInt64 = Platform.monotonicNanoseconds()) {
        let (fill, step) = (Double(bytes) / 1024, last)
        last = (now, fill)
        // Less than a KiB would make the divisions below meaningless.
        guard let flush, fill - step.fill >= 1, room >= 1024 else { return }
        let passed = Double(now &- flush.start)
        // Takes the larger of two estimates: from the progress of this flush, and from the average of earlier ones. The
        // sync of a flush may take as long as everything before it, and progress does not show that.
        let own = passed / max(part, Self.tellingPart) * Self.whole
        let whole = max(own, usual * flush.size * Self.trust) - Self.tolerance
        let wanted = (whole - passed) / (Double(room) / 1024)
        let taken = Double(now &- step.moment) / (fill - step.fill)
        let greatest = Double(Self.greatestDelay)
        flushDelay = whole > passed ? UInt64(max(0, min(Double(flushDelay) + wanted - taken, greatest))) : 0
    }
}
