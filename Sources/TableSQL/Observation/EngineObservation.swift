/// How an engine detects the commits of other programs.
package enum EngineObservation: Sendable {
    /// Not at all: it reports its own commits only.
    case ownCommits
    /// It repeats the statements of an observed read at intervals and reports a change of their results. With a
    /// `version`, a number that every commit to the database changes, it repeats them only after the number has
    /// changed.
    case polled(every: Duration, version: (@Sendable () throws -> Int64)? = nil)
    /// Writers announce their commits.
    case announced(any CommitFeed)
}

/// Announces commits to other programs and receives their announcements.
package protocol CommitFeed: Sendable {
    /// Starts to report all commits to a watch; no commit made after the return is missed. Does nothing if already
    /// started. Blocks.
    ///
    /// A feed that loses its connection reconnects and tells the watch that any table may have changed. It may stop
    /// when nobody has observed the watch for a while.
    /// - Throws: ``SQLConnectionError``.
    func listen(for watch: TableWatch) throws

    /// Statements before the COMMIT of a transaction that changed tables.
    func announcement(of tables: Set<String>) -> [SQLStatement]

    /// Stops the feed.
    func end()
}
