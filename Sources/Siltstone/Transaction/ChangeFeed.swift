import Dispatch
import Synchronization

/// Holds the newest commits in memory for all subscribers to the changes of a store.
///
/// While there is a subscriber, writers add a record for each commit. The feed keeps as many records as fit into its
/// capacity, and then drops the oldest ones. A subscriber that has not read them by then misses them. So a writer never
/// waits until a subscriber has read, and memory is bounded. Commits of transactions with a large read set subscribe,
/// too (``CommitCheck``).
///
/// Records are numbered. A subscriber's position is the number of the record that it reads next.
final class ChangeFeed: Sendable {
    /// The result of a read.
    enum Reading {
        /// Records, and the position after them.
        case records([CommitRecord], next: Int)
        /// The records at the position were dropped. The feed continues at position `next`, whose first change has the
        /// sequence number `first`.
        case dropped(next: Int, first: SequenceNumber)
        /// There are no new records.
        case upToDate
        /// The store was closed, and the subscriber has read all records.
        case closed
    }

    struct State {
        /// The records from ``firstIndex`` on, after `head` empty slots.
        var records: [CommitRecord?] = []
        var head = 0
        /// The number of the first record.
        var firstIndex = 0
        /// Bytes of all records.
        var bytes = 0
        var subscribers = 0
        /// The closures of the waiting subscribers, by `waiterID`.
        var waiters: [Int: @Sendable () -> Void] = [:]
        /// The `waiterID` that was made last.
        var lastWaiterID = 0
        /// The `waiterID`s that ``ChangeFeed/forget(_:)`` has not removed.
        var waiterIDs: Set<Int> = []
        /// The `waiterID`s whose waits were cancelled before they started.
        var cancelled: Set<Int> = []
        /// Whether a call of `wake` is scheduled.
        var isWaking = false
        var isClosed = false

        /// The number of the next record.
        var endIndex: Int { firstIndex + records.count - head }

        mutating func dropFirst() {
            bytes -= records[head]?.byteCount ?? 0
            records[head] = nil
            head += 1
            firstIndex += 1
            // Removes the empty slots in bulk, so that dropping a record takes amortized constant time.
            if head > 64, head * 2 > records.count {
                records.removeFirst(head)
                head = 0
            }
        }
    }

    /// The largest number of bytes that the records may take.
    let capacity: Int
    let state = Locked(State(), rank: .leaf)
    private let listening = Atomic<Bool>(false)
    /// Wakes waiting subscribers, so that the writer does not spend time on it.
    private let queue = DispatchQueue(label: "siltstone.changes", qos: .userInitiated)

    init(capacity: Int) { self.capacity = capacity }

    /// Whether there is a subscriber. If there is none, this check is the only cost for a write.
    @inline(__always)
    var isListening: Bool { listening.load(ordering: .relaxed) }

    // MARK: Writers

    /// Adds a commit. The caller holds the write lock, so records are in commit order.
    func publish(first: SequenceNumber, last: SequenceNumber, _ payload: Bytes) {
        publish(first: first, last: last, bytes: payload.count) { [UInt8](payload) }
    }

    /// Adds a commit with one change.
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

    /// Adds a commit whose changes subscribers miss.
    func publishMissed(first: SequenceNumber, last: SequenceNumber) {
        publish(CommitRecord(first: first, last: last, payload: nil))
    }

    private func publish(first: SequenceNumber, last: SequenceNumber, bytes: Int, _ payload: () -> [UInt8]) {
        publish(CommitRecord(first: first, last: last, payload: bytes <= capacity ? payload() : nil))
    }

    private func publish(_ record: CommitRecord) {
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

    /// Calls all waiting subscribers.
    private func wake() {
        let waiters = state.withLock { state in
            defer { state.waiters = [:] }
            state.isWaking = false
            return state.waiters.values
        }
        for waiter in waiters { waiter() }
    }

    /// Ends all subscriptions after they have read the remaining records.
    func close() {
        state.withLock { $0.isClosed = true }
        wake()
    }

    // MARK: Subscribers

    /// Starts a subscription. The caller holds the write lock, so that the position is directly after the last commit.
    /// - Returns: the position of the next record.
    func subscribe() -> Int {
        state.withLock { state in
            state.subscribers += 1
            listening.store(true, ordering: .relaxed)
            return state.endIndex
        }
    }

    /// Ends a subscription that ``subscribe()`` started. With the last one, this drops all records.
    func unsubscribe() {
        state.withLock { state in
            state.subscribers -= 1
            guard state.subscribers == 0 else { return }
            listening.store(false, ordering: .relaxed)
            while state.firstIndex < state.endIndex { state.dropFirst() }
        }
    }

    /// Reads the records from a position on. Stops after about one MiB or 1024 records, because writers wait for the
    /// lock meanwhile.
    func read(at index: Int) -> Reading {
        state.withLock { state in
            if index < state.firstIndex {
                // A record is dropped only if there is a newer one, so the array is not empty.
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

    /// Makes a `waiterID`, with which a subscriber waits once or several times in turn. The caller must pass it to
    /// ``forget(_:)`` at the end.
    func makeWaiterID() -> Int {
        state.withLock { state in
            state.lastWaiterID += 1
            state.waiterIDs.insert(state.lastWaiterID)
            return state.lastWaiterID
        }
    }

    /// Calls `body` once when there is a record at a position, the store closes, or the wait is cancelled. Calls it
    /// immediately if one of these is already true.
    func wait(_ waiterID: Int, at index: Int, _ body: @escaping @Sendable () -> Void) {
        let isDone = state.withLock { state in
            if state.cancelled.remove(waiterID) != nil || state.isClosed || index < state.endIndex { return true }
            state.waiters[waiterID] = body
            return false
        }
        if isDone { body() }
    }

    /// Waits as ``wait(_:at:_:)`` does, without blocking a thread. Cancelling the task cancels the wait.
    func wait(_ waiterID: Int, at index: Int) async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                wait(waiterID, at: index) { continuation.resume() }
            }
        } onCancel: {
            cancel(waiterID)
        }
    }

    /// Cancels a wait, even before it starts.
    func cancel(_ waiterID: Int) {
        let body = state.withLock { state in
            let body = state.waiters.removeValue(forKey: waiterID)
            // If the subscriber has ended, its `waiterID` must not be added, because nothing would remove it from the
            // set again.
            if body == nil, state.waiterIDs.contains(waiterID) { state.cancelled.insert(waiterID) }
            return body
        }
        body?()
    }

    /// Removes the `waiterID` of a subscriber that has ended.
    func forget(_ waiterID: Int) {
        state.withLock { state in
            state.waiterIDs.remove(waiterID)
            state.cancelled.remove(waiterID)
            state.waiters[waiterID] = nil
        }
    }
}
