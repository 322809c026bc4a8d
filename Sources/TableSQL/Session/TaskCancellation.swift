import Synchronization

/// The work of a task on another thread: forwards its cancellation to its running statement, and has its connection.
package final class TaskCancellation: Sendable {
    /// The cancellation of the work on this thread.
    @TaskLocal package static var current: TaskCancellation?

    private struct State {
        var connection: (any SQLConnection)?
        var isCancelled = false
    }

    private let state = Mutex(State())
    /// The connection acquired for the work; nil within a transaction.
    let reservation: Reservation?

    private init(_ reservation: Reservation?) { self.reservation = reservation }

    /// Runs work and cancels its running statement if the calling task is cancelled.
    package static func run<R: Sendable>(
        on threads: WorkerThreads, with reservation: Reservation? = nil, _ work: @escaping @Sendable () throws -> R
    ) async throws -> R {
        let cancellation = TaskCancellation(reservation)
        return try await withTaskCancellationHandler {
            try await threads.run { try $current.withValue(cancellation) { try work() } }
        } onCancel: {
            cancellation.cancel()
        }
    }

    /// Runs statements on a connection; a cancellation interrupts them.
    /// - Throws: `CancellationError` instead of the statement's error.
    package func run<R>(_ connection: any SQLConnection, _ body: () throws -> R) throws -> R {
        let isCancelled = state.withLock { state in
            state.connection = connection
            return state.isCancelled
        }
        defer {
            state.withLock { state in
                state.connection = nil
                connection.forgetCancellation()
            }
        }
        if isCancelled { throw CancellationError() }
        do { return try body() } catch let error as SQLConnectionError where error.kind == .cancelled {
            throw CancellationError()
        }
    }

    /// Runs statements on a connection; the cancellation of the work on this thread, if it has one, interrupts them.
    /// - Throws: as ``run(_:_:)``.
    package static func runCurrent<R>(_ connection: any SQLConnection, _ body: () throws -> R) throws -> R {
        guard let current else { return try body() }
        return try current.run(connection, body)
    }

    /// Runs statements that no cancellation interrupts, within ``runCurrent(_:_:)``.
    static func shielding<R>(_ connection: any SQLConnection, _ body: () throws -> R) rethrows -> R {
        guard let current else { return try body() }
        let outer = current.state.withLock { state in
            let outer = state.connection
            state.connection = nil
            connection.forgetCancellation()
            return outer
        }
        defer { current.state.withLock { $0.connection = outer } }
        return try body()
    }

    package var isCancelled: Bool { state.withLock { $0.isCancelled } }

    private func cancel() {
        // Under the lock: the connection may serve another task a moment later.
        state.withLock { state in
            state.isCancelled = true
            state.connection?.cancel()
        }
    }
}
