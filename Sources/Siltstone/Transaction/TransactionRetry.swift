/// Decides whether the body of a transaction runs again after a conflict, and when.
struct TransactionRetry {
    /// The number of attempts that are left, the current one included.
    private var left: Int
    private var conflicts = 0

    /// The number of conflicts after which an attempt waits for the ``RetryTurn``.
    private static let conflictsBeforeTurn = 3
    /// Up to this many conflicts, the body runs again at once. Most first conflicts are with a commit that has already
    /// finished.
    private static let conflictsBeforePause = 1
    /// The first pause and the longest pause, in microseconds.
    private static let (firstPause, longestPause): (UInt32, UInt32) = (50, 10_000)

    /// - Parameter attempts: the largest number of times that the body runs; less than 1 counts as 1.
    init(attempts: Int) { left = max(1, attempts) }

    /// Whether the next attempt takes the turn.
    var needsTurn: Bool { conflicts >= Self.conflictsBeforeTurn }

    /// Counts a failed commit.
    /// - Returns: the microseconds to wait before the next attempt.
    /// - Throws: the error itself, if it is not a conflict or no attempt is left.
    mutating func next(after error: StoreError) throws(StoreError) -> UInt32 {
        left -= 1
        conflicts += 1
        guard error.code == .conflict, left > 0 else { throw error }
        guard conflicts > Self.conflictsBeforePause else { return 0 }
        // The limit of 16 keeps the shift from overflowing.
        let doublings = min(conflicts - Self.conflictsBeforePause - 1, 16)
        let pause = min(Self.firstPause << doublings, Self.longestPause)
        // Random, so that two transactions that conflicted once do not conflict again.
        return UInt32.random(in: pause / 2...pause)
    }
}
