/// Decides whether the body of a transaction runs again after a conflict, and when.
struct TransactionRetry {
    private var left: Int
    private var conflicts = 0

    /// Conflicts after which an attempt waits for the ``RetryTurn``.
    private static let conflictsBeforeTurn = 3
    /// Conflicts after which the body runs again at once: most meet a commit that is over by then.
    private static let conflictsBeforePause = 1
    /// Microseconds of the first pause, and of the longest.
    private static let (firstPause, longestPause): (UInt32, UInt32) = (50, 10_000)

    /// - Parameter attempts: how often the body runs at most; at least once.
    init(attempts: Int) { left = max(1, attempts) }

    /// Whether the next attempt takes the turn.
    var needsTurn: Bool { conflicts >= Self.conflictsBeforeTurn }

    /// Takes note of a failed commit.
    /// - Returns: microseconds to wait before the next attempt.
    /// - Throws: the error itself, if it is no conflict or no attempt is left.
    mutating func next(after error: StoreError) throws(StoreError) -> UInt32 {
        left -= 1
        conflicts += 1
        guard error.code == .conflict, left > 0 else { throw error }
        guard conflicts > Self.conflictsBeforePause else { return 0 }
        let doublings = min(conflicts - Self.conflictsBeforePause - 1, 16)
        let pause = min(Self.firstPause << doublings, Self.longestPause)
        // Random, so that two transactions that met once do not meet again.
        return UInt32.random(in: pause / 2...pause)
    }
}
