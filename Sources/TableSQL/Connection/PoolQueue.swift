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
        /// The time from which on it needs a health check.
        var freshUntil: Moment
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

    /// How long a connection may be idle without a health check.
    private let rest: Moment.Span

    init(restsFor rest: Duration) { self.rest = Moment.Span(rest) }

    /// Whether a connection was idle long enough to need a health check.
    func hasRested(_ resting: Resting) -> Bool { resting.freshUntil < .now }

    /// Takes the connection released last, if it needs no health check.
    func takeFresh() -> (any SQLConnection)? {
        state.withLock { state in
            guard let last = state.resting.popLast() else { return nil }
            if last.connection.isUsable, !hasRested(last), !last.connection.needsCheck { return last.connection }
            state.resting.append(last)
            return nil
        }
    }

    /// Gives a connection to the first caller that waits, or keeps it. Closes one that has ended, and all once the pool
    /// has closed.
    func release(_ connection: any SQLConnection) {
        guard connection.isUsable else {
            connection.close()
            return releaseSlot()
        }
        let (waiter, isClosed) = state.withLock { state -> (Waiter?, Bool) in
            if state.isClosed {
                state.count -= 1
                return (nil, true)
            }
            if state.waiters.isEmpty {
                state.resting.append(Resting(connection: connection, freshUntil: Moment.now + rest))
                return (nil, false)
            }
            return (state.waiters.removeFirst(), false)
        }
        if isClosed { connection.close() }
        waiter?.wake(.connection(connection, hasRested: false))
    }

    /// Frees the slot of a closed connection: the next caller may make a new one.
    func releaseSlot() {
        let waiter = state.withLock { state -> Waiter? in
            if !state.waiters.isEmpty { return state.waiters.removeFirst() }
            state.count -= 1
            return nil
        }
        waiter?.wake(.slot)
    }
}
