import Synchronization
package import TableKit

extension SQLEngine {
    package func observe<R>(_ body: (any TableSession) throws -> R) throws -> (R, any TableObservation) {
        try core.checkOpen()
        do {
            switch observation {
            case .ownCommits: return try observeOwn(body, since: core.watch.mark())
            case .announced(let feed):
                // Keeps the feed running during the read.
                core.watch.addObservation()
                defer { core.watch.removeObservation() }
                let before = core.watch.mark()
                try feed.listen(for: core.watch)
                // Before the question: a later change of the answer wakes the observer.
                let mark = core.watch.mark()
                if feed.hearsAllCommits { return try observeOwn(body, since: mark) }
                // The feed may have begun again or given up since it was asked to listen, and has told the watch so.
                return try poll(body, feed.pollingInterval, nil, since: before)
            case .polled(let interval, let version):
                return try poll(body, interval, version, since: core.watch.mark())
            }
        } catch let error as SQLConnectionError { throw tableError(error) }
    }

    /// Runs `body` on one snapshot and observes the tables that it reads.
    /// - Parameter mark: taken before the snapshot.
    private func observeOwn<R>(
        _ body: (any TableSession) throws -> R, since mark: TableWatch.Mark
    ) throws -> (R, any TableObservation) {
        let session = try session(.read)
        defer { session.rollback() }
        let result = try body(session)
        return (result, TableWatchObservation(core.watch, session.readTables, since: mark))
    }

    /// Runs `body` on one snapshot, and repeats its statements at intervals to detect another result.
    /// - Parameter mark: taken before the snapshot.
    private func poll<R>(
        _ body: (any TableSession) throws -> R, _ interval: Duration, _ version: (@Sendable () throws -> Int64)?,
        since mark: TableWatch.Mark
    ) throws -> (R, any TableObservation) {
        // Taken before the read: a commit between the two triggers a check.
        let last = SharedVersion(try version?())
        let connection = try takeConnection()
        let recorder = RecordingConnection(connection)
        let session = SQLSession(core, .read, recorder) { [self] _ in pool.release(connection) }
        defer { session.rollback() }
        let result = try body(session)
        let recorded = recorder.recorded
        let own = TableWatchObservation(core.watch, session.readTables, since: mark)
        let observation = PolledObservation(own: own, interval: interval) { [self] in
            try await perform {
                do {
                    let now = try version?()
                    if let now, last.value.withLock({ $0 == now }) { return false }
                    let session = try self.session(.read)
                    defer { session.rollback() }
                    if try session.use({ try !recorded.isSame(on: $0) }) { return true }
                    last.value.withLock { $0 = now }
                    return false
                } catch let error as SQLConnectionError { throw self.tableError(error) }
            }
        }
        return (result, observation)
    }
}

/// The database version of an observation's last check.
private final class SharedVersion: Sendable {
    let value: Mutex<Int64?>

    init(_ value: Int64?) { self.value = Mutex(value) }
}
