/// How an engine hears of commits, beside those that it makes itself.
package enum EngineObservation: Sendable {
    /// It does not: commits of other programs are not told.
    case ownCommits
    /// The statements of an observed read run again at intervals, and a change of their results is told. Where a `version` is
    /// given, they run only after it has changed: a number that every commit to the database changes.
    case polled(every: Duration, version: (@Sendable () throws -> Int64)? = nil)
    /// Those who commit announce it.
    case announced(any CommitFeed)
}

/// Announces commits to other programs, and hears of theirs.
package protocol CommitFeed: Sendable {
    /// Hears of all commits from now on, and tells a watch of them; returns when none can be missed that is made later.
    /// Where it hears already: does nothing. Blocks.
    ///
    /// A feed that loses its connection makes it anew, and tells the watch that any table may have changed. It may stop when
    /// nobody has observed the watch for a while.
    /// - Throws: ``SQLConnectionError``.
    func listen(for watch: TableWatch) throws

    /// What a transaction that changed tables runs before its COMMIT.
    func announcement(of tables: Set<String>) -> [SQLStatement]

    /// Hears of nothing more.
    func end()
}
