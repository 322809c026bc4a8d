import Foundation

/// The monotonic clock.
enum Clock {
    /// Nanoseconds since some moment; 22 ns to read.
    @inline(__always)
    static func now() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(truncatingIfNeeded: time.tv_sec) &* 1_000_000_000 &+ UInt64(truncatingIfNeeded: time.tv_nsec)
    }

    /// Runs `body`.
    /// - Returns: how long it took, in seconds.
    static func seconds(_ body: () throws -> Void) rethrows -> Double {
        let start = now()
        try body()
        return Double(now() - start) * 1e-9
    }
}
