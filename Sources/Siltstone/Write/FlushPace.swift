/// How much writers are slowed while a memtable is flushed, so that the next one is full when the flush ends, not before.
///
/// A writer whose memtable is full while the one before is still being flushed waits for all that is left of the flush: a tenth
/// of a second in one call, where values are large. The same time in pieces of about a millisecond is hardly noticed, and
/// where processors are few it is the flush that makes use of it. So now and then what is left of the flush is compared with
/// the room that writers have, and the delay is changed by what the last step was too quick or too slow: what writers
/// take by themselves, and how many of them there are, need not be known. A step is a MiB of log: smaller memtables are not
/// worth it.
///
/// Guarded by the engine's write lock.
struct FlushPace: Sendable {
    /// What writers are slowed now: nanoseconds for each KiB written.
    private(set) var delay: UInt64 = 0
    /// When the flush that goes on has begun, and the KiB of its memtable.
    private var flush: (start: UInt64, size: Double)?
    /// What flushes take, by and by: nanoseconds for each KiB of memtable.
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
    /// The greatest delay: 4 MiB a second, if compactions do not slow writers as well.
    private static let greatestDelay = 250_000.0

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
    mutating func stopFlush() { (flush, delay) = (nil, 0) }

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
        delay = whole > passed ? UInt64(max(0, min(Double(delay) + wanted - taken, Self.greatestDelay))) : 0
    }
}
