import Dispatch
import Synchronization
public import TableKit

/// An in-memory table engine without indexes, caches or plans: slow and obviously correct. It is the oracle for tests
/// of engines, and a database for tests of programs.
///
/// Rows are arrays of values. A transaction is a copy of the database. Every commit wakes all observers, and conflicts
/// with every concurrent transaction that changes something.
public final class ReferenceEngine: TableEngine {
    private struct Shared {
        var state = ReferenceState()
        var version = 0
        var isTurnTaken = false
        /// Called in order when the turn is free.
        var waiting: [@Sendable () -> Void] = []
        var observers: [Int: @Sendable () -> Void] = [:]
    }

    private let shared = Mutex(Shared())

    /// Creates an empty database.
    public init() {}

    /// A session on the latest state.
    public func beginRead() throws -> any TableSession { session(.read) }

    private func session(_ mode: ReferenceSession.Mode) -> ReferenceSession {
        let (state, version) = shared.withLock { ($0.state, $0.version) }
        return ReferenceSession(self, mode: mode, state: state, version: version)
    }

    /// A transaction on the latest state.
    public func begin(_ mode: TransactionMode) throws -> any TableSession {
        guard mode == .serial else { return session(.concurrent) }
        takeTurn()
        return session(.serial)
    }

    /// A transaction on the latest state.
    public func begin(_ mode: TransactionMode) async throws -> any TableSession {
        guard mode == .serial else { return session(.concurrent) }
        await takeTurn()
        return session(.serial)
    }

    /// Runs work on a thread that may block for the turn.
    public func perform<R: Sendable>(_ work: @escaping @Sendable () throws -> R) async throws -> R {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(with: Result { try work() }) }
        }
    }

    /// False: a transaction is a copy in memory.
    public var waitsInTransactions: Bool { false }

    /// Checks all constraints.
    public func verify(progress: ((Double) -> Void)?) throws -> [String] {
        let problems = shared.withLock { $0.state }.problems()
        progress?(1)
        return problems
    }

    /// Runs `body` on the latest state, and observes the next commit.
    public func observe<R>(_ body: (any TableSession) throws -> R) throws -> (R, any TableObservation) {
        let session = session(.read)
        let observation = ReferenceObservation(self, version: session.version)
        return (try body(session), observation)
    }
}

/// The turn: the lock of serial transactions and of commits.
extension ReferenceEngine {
    /// Takes the turn and calls `wake`, at once or when the turn is free.
    private func takeTurn(orWait wake: @escaping @Sendable () -> Void) {
        let isTaken = shared.withLock { shared in
            if shared.isTurnTaken { shared.waiting.append(wake) }
            defer { shared.isTurnTaken = true }
            return shared.isTurnTaken
        }
        if !isTaken { wake() }
    }

    func takeTurn() {
        let turn = DispatchSemaphore(value: 0)
        takeTurn { turn.signal() }
        turn.wait()
    }

    func takeTurn() async {
        await withCheckedContinuation { continuation in takeTurn { continuation.resume() } }
    }

    /// Publishes a state and passes the turn on.
    /// - Returns: false if the version is outdated; then nothing is published.
    func endTurn(publishing state: ReferenceState?, ifVersion version: Int) -> Bool {
        let (isCurrent, wakes) = shared.withLock { shared -> (Bool, [@Sendable () -> Void]) in
            var wakes: [@Sendable () -> Void] = []
            let isCurrent = state == nil || shared.version == version
            if let state, isCurrent {
                shared.state = state
                shared.version += 1
                wakes += shared.observers.values
                shared.observers = [:]
            }
            if shared.waiting.isEmpty {
                shared.isTurnTaken = false
            } else {
                wakes.append(shared.waiting.removeFirst())
            }
            return (isCurrent, wakes)
        }
        for wake in wakes { wake() }
        return isCurrent
    }
}

/// Observers.
extension ReferenceEngine {
    /// Calls `wake` after the first commit since a version; at once if there was one.
    func observe(_ id: Int, since version: Int, wake: @escaping @Sendable () -> Void) {
        let isChanged = shared.withLock { shared in
            if shared.version == version { shared.observers[id] = wake }
            return shared.version != version
        }
        if isChanged { wake() }
    }

    func forgetObserver(_ id: Int) { shared.withLock { _ = $0.observers.removeValue(forKey: id) } }
}
