/// Counts of latencies, in buckets that are 3 % wide: 32 for each power of two, as in HdrHistogram.
struct Histogram: Sendable {
    static let bucketCount = 60 * 32

    private var counts = [UInt64](repeating: 0, count: bucketCount)
    private(set) var total: UInt64 = 0

    /// The bucket of a latency in nanoseconds.
    @inline(__always)
    static func bucket(_ nanoseconds: UInt64) -> Int {
        if nanoseconds < 32 { return Int(truncatingIfNeeded: nanoseconds) }
        let shift = 58 &- nanoseconds.leadingZeroBitCount
        return (shift &<< 5) &+ Int(truncatingIfNeeded: nanoseconds &>> UInt64(truncatingIfNeeded: shift))
    }

    /// The middle of a bucket, in nanoseconds.
    static func middle(_ bucket: Int) -> Double {
        if bucket < 64 { return Double(bucket) }
        let shift = bucket / 32 - 1
        return Double((bucket - shift * 32) << shift) + Double((1 << shift) - 1) / 2
    }

    /// Adds the counts of a ``Meter``.
    mutating func add(_ other: UnsafeBufferPointer<UInt64>) {
        for i in 0..<Self.bucketCount { counts[i] += other[i] }
        total = counts.reduce(0, +)
    }

    mutating func add(_ other: Histogram) { other.counts.withUnsafeBufferPointer { add($0) } }

    /// The latency in nanoseconds that a share of all operations does not exceed; 0 where there are none.
    /// - Parameter share: in `(0, 1]`.
    func percentile(_ share: Double) -> Double {
        let rank = max(1, UInt64((Double(total) * share).rounded(.up)))
        var seen: UInt64 = 0
        for (bucket, count) in counts.enumerated() {
            seen += count
            if seen >= rank { return Self.middle(bucket) }
        }
        return 0
    }
}
