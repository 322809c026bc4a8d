import Synchronization

/// The idle connections of a pool, and the callers that wait for one.
///
/// Not generic, unlike the pool: a generic state needs its layout at run time, which took a tenth of a lookup by key.
final class PoolQueue: Sendable {
    /// The outcome of a wait.
    enum Grant: Sendable {
        /// - Parameter hasRested: whether it was idle long enough to need a health check.
        case connection(any SQLConnection, hasRested: Bool)
        /// The right to make a connection.
        case slot
        case refused(SQLConnectionError)
    }

    struct Resting {
        var connection: any SQLConnection
        var since: Moment

        /// Whether it was idle for longer than a limit.
        func hasRested(_ limit: Duration) -> Bool { since + limit < .now }
    }

    struct Waiter {
        var number: Int
        var wake: @Sendable (Grant) -> Void
    }

    struct State {
        var resting: [Resting] = []
        /// Connections that exist or are being made; at most `maximumConnections`.
        var count = 0
        var waiters: [Waiter] = []
        var nextWaiter = 0
        var isClosed = false
    }

    let state = Mutex(State())

    /// Takes the connection released last, unless it has ended or was idle for longer than a limit.
    func takeFresh(limit: Duration) -> Resting? {
        state.withLock { state in
            guard let last = state.resting.popLast() else { return nil }
            if last.connection.isUsable, !last.hasRested(limit) { return last }
            state.resting.append(last)
            return nil
        }
    }

    /// Puts back a connection that was not used.
    func putBack(_ resting: Resting) { release(resting.connection, since: resting.since) }

    /// Gives a usable connection to the first caller that waits, or keeps it. Closes it if the pool has closed.
    func release(_ connection: any SQLConnection) { release(connection, since: .now) }

    private func release(_ connection: any SQLConnection, since: Moment) {
        let (waiter, isClosed) = state.withLock { state -> (Waiter?, Bool) in
            if state.isClosed {
                state.count -= 1
                return (nil, true)
            }
            if state.waiters.isEmpty {
                state.resting.append(Resting(connection: connection, since: since))
                return (nil, false)
            }
            return (state.waiters.removeFirst(), false)
        }
        if isClosed { connection.close() }
        // A connection that needs a check gets it from the caller.
        waiter?.wake(.connection(connection, hasRested: false))
    }
}
