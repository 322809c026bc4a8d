import Synchronization
import TableKit

/// State that the sessions of one engine share.
package final class SQLEngineCore: Sendable {
    package let dialect: any SchemaDialect
    package let threads: WorkerThreads
    /// The idle connections of the engine's pool.
    let idle: PoolQueue
    package let catalogue = CatalogueCache()
    package let watch = TableWatch()
    private let feed: (any CommitFeed)?
    /// Makes a connection outside of the pool.
    let connect: @Sendable () throws -> any SQLConnection
    private let hasClosed = Atomic<Bool>(false)

    init(
        _ dialect: any SchemaDialect, _ threads: WorkerThreads, _ idle: PoolQueue, feed: (any CommitFeed)?,
        connect: @escaping @Sendable () throws -> any SQLConnection
    ) {
        self.dialect = dialect
        self.threads = threads
        self.idle = idle
        self.feed = feed
        self.connect = connect
    }

    /// Invalidates the catalogue after an error that shows it to be out of date.
    func note(_ error: SQLConnectionError) {
        switch error.code {
        case .noTable, .noColumn, .exists: catalogue.forget()
        // It may lack a key or a referring table.
        case .unique, .foreignKey: if dialect.schemaChangesCommit { catalogue.doubt() }
        default: break
        }
    }

    /// Statements before COMMIT that announce the changed tables to other programs.
    func announcement(of tables: Set<String>) -> [SQLStatement] {
        guard let feed, !tables.isEmpty else { return [] }
        return feed.announcement(of: tables)
    }

    /// Makes the feed report commits whose outcome this engine does not know.
    func disownCommits() { feed?.disownCommits() }

    // MARK: Closing

    var isClosed: Bool { hasClosed.load(ordering: .acquiring) }

    /// Ends all open work with an error.
    func close() {
        if hasClosed.exchange(true, ordering: .acquiringAndReleasing) { return }
        watch.end { ClosedEngine.error }
        feed?.end()
    }

    /// - Throws: ``TableErrorCode/unavailable`` after ``close()``.
    func checkOpen() throws { if isClosed { throw ClosedEngine.error } }
}
