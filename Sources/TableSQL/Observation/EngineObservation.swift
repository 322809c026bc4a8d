/// How an engine detects the commits of other programs.
package enum EngineObservation: Sendable {
    /// Not at all: it reports its own commits only.
    case ownCommits
    /// It repeats the statements of an observed read at intervals and reports a change of their results. With a
    /// `version`, a number that every commit to the database changes, it repeats them only after the number has
    /// changed.
    case polled(every: Duration, version: (@Sendable () throws -> Int64)? = nil)
    /// Writers announce their commits. Observers poll while the feed does not hear all of them.
    case announced(any CommitFeed)
}

/// Announces commits to other programs and receives their announcements.
package protocol CommitFeed: Sendable {
    /// Starts to report commits to a watch. Does nothing if already started. Blocks.
    ///
    /// A feed that loses its connection reconnects and tells the watch that any table may have changed. It tells so,
    /// too, when it gives up; then the next call starts it. It may stop when nobody has observed the watch for a while.
    /// - Throws: ``SQLConnectionError``.
    func listen(for watch: TableWatch) throws

    /// Whether all commits are reported. After each change of this value the feed tells the watch that any table may
    /// have changed.
    var hearsAllCommits: Bool { get }

    /// The interval of polling while the feed does not hear all commits.
    var pollingInterval: Duration { get }

    /// Statements before the COMMIT of a transaction that changed tables.
    func announcement(of tables: Set<String>) -> [SQLStatement]

    /// Reports this engine's commits that are under way like those of other programs. Otherwise they are not reported:
    /// the engine itself tells the watch of them. Called if it does not know whether one has taken place.
    func disownCommits()

    /// Stops the feed.
    func end()
}
