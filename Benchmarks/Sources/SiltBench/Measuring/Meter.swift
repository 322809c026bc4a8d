/// Times the operations of one thread: a latency for each, and when each two hundredth part of them was done.
///
/// One reading of the clock an operation: where one ends, the next begins.
struct Meter: ~Copyable {
    private static let markCount = 200

    private let counts: UnsafeMutableBufferPointer<UInt64>
    private let marks: UnsafeMutableBufferPointer<UInt64>
    private let interval: Int
    private var start: UInt64 = 0
    private var last: UInt64 = 0
    private var done = 0
    private var marked = 0

    /// - Parameters:
    ///   - operations: how many there will be, as far as that is known; else any number.
    ///   - step: how many of them end at once.
    init(operations: Int, step: Int = 1) {
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
        let now = Clock.now()
        counts[Histogram.bucket(now &- last)] &+= 1
        last = now
        done &+= count
        if done >= (marked &+ 1) &* interval, marked < Self.markCount {
            marks[marked] = now
            marked &+= 1
        }
    }

    /// Nanoseconds from the beginning to the end of the last operation.
    @inline(__always)
    var elapsed: UInt64 { last &- start }

    /// Ends operations that are too short to be timed one by one.
    mutating func finish(_ count: Int) {
        last = Clock.now()
        done += count
    }

    /// What was measured.
    func record(_ tally: Tally = Tally(), userBytes: Int = 0) -> ThreadRecord {
        var histogram = Histogram()
        histogram.add(UnsafeBufferPointer(counts))
        return ThreadRecord(
            start: start, finish: last, operations: done, histogram: histogram, marks: Array(marks[..<marked]),
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
}
