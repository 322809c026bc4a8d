/// Times the operations of one thread: a latency for each, or for one in sixteen, and when each two hundredth part of them
/// was done.
///
/// Writes are timed one by one, so that no stall is missed: where one ends, the next begins. Reads are not: a reading of
/// the clock waits for all that is under way, so that the processor could not begin with one read while it waits for the
/// memory of the one before, as it does in a program that does not ask for the time.
struct Meter: ~Copyable {
    private static let markCount = 200

    private let counts: UnsafeMutableBufferPointer<UInt64>
    private let marks: UnsafeMutableBufferPointer<UInt64>
    private let interval: Int
    /// Operations of which one is timed, less one: all ones.
    private let mask: Int
    private var laps = 0
    private var start: UInt64 = 0
    private var last: UInt64 = 0
    private var done = 0
    private var marked = 0
    /// When it was stopped last, and how long it was stopped in all.
    private var stop: UInt64 = 0
    private var stopped: UInt64 = 0

    /// - Parameters:
    ///   - operations: how many there will be, as far as that is known; else any number.
    ///   - step: how many of them end at once.
    ///   - sampling: whether only some of them are timed.
    init(operations: Int, step: Int = 1, sampling: Bool = false) {
        mask = sampling ? 15 : 0
        counts = .allocate(capacity: Histogram.bucketCount)
        counts.initialize(repeating: 0)
        marks = .allocate(capacity: Self.markCount)
        marks.initialize(repeating: 0)
        // A whole number of steps: a mark stands for as many operations as lie before it.
        interval = max(1, (operations + Self.markCount - 1) / Self.markCount / step) * step
    }

    deinit {
        counts.deallocate()
        marks.deallocate()
    }

    /// Starts the clock.
    @inline(__always)
    mutating func begin() {
        start = Clock.now()
        last = start
    }

    /// Ends an operation, and begins the next.
    /// - Parameter count: how many operations it stands for.
    @inline(__always)
    mutating func lap(_ count: Int = 1) {
        laps &+= 1
        done &+= count
        if laps & mask == 0 { endTimed() } else if laps & mask == mask { last = Clock.now() }
    }

    /// Ends an operation that is timed.
    @inline(__always)
    private mutating func endTimed() {
        let now = Clock.now()
        counts[Histogram.bucket(now &- last)] &+= 1
        last = now
        if done >= (marked &+ 1) &* interval, marked < Self.markCount {
            marks[marked] = now &- stopped
            marked &+= 1
        }
    }

    /// Nanoseconds from the beginning to the end of the last operation that was timed.
    @inline(__always)
    var elapsed: UInt64 { last &- start &- stopped }

    /// Stops the clock behind an operation.
    mutating func pause() { stop = Clock.now() }

    /// Lets the clock go on, for the next operation; with its first one, where it was stopped before that.
    mutating func resume() {
        last = Clock.now()
        stopped &+= last &- stop
        stop = 0
    }

    /// Ends operations that are too short to be timed one by one.
    mutating func finish(_ count: Int) {
        last = Clock.now()
        done += count
    }

    /// What was measured.
    mutating func record(_ tally: Tally = Tally(), userBytes: Int = 0) -> ThreadRecord {
        if stop > 0 { last = stop } else if mask > 0, laps > 0 { last = Clock.now() }
        var histogram = Histogram()
        histogram.add(UnsafeBufferPointer(counts))
        return ThreadRecord(
            start: start, finish: last &- stopped, operations: done, histogram: histogram,
            marks: Array(marks[..<marked]),
            interval: interval, tally: tally, userBytes: userBytes)
    }
}

/// What one thread measured.
struct ThreadRecord: Sendable {
    /// On ``Clock``.
    var start: UInt64
    /// When the last operation was done.
    var finish: UInt64
    var operations: Int
    var histogram: Histogram
    /// When each ``interval`` operations were done.
    var marks: [UInt64]
    var interval: Int
    /// What was read.
    var tally: Tally
    /// Bytes of keys and values written.
    var userBytes: Int
    /// Of its transactions.
    var attempts = Attempts()
}
