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
        var since: ContinuousClock.Instant
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
}
