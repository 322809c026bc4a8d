#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A point in time, in whole nanoseconds of the clock of `ContinuousClock`. An instant of that clock has more bits, and
/// its arithmetic is generic: pools and connections, which note one or two for each statement, spent a twentieth of a
/// look-up on it.
package struct Moment: Comparable, Sendable {
    private var nanoseconds: Int64

    package static var now: Moment {
        var time = timespec()
        #if canImport(Glibc)
        let clock = CLOCK_BOOTTIME
        #else
        let clock = CLOCK_MONOTONIC
        #endif
        _ = unsafe clock_gettime(clock, &time)
        return Moment(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    }

    package static func < (left: Moment, right: Moment) -> Bool { left.nanoseconds < right.nanoseconds }

    /// A duration whose nanoseconds are known.
    struct Span {
        fileprivate let nanoseconds: Int64

        init(_ duration: Duration) { nanoseconds = duration.nanoseconds }
    }

    static func + (moment: Moment, span: Span) -> Moment {
        let (sum, isTooLarge) = moment.nanoseconds.addingReportingOverflow(span.nanoseconds)
        return Moment(nanoseconds: isTooLarge ? .max : sum)
    }

    package static func + (moment: Moment, duration: Duration) -> Moment {
        Moment(nanoseconds: moment.nanoseconds.saturated(+, duration.nanoseconds))
    }

    package static func - (moment: Moment, duration: Duration) -> Moment {
        Moment(nanoseconds: moment.nanoseconds.saturated(-, duration.nanoseconds))
    }

    package static func - (left: Moment, right: Moment) -> Duration {
        .nanoseconds(left.nanoseconds - right.nanoseconds)
    }
}

extension Duration {
    /// Whole nanoseconds, at most those of 292 years.
    fileprivate var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (whole, isTooLarge) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        if isTooLarge { return seconds < 0 ? .min : .max }
        return whole.saturated(+, attoseconds / 1_000_000_000)
    }
}

extension Int64 {
    fileprivate func saturated(_ operation: (Int128, Int128) -> Int128, _ other: Int64) -> Int64 {
        Int64(clamping: operation(Int128(self), Int128(other)))
    }
}
