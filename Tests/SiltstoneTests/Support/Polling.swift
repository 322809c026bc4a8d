@testable import Siltstone

/// Pauses between looks at something that nothing announces.
///
/// They grow: tasks of a test may wait for minutes until the pool has a thread for them, and whoever looked every
/// tenth of a millisecond meanwhile would take that time from the others.
struct Polling {
    private static let longest: UInt32 = 5_000

    private var microseconds: UInt32 = 50

    /// Stops the calling thread for a while.
    mutating func pause() {
        Platform.sleep(microseconds: microseconds)
        microseconds = min(2 * microseconds, Self.longest)
    }

    /// Returns once `condition` holds.
    static func wait(until condition: () throws -> Bool) rethrows {
        var polling = Polling()
        while try !condition() { polling.pause() }
    }
}
