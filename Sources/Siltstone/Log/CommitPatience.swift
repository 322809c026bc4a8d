import Synchronization

/// How long threads stay awake while they wait for a sync: no longer than syncs take, not at all where these take long, and
/// seldom where others need the processors.
final class CommitPatience: Sendable {
    /// Syncs that take longer than this, in nanoseconds, are slept through: to be woken is a small part of that.
    static let longestSync: UInt64 = 400_000
    /// Who gives way for longer than this, in nanoseconds, has others to make room for: threads that only wait here are back
    /// sooner.
    static let longestYield: UInt64 = 1_000_000
    /// Waits that are slept through after each that others had to make room for.
    private static let pause = 64

    /// What syncs take, in nanoseconds, by and by; 0 as long as there was none.
    private let usual = Atomic<UInt64>(0)
    /// Waits that are still to be slept through.
    private let pauses = Atomic<Int>(0)

    /// How long to stay awake, in nanoseconds; 0 for not at all.
    var nanoseconds: UInt64 {
        if pauses.load(ordering: .relaxed) > 0 {
            pauses.subtract(1, ordering: .relaxed)
            return 0
        }
        let usual = usual.load(ordering: .relaxed)
        // Who comes right after a sync has begun waits for the rest of it and for the next.
        return usual > Self.longestSync ? 0 : 2 * usual
    }

    /// Notes how long a sync took. By one thread at a time.
    func noteSync(nanoseconds: UInt64) {
        let old = usual.load(ordering: .relaxed)
        // Not by more than double: one that the machine has held up says nothing of the next.
        let new = old == 0 ? nanoseconds : (7 * old + min(nanoseconds, 2 * old)) / 8
        usual.store(new, ordering: .relaxed)
    }

    /// Notes that the processors are needed by others.
    func noteBusy() { pauses.store(Self.pause, ordering: .relaxed) }
}
