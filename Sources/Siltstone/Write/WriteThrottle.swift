import Synchronization

/// Slows writers a little and early, so that they are never stopped for long: the more flushed runs wait for compaction,
/// the longer each byte takes.
///
/// A delay that begins well before the bound and grows with the square keeps the queue short at any speed that
/// compactions can reach; a fixed delay (LevelDB) either does nothing or costs everyone the same.
final class WriteThrottle: Sendable {
    /// Runs in level 0 at which writers are slowed.
    static let slowdownRuns = 12
    /// Runs in level 0 at which the delay is greatest.
    static let boundRuns = 32
    /// Runs in level 0 at which writers wait: more would make reads slow without bound. Only reached where compactions
    /// fail, or a batch is as big as many memtables.
    static let greatestRuns = 64
    /// The greatest delay, in nanoseconds for each KiB: 4 MiB a second.
    private static let greatestDelay: UInt64 = 250_000

    private let delay = Atomic<UInt64>(0)

    /// Takes note of how many runs wait.
    func update(flushedRuns: Int) {
        let over = min(max(0, flushedRuns - Self.slowdownRuns), Self.boundRuns - Self.slowdownRuns)
        let part = UInt64(over * over) * Self.greatestDelay
        delay.store(
            part / UInt64((Self.boundRuns - Self.slowdownRuns) * (Self.boundRuns - Self.slowdownRuns)),
            ordering: .relaxed)
    }

    /// Nanoseconds for each KiB written; 0 nearly always.
    @inline(__always)
    var nanosecondsPerKiB: UInt64 { delay.load(ordering: .relaxed) }
}
