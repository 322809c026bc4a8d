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

    package init() {}
}

/// Connections that callers share, each used by one caller at a time.
///
/// A caller owns a connection from ``acquire()`` to ``release(_:)``. Callers are served first come, first served.
/// A connection that is no longer usable is closed on release, and a new one is made for the next caller.
package final class ConnectionPool<Connector: SQLConnector>: Sendable {
    package typealias Connection = Connector.Connection

    private typealias Grant = PoolQueue.Grant
    private typealias Resting = PoolQueue.Resting
    private typealias Waiter = PoolQueue.Waiter
    private typealias State = PoolQueue.State

    package let connector: Connector
    package let options: ConnectionPoolOptions
    package let threads: WorkerThreads
    let queue: PoolQueue

    package init(_ connector: Connector, _ options: ConnectionPoolOptions = ConnectionPoolOptions()) {
        self.connector = connector
        self.options = options
        queue = PoolQueue(restsFor: .seconds(options.healthCheckAfter))
        threads = WorkerThreads(name: "siltstone.sql")
    }

    deinit { close() }

    /// Returns a connection for the caller alone. Blocks; never call it on the cooperative pool.
    /// - Throws: ``SQLConnectionError`` of kind `noConnection`.
    package func acquire() throws -> Connection {
        if let connection = ready() { return connection }
        let semaphore = DispatchSemaphore(value: 0)
        let result = Mutex<Grant?>(nil)
        let waiter = wait { grant in
            result.withLock { $0 = grant }
            semaphore.signal()
        }
        if semaphore.wait(timeout: .now() + options.acquireTimeout) == .timedOut, giveUp(waiter) { throw exhausted }
        // A grant that arrived just before the time-out is used.
        guard let grant = result.withLock({ $0 }) else { throw exhausted }
        return try redeem(grant)
    }

    /// Like ``acquire()``, but suspends.
    /// - Throws: also `CancellationError` if the task is cancelled while it waits.
    package func acquire() async throws -> Connection {
        if let connection = ready() { return connection }
        let timeout = Mutex<Task<Void, Never>?>(nil)
        let grant: Grant? = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let waiter = wait { continuation.resume(returning: $0) }
                let task = Task { [options] in
                    var outcome: Grant? = .refused(exhausted)
                    // Ended by the task's cancellation, or by a grant, which leaves no waiter.
                    do { try await Task.sleep(for: .seconds(options.acquireTimeout)) } catch { outcome = nil }
                    if self.giveUp(waiter) { continuation.resume(returning: outcome) }
                }
                timeout.withLock { $0 = task }
                if Task.isCancelled { task.cancel() }
            }
        } onCancel: {
            timeout.withLock { $0?.cancel() }
        }
        timeout.withLock { $0?.cancel() }
        guard let grant else { throw CancellationError() }
        return try await threads.run { try self.redeem(grant) }
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
                state.resting = []
                state.waiters = []
            }
            return (state.resting, state.waiters)
        }
        for one in resting { one.connection.close() }
        for waiter in waiters { waiter.wake(.refused(closed)) }
    }

    /// Calls `wake` with a connection or the right to make one, now or later.
    /// - Returns: the number of the waiting caller; 0 if `wake` was called at once.
    private func wait(_ wake: @escaping @Sendable (Grant) -> Void) -> Int {
        let (grant, number) = queue.state.withLock { state -> (Grant?, Int) in
            if state.isClosed { return (.refused(closed), 0) }
            if let resting = state.resting.popLast() { return (checked(resting), 0) }
            if state.count < options.maximumConnections {
                state.count += 1
                return (.slot, 0)
            }
            state.nextWaiter += 1
            state.waiters.append(Waiter(number: state.nextWaiter, wake: wake))
            return (nil, state.nextWaiter)
        }
        if let grant { wake(grant) }
        return number
    }

    /// Removes a caller from the queue.
    /// - Returns: false if the caller is no longer queued: a grant is on its way.
    private func giveUp(_ number: Int) -> Bool {
        queue.state.withLock { state in
            guard let place = state.waiters.firstIndex(where: { $0.number == number }) else { return false }
            state.waiters.remove(at: place)
            return true
        }
    }

    private func checked(_ resting: Resting) -> Grant {
        .connection(resting.connection, hasRested: queue.hasRested(resting))
    }

    /// Turns a grant into a connection, making one if necessary. Blocks.
    private func redeem(_ grant: Grant) throws -> Connection {
        switch grant {
        case .refused(let error): throw error
        case .connection(let any, let hasRested):
            let connection = own(any)
            let isAsked = hasRested || connection.needsCheck
            if connection.isUsable, !isAsked || connector.isHealthy(connection) { return connection }
            connection.close()
            return try connect()
        case .slot: return try connect()
        }
    }

    private func connect() throws -> Connection {
        do { return try connector.connect() } catch {
            queue.releaseSlot()
            throw error
        }
    }

    private var exhausted: SQLConnectionError {
        SQLConnectionError(
            .noConnection, code: .unavailable,
            "All \(options.maximumConnections) connections to \(connector.place) were in use for"
                + " \(options.acquireTimeout) s: end transactions sooner, or allow more connections")
    }

    private var closed: SQLConnectionError {
        SQLConnectionError(.noConnection, code: .unavailable, "The database is closed: \(connector.place)")
    }
}
