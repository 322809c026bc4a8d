import Dispatch
import Foundation
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
        /// Identifies one wait.
        var number: Int
        /// The number of the caller's first wait: earlier callers have lower places.
        var place: Int
        var wake: @Sendable (Grant) -> Void
    }

    struct State {
        var resting: [Resting] = []
        /// Connections that exist or are being made; at most `maximumConnections`.
        var count = 0
        /// Connections that exist.
        var made = 0
        /// Connections that have ended.
        var ended = 0
        /// Sorted by place. While one waits and `count` allows another connection, a login is under way or a timer runs.
        var waiters: [Waiter] = []
        var nextWaiter = 0
        /// The last login's error if the server had no room for it.
        var refusal: SQLConnectionError?
        /// The error of the last login that failed for another reason; nil after one that succeeded.
        var failure: SQLConnectionError?
        /// Whether a timer for the next login runs.
        var hasTimer = false
        var isClosed = false

        mutating func append(_ waiter: Waiter) {
            // A caller whose login was refused returns to its place.
            let index = waiters.lastIndex { $0.place < waiter.place }.map { $0 + 1 } ?? 0
            waiters.insert(waiter, at: index)
        }
    }

    let state = Mutex(State())

    private let maximum: Int
    /// How long a connection may be idle without a health check.
    private let rest: Moment.Span
    /// The time between two logins at a full server, in seconds.
    private let pause: Double
    private let pauses = DispatchQueue(label: "siltstone.sql.pauses")

    init(_ options: ConnectionPoolOptions) {
        maximum = options.maximumConnections
        rest = Moment.Span(.seconds(options.healthCheckAfter))
        pause = options.fullServerPause
    }

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

    /// Calls `wake` with a connection or the right to make one, now or later.
    /// - Parameter place: that of a caller that waits again; nil for a new caller.
    /// - Returns: the number of this wait.
    func wait(
        _ place: Int?, closed: @autoclosure () -> SQLConnectionError, _ wake: @escaping @Sendable (Grant) -> Void
    ) -> Int {
        let (grant, number) = state.withLock { state -> (Grant?, Int) in
            state.nextWaiter += 1
            let number = state.nextWaiter
            if state.isClosed { return (.refused(closed()), number) }
            if let resting = state.resting.popLast() {
                return (.connection(resting.connection, hasRested: hasRested(resting)), number)
            }
            // Without a connection, or a login for one, there is nothing to wait for.
            let mayConnect = state.waiters.isEmpty && (state.refusal == nil || state.count == 0)
            if state.count < maximum, mayConnect {
                state.count += 1
                return (.slot, number)
            }
            state.append(Waiter(number: number, place: place ?? number, wake: wake))
            return (nil, number)
        }
        if let grant { wake(grant) }
        return number
    }

    /// Ends a wait.
    /// - Returns: false if the caller is no longer queued: a grant is on its way.
    func giveUp(_ number: Int) -> Bool {
        state.withLock { state in
            guard let place = state.waiters.firstIndex(where: { $0.number == number }) else { return false }
            state.waiters.remove(at: place)
            return true
        }
    }

    /// Gives a connection to the first caller that waits, or keeps it. Closes one that has ended, and all once the pool
    /// has closed.
    func release(_ connection: any SQLConnection) {
        guard connection.isUsable else {
            connection.close()
            noteEnd()
            return releaseSlot()
        }
        let (waiter, isClosed) = state.withLock { state -> (Waiter?, Bool) in
            if state.isClosed {
                state.count -= 1
                state.made -= 1
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

    /// Notes that a connection has ended. Its slot is still in use.
    func noteEnd() {
        state.withLock { state in
            state.made -= 1
            state.ended += 1
        }
    }

    /// The number of connections that have ended.
    var ended: Int { state.withLock { $0.ended } }

    /// Notes a login. If callers wait, the server may have room for the first of them, too.
    func noteLogin() {
        let waiter = state.withLock { state in
            state.made += 1
            state.refusal = nil
            state.failure = nil
            return takeWaiter(&state)
        }
        waiter?.wake(.slot)
    }

    /// Frees the slot of a failed login. All for which there are slots may try: if each waited for the login before it,
    /// a server that is gone would cost one caller after the other the whole time of a login.
    func releaseSlot(after failure: SQLConnectionError?) {
        let waiters = state.withLock { state in
            state.refusal = nil
            state.failure = failure
            state.count -= 1
            var waiters: [Waiter] = []
            while let waiter = takeWaiter(&state) { waiters.append(waiter) }
            return waiters
        }
        for waiter in waiters { waiter.wake(.slot) }
    }

    /// Frees the slot of a closed connection: the next caller may make a new one.
    func releaseSlot() {
        let waiter = state.withLock { state -> Waiter? in
            state.refusal = nil
            if !state.waiters.isEmpty { return state.waiters.removeFirst() }
            state.count -= 1
            return nil
        }
        waiter?.wake(.slot)
    }

    /// What follows a login for which the server had no room.
    enum Refused {
        /// There is a connection to wait for, or one that is being made. The slot is free.
        case wait
        /// The last connection has ended since the login began: the server may have room by now. The slot is still in use.
        case tryAgain
        /// The server has no room though there is no connection. The slot is free.
        case fail
    }

    /// Frees the slot of a login for which the server had no room. The next login waits for a moment: at a full server
    /// each caller in the queue would be refused in turn.
    /// - Parameter before: ``ended`` when the login began.
    func releaseSlot(refusedBy refusal: SQLConnectionError, ended before: Int) -> Refused {
        let (startsTimer, next) = state.withLock { state -> (Bool, Refused) in
            if state.count == 1, state.ended != before { return (false, .tryAgain) }
            state.count -= 1
            state.refusal = refusal
            state.failure = nil
            defer { state.hasTimer = true }
            return (!state.hasTimer, state.count > 0 ? .wait : .fail)
        }
        if startsTimer {
            // Sleeps on a serial queue: Dispatch ends the process if its timers find no free descriptor, and its global
            // queues stand still while 64 threads of theirs block.
            let pause = pause
            pauses.async { [weak self] in
                Thread.sleep(forTimeInterval: pause)
                self?.connectAgain()
            }
        }
        return next
    }

    /// Lets the first caller that waits try the server again, or else the next one that comes.
    private func connectAgain() {
        let waiter = state.withLock { state in
            state.hasTimer = false
            let waiter = takeWaiter(&state)
            if waiter == nil { state.refusal = nil }
            return waiter
        }
        waiter?.wake(.slot)
    }

    /// Removes the first caller that waits, with a slot for it; nil if there is none.
    private func takeWaiter(_ state: inout State) -> Waiter? {
        guard state.count < maximum, !state.waiters.isEmpty else { return nil }
        state.count += 1
        return state.waiters.removeFirst()
    }
}
