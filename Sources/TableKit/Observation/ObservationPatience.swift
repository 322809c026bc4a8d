/// The retries of an observation that cannot reach its database, or whose read conflicts with another program.
struct ObservationPatience {
    private static let first: Duration = .milliseconds(50)
    private static let longest: Duration = .seconds(1)
    /// How long an observation retries after conflicts, at least: the database is there, and others get on.
    private static let conflictLimit: Duration = .seconds(30)

    private var beginning: ContinuousClock.Instant?
    private var next = first

    /// Records that the read succeeded.
    mutating func end() { self = ObservationPatience() }

    /// The pause before the next attempt, each twice as long as the one before it, up to a second.
    /// - Parameters:
    ///   - error: the error of the last attempt.
    ///   - limit: how long an observation retries. After a conflict, 30 s or this, whichever is longer.
    /// - Throws: `error` if the limit is over, or if the database would refuse every attempt.
    mutating func pause(
        after error: any TableError, limit: Duration, now: ContinuousClock.Instant
    ) throws -> Duration {
        if let error = error as? CRUDSQLExeError, error.isLasting { throw error }
        let start = beginning ?? now
        beginning = start
        let longest = error.code == .conflict ? max(limit, Self.conflictLimit) : limit
        guard now - start < longest else { throw error }
        defer { next = min(next * 2, Self.longest) }
        return next
    }
}
