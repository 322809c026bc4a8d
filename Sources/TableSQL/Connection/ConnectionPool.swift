import Foundation
import Synchronization
import TableKit

/// Limits of a connection pool.
package struct ConnectionPoolOptions: Sendable {
    /// The most connections at a time.
    package var maximumConnections = 16
    /// How long a caller waits for a connection, in seconds.
    package var acquireTimeout = 30.0
    /// A connection that was idle longer, in seconds, gets a health check before its next use.
    package var healthCheckAfter = 1.0
    /// The time between two logins while the server has no room for another connection, in seconds.
    package var fullServerPause = 0.5

    package init() {}
}

/// Connections that callers share, each used by one caller at a time.
///
/// A caller owns a connection from ``acquire()`` to ``release(_:)``. Callers are served first come, first served.
/// A connection that is no longer usable is closed on release, and a new one is made for the next caller. If the server
/// has no room for another connection, callers wait for those that exist. Without one, the refusal is thrown, unless the
/// last one has ended during the login: then the login is tried again.
package final class ConnectionPool<Connector: SQLConnector>: Sendable {
    package typealias Connection = Connector.Connection

    private typealias Grant = PoolQueue.Grant
    private typealias Resting = PoolQueue.Resting
    private typealias Waiter = PoolQueue.Waiter

    package let connector: Connector
    package let options: ConnectionPoolOptions
    package let threads: WorkerThreads
    let queue: PoolQueue

    package init(_ connector: Connector, _ options: ConnectionPoolOptions = ConnectionPoolOptions()) {
        self.connector = connector
        self.options = options
        queue = PoolQueue(options)
        threads = WorkerThreads(name: "siltstone.sql")
    }

    deinit { close() }

    /// Returns a connection for the caller alone. Blocks; never call it on the cooperative pool.
    /// - Throws: ``SQLConnectionError`` of kind `noConnection`.
    package func acquire() throws -> Connection {
        if let connection = ready() { return connection }
        var turn = Turn(end: .now + .seconds(options.acquireTimeout))
        while true {
            let semaphore = DispatchSemaphore(value: 0)
            let result = Mutex<Grant?>(nil)
            let number = queue.wait(turn.place, closed: closed) { grant in
                result.withLock { $0 = grant }
                semaphore.signal()
            }
            turn.place = turn.place ?? number
            if semaphore.wait(timeout: .now() + turn.left / .seconds(1)) == .timedOut {
                if queue.giveUp(number) { throw exhausted(turn) }
                semaphore.wait()  // The grant is on its way.
            }
            guard let grant = result.withLock({ $0 }) else { throw exhausted(turn) }
            if let connection = try redeem(grant, &turn) { return connection }
        }
    }

    /// Like ``acquire()``, but suspends.
    /// - Throws: also `CancellationError` if the task is cancelled while it waits.
    package func acquire() async throws -> Connection {
        if let connection = ready() { return connection }
        var turn = Turn(end: .now + .seconds(options.acquireTimeout))
        while true {
            guard let grant = await grant(&turn) else { throw CancellationError() }
            // A cancellation also ends the wait for another program's lock while a file is opened.
            let (connection, next) = try await TaskCancellation.run(on: threads) { [turn] in
                var turn = turn
                return (try self.redeem(grant, &turn), turn)
            }
            if let connection { return connection }
            turn = next
        }
    }

    /// Suspends until there is a grant; nil if the task is cancelled before.
    private func grant(_ turn: inout Turn) async -> Grant? {
        let waiting = turn
        let timeout = Mutex<Task<Void, Never>?>(nil)
        let number = Mutex(0)
        let grant: Grant? = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let waiter = queue.wait(waiting.place, closed: closed) { continuation.resume(returning: $0) }
                number.withLock { $0 = waiter }
                let task = Task {
                    // Ended by the task's cancellation, or by a grant, which leaves no waiter.
                    var isCancelled = false
                    do { try await Task.sleep(for: waiting.left) } catch { isCancelled = true }
                    guard self.queue.giveUp(waiter) else { return }
                    continuation.resume(returning: isCancelled ? nil : .refused(self.exhausted(waiting)))
                }
                timeout.withLock { $0 = task }
                if Task.isCancelled { task.cancel() }
            }
        } onCancel: {
            timeout.withLock { $0?.cancel() }
        }
        timeout.withLock { $0?.cancel() }
        turn.place = turn.place ?? number.withLock { $0 }
        return grant
    }

    /// The connection released last, if it needs no health check. Connections are idle only while nobody waits.
    private func ready() -> Connection? {
        queue.takeFresh().map(own)
    }

    /// A connection of the queue, as the type of this pool. The queue has no other connections.
    private func own(_ connection: any SQLConnection) -> Connection {
        unsafe unsafeDowncast(connection, to: Connection.self)
    }

    /// Returns a connection to the pool.
    package func release(_ connection: Connection) {
        queue.release(connection)
    }

    /// Runs `body` with a connection, on one of the pool's threads.
    package func withConnection<R: Sendable>(_ body: @escaping @Sendable (Connection) throws -> R) async throws -> R {
        let connection = try await acquire()
        return try await threads.run {
            defer { self.release(connection) }
            return try body(connection)
        }
    }

    /// Runs `body` with a connection. Blocks.
    package func withConnection<R>(_ body: (Connection) throws -> R) throws -> R {
        let connection = try acquire()
        defer { release(connection) }
        return try body(connection)
    }

    /// The number of callers that wait for a connection.
    package var waitingCallers: Int { queue.state.withLock { $0.waiters.count } }

    /// Whether the pool has closed, for good.
    var isClosed: Bool { queue.state.withLock { $0.isClosed } }

    /// Closes idle connections, and the others on their release. Waiting callers get an error.
    package func close() {
        let (resting, waiters) = queue.state.withLock { state -> ([Resting], [Waiter]) in
            defer {
                state.isClosed = true
                state.count -= state.resting.count
                state.made -= state.resting.count
                state.resting = []
                state.waiters = []
            }
            return (state.resting, state.waiters)
        }
        for one in resting { one.connection.close() }
        for waiter in waiters { waiter.wake(.refused(closed)) }
    }

    /// Turns a grant into a connection, making one if necessary. Blocks.
    /// - Returns: nil if the server has no room for another connection, and the caller can wait for one that exists.
    private func redeem(_ grant: Grant, _ turn: inout Turn) throws -> Connection? {
        switch grant {
        case .refused(let error): throw error
        case .connection(let any, let hasRested):
            let connection = own(any)
            let isAsked = hasRested || connection.needsCheck
            if connection.isUsable, !isAsked || connector.isHealthy(connection) { return connection }
            connection.close()
            queue.noteEnd()
            return try connect(&turn)
        case .slot: return try connect(&turn)
        }
    }

    private func connect(_ turn: inout Turn) throws -> Connection? {
        while true {
            let ended = queue.ended
            do {
                let connection = try connector.connect()
                queue.noteLogin()
                return connection
            } catch let error as SQLConnectionError where Connector.isFull(error) {
                turn.refusal = error
                switch queue.releaseSlot(refusedBy: error, ended: ended) {
                case .fail: throw error
                case .tryAgain: continue
                case .wait:
                    if turn.left <= .zero { throw exhausted(turn) }
                    return nil
                }
            } catch {
                queue.releaseSlot(after: error as? SQLConnectionError)
                throw error
            }
        }
    }

    private func exhausted(_ turn: Turn) -> SQLConnectionError {
        let (refusal, failure) = queue.state.withLock { ($0.refusal, $0.made == 0 ? $0.failure : nil) }
        if let failure {
            return SQLConnectionError(
                .noConnection, code: .unavailable, serverCode: failure.serverCode,
                "No connection to \(connector.place) could be made in \(options.acquireTimeout) s: \(failure.message)")
        }
        guard let refusal = turn.refusal ?? refusal else {
            return SQLConnectionError(
                .noConnection, code: .unavailable,
                "All \(options.maximumConnections) connections to \(connector.place) were in use for"
                    + " \(options.acquireTimeout) s: end transactions sooner, or allow more connections")
        }
        return SQLConnectionError(
            .noConnection, code: .unavailable, serverCode: refusal.serverCode,
            "All connections to \(connector.place) were in use for \(options.acquireTimeout) s, and the server had no room"
                + " for more: \(refusal.message)")
    }

    private var closed: SQLConnectionError {
        SQLConnectionError(.noConnection, code: .unavailable, "The database is closed: \(connector.place)")
    }
}

/// One caller, which may wait several times.
private struct Turn {
    /// Its place in the queue; nil before it has waited.
    var place: Int?
    let end: ContinuousClock.Instant
    /// The last login's error, if the server had no room for it.
    var refusal: SQLConnectionError?

    init(end: ContinuousClock.Instant) { self.end = end }

    var left: Duration { end - .now }
}
