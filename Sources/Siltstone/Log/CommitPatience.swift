import Synchronization

/// How long threads stay awake while they wait for a sync: no longer than two syncs take, not at all where these take long,
/// and seldom where others need the processors.
///
/// Threads of real-time priority do not give way to others of less: these wait for them up to that long.
final class CommitPatience: Sendable {
    /// Syncs that take longer than this, in nanoseconds, are slept through: to be woken is a small part of that.
    static let longestSync: UInt64 = 400_000
    /// Who gives way for longer than this, in nanoseconds, has others to make room for, who compute or whom a limit holds
    /// up: threads that only wait here are back sooner.
    static let longestYield: UInt64 = 1_000_000
    /// How long, in nanoseconds, all waits are slept through after one that others had to make room for; each time twice as
    /// long, while that is found again soon.
    static let shortestPause: UInt64 = 50_000_000
    static let longestPause: UInt64 = 6_400_000_000

    /// What syncs take, in nanoseconds, by and by; 0 as long as there was none.
    private let usual = Atomic<UInt64>(0)
    /// The moment until which waits are slept through.
    private let resumption = Atomic<UInt64>(0)
    private let pause = Atomic<UInt64>(CommitPatience.shortestPause)

    /// How long to stay awake, in nanoseconds; 0 for not at all.
    /// - Parameter now: the moment, in nanoseconds.
    func limit(now: UInt64 = Platform.monotonicNanoseconds()) -> UInt64 {
        let usual = usual.load(ordering: .relaxed)
        if usual > Self.longestSync || now < resumption.load(ordering: .relaxed) { return 0 }
        // Who comes right after a sync has begun waits for the rest of it and for the next.
        return 2 * usual
    }

    /// Notes how long a sync took. By one thread at a time.
    func noteSync(nanoseconds: UInt64) {
        let old = usual.load(ordering: .relaxed)
        // By an eighth more at most: one that the machine has held up says nothing of the next.
        let new = old == 0 ? nanoseconds : (7 * old + min(nanoseconds, 2 * old)) / 8
        usual.store(max(1, new), ordering: .relaxed)
    }

    /// Notes that the processors are needed by others. Of threads that note it at once all may count; it does no harm.
    func noteBusy(now: UInt64 = Platform.monotonicNanoseconds()) {
        let last = resumption.load(ordering: .relaxed)
        if now < last { return }
        let before = pause.load(ordering: .relaxed)
        let pause = now - last < before ? min(2 * before, Self.longestPause) : Self.shortestPause
        self.pause.store(pause, ordering: .relaxed)
        resumption.store(now + pause, ordering: .relaxed)
    }
}
