import Synchronization

/// The connections of a pool that rest, and the callers that wait for one.
///
/// No generic type, as the pool is one: its functions then find no layouts at run time, which took a tenth of a look-up.
final class PoolQueue: Sendable {
    /// What a waiting caller gets.
    enum Grant: Sendable {
        /// - Parameter hasRested: whether it may have died meanwhile.
        case connection(any SQLConnection, hasRested: Bool)
        /// The right to make one.
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
        /// Connections that exist or are being made.
        var count = 0
        var waiters: [Waiter] = []
        var nextWaiter = 0
        var isClosed = false
    }

    let state = Mutex(State())
}
