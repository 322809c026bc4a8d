import Dispatch
import Synchronization

/// The newest commits, in memory, for all who follow the changes of a store.
///
/// Writers add a record for each commit while somebody listens. The feed keeps as many records as fit into its capacity,
/// and drops the oldest beyond; a subscriber that has not read them by then has missed them. So nobody holds up a
/// writer, and memory is bounded.
///
/// Records are numbered: a subscriber's position is the number of the record that it reads next.
final class ChangeFeed: Sendable {
    /// The answer to a subscriber.
    enum Reading {
        /// Records, and the position behind them.
        case records([CommitRecord], next: Int)
        /// The records at the position were dropped. The feed goes on at `next`; its first change has the number `first`.
        case dropped(next: Int, first: SequenceNumber)
        /// There is nothing new.
        case upToDate
        /// The store was closed, and all was read.
        case closed
    }

    private struct State {
        /// The records from ``firstIndex`` on, behind `head` places that are nil.
        var records: [CommitRecord?] = []
        var head = 0
        /// The number of the first record.
        var firstIndex = 0
        var bytes = 0
        var subscribers = 0
        var waiters: [Int: @Sendable () -> Void] = [:]
        var lastWaiter = 0
        /// Names that were given out and are not forgotten yet.
        var names: Set<Int> = []
        /// Waiters that were cancelled before they began to wait.
        var cancelled: Set<Int> = []
        var isWaking = false
        var isClosed = false

        var endIndex: Int { firstIndex + records.count - head }

        mutating func dropFirst() {
            bytes -= records[head]?.byteCount ?? 0
            records[head] = nil
            head += 1
            firstIndex += 1
            if head > 64, head * 2 > records.count {
                records.removeFirst(head)
                head = 0
            }
        }
    }

    /// Bytes that the records may take.
    let capacity: Int
    private let state = Locked(State(), rank: .leaf)
    private let listening = Atomic<Bool>(false)
    /// Wakes those that wait: a writer would pay for it.
    private let queue = DispatchQueue(label: "siltstone.changes", qos: .userInitiated)

    init(capacity: Int) { self.capacity = capacity }

    /// Whether anybody listens. All that a write costs where nobody does.
    @inline(__always)
    var isListening: Bool { listening.load(ordering: .relaxed) }

    // MARK: Writers

    /// Adds a commit. Under the write lock, so that records are in commit order.
    func publish(first: SequenceNumber, last: SequenceNumber, _ payload: Bytes) {
        publish(first: first, last: last, bytes: payload.count) { [UInt8](payload) }
    }

    /// Adds a commit of one change.
    func publish(_ change: Record) {
        let size = ChangeEncoding.size(key: change.key.count, value: change.value.count)
        publish(first: change.sequence, last: change.sequence, bytes: size) {
            var bytes = [UInt8](repeating: 0, count: size)
            bytes.withMutableBytes {
                ChangeEncoding.write(change.kind, key: change.key, value: change.value, to: $0)
            }
            return bytes
        }
    }

    private func publish(first: SequenceNumber, last: SequenceNumber, bytes: Int, _ payload: () -> [UInt8]) {
        let record = CommitRecord(first: first, last: last, payload: bytes <= capacity ? payload() : nil)
        let wakes = state.withLock { state in
            guard state.subscribers > 0 else { return false }
            state.records.append(record)
            state.bytes += record.byteCount
            while state.bytes > capacity, state.endIndex - state.firstIndex > 1 { state.dropFirst() }
            if state.waiters.isEmpty || state.isWaking { return false }
            state.isWaking = true
            return true
        }
        if wakes { queue.async { self.wake() } }
    }

    private func wake() {
        let waiters = state.withLock { state in
            defer { state.waiters = [:] }
            state.isWaking = false
            return state.waiters.values
        }
        for waiter in waiters { waiter() }
    }

    /// Ends all subscriptions once they have read what is there.
    func close() {
        state.withLock { $0.isClosed = true }
        wake()
    }

    // MARK: Subscribers

    /// Begins to listen. Under the write lock, so that the position is exactly behind the last commit.
    /// - Returns: the position of the next record.
    func subscribe() -> Int {
        state.withLock { state in
            state.subscribers += 1
            listening.store(true, ordering: .relaxed)
            return state.endIndex
        }
    }

    /// Ends what ``subscribe()`` has begun. With the last subscriber all records go.
    func unsubscribe() {
        state.withLock { state in
            state.subscribers -= 1
            guard state.subscribers == 0 else { return }
            listening.store(false, ordering: .relaxed)
            while state.firstIndex < state.endIndex { state.dropFirst() }
        }
    }

    /// The records from a position on, a mebibyte or so at a time.
    func read(at index: Int) -> Reading {
        state.withLock { state in
            if index < state.firstIndex {
                // A record is dropped only behind a newer one.
                return .dropped(next: state.firstIndex, first: state.records[state.head]?.first ?? 0)
            }
            guard index < state.endIndex else { return state.isClosed ? .closed : .upToDate }
            var (records, bytes, next) = ([CommitRecord](), 0, index)
            while next < state.endIndex, bytes < 1 << 20, records.count < 1024 {
                guard let record = state.records[state.head + next - state.firstIndex] else { break }
                records.append(record)
                bytes += record.byteCount
                next += 1
            }
            return .records(records, next: next)
        }
    }

    /// A name for one wait.
    func makeWaiter() -> Int {
        state.withLock { state in
            state.lastWaiter += 1
            state.names.insert(state.lastWaiter)
            return state.lastWaiter
        }
    }

    /// Has `body` called once when there is a record at a position, or the store closes, or the wait is cancelled; at once
    /// where that is so already.
    func wait(_ waiter: Int, at index: Int, _ body: @escaping @Sendable () -> Void) {
        let isDone = state.withLock { state in
            if state.cancelled.remove(waiter) != nil || state.isClosed || index < state.endIndex { return true }
            state.waiters[waiter] = body
            return false
        }
        if isDone { body() }
    }

    /// Ends a wait, also one that has not begun yet.
    func cancel(_ waiter: Int) {
        let body = state.withLock { state in
            let body = state.waiters.removeValue(forKey: waiter)
            // Nobody would take a wait that is over out of the set again.
            if body == nil, state.names.contains(waiter) { state.cancelled.insert(waiter) }
            return body
        }
        body?()
    }

    /// Forgets a wait that is over.
    func forget(_ waiter: Int) {
        state.withLock { state in
            state.names.remove(waiter)
            state.cancelled.remove(waiter)
            state.waiters[waiter] = nil
        }
    }

    /// Waits that the feed remembers.
    var rememberedWaits: Int { state.withLock { $0.names.union($0.cancelled).union($0.waiters.keys).count } }
}
