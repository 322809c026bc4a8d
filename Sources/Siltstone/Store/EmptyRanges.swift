import Synchronization

/// The ranges of keys that walks have found empty, so that the next ones begin behind them.
///
/// In a store whose first entries are deleted again and again, as in a queue, each walk from its beginning would pass all that was
/// deleted and that no compaction has dropped yet: log-structured engines slow down there, each time a little more. Here
/// what a walk has passed is left out by those that come after it.
///
/// Only walks forward leave word, and profit. What is put in the middle of a range cuts it: what lies behind has to be found
/// out again.
///
/// Writers look at each key that they put, and walks at where they begin, as long as there is a range; one load where there is
/// none. Whether to look, writers are told under the write lock; all else is under a lock of its own, which is taken after
/// that one.
final class EmptyRanges: Sendable {
    /// Deleted records that a walk passes before it has the keys watched: for fewer it is not worth a writer's time.
    static let fewestToWatch = 64
    /// Deleted records that a walk passes before it lets a range grow.
    static let fewestToGrow = 8
    /// Ranges at a time: queues of one store that are looked after.
    private static let greatestCount = 8
    private static let longestKey = 1024
    /// Keys that are put without any use of a range before they all are given up.
    private static let patience = 100_000
    /// Walks without any use of a range before they all are given up.
    private static let patienceOfWalks = 10_000

    private struct State: Sendable {
        var ranges: [EmptyRange] = []
        /// The last change that was noted.
        var lastPut: SequenceNumber = 0
        /// Counts the uses.
        var clock: UInt64 = 0
        var putsSinceUse = 0
        var walksSinceUse = 0

        /// The range which contains a key; its use is noted.
        mutating func range(containing key: Bytes) -> Int? {
            guard let index = ranges.firstIndex(where: { $0.contains(key) }) else { return nil }
            noteUse(of: index)
            return index
        }

        mutating func noteUse(of index: Int) {
            clock += 1
            ranges[index].lastUse = clock
            (putsSinceUse, walksSinceUse) = (0, 0)
        }
    }

    private let state = Locked(State())
    private let watching = Atomic<Bool>(false)
    private let known = Atomic<Bool>(false)

    /// Whether writers are to look at the keys that they put. Changes under the write lock only.
    @inline(__always)
    var isWatching: Bool { watching.load(ordering: .relaxed) }

    /// Whether walks are to ask.
    @inline(__always)
    var hasRanges: Bool { known.load(ordering: .relaxed) }

    private func giveUp(_ state: inout State) {
        state.ranges = []
        known.store(false, ordering: .relaxed)
    }

    // MARK: Writers

    /// Takes note of a key that is about to be put. Under the write lock, before the change is visible.
    /// - Parameter sequence: the change's number, or the last one of its batch.
    func note(put key: Bytes, _ sequence: SequenceNumber) {
        state.withLock { state in
            for index in state.ranges.indices { state.ranges[index].cut(by: key) }
            state.lastPut = sequence
            state.putsSinceUse += 1
            if state.putsSinceUse > Self.patience { giveUp(&state) }
            if state.ranges.isEmpty { watching.store(false, ordering: .relaxed) }
        }
    }

    // MARK: Walks

    /// Where a walk may begin instead of at `key`; nil where nothing is known.
    /// - Parameter visible: the last change that it sees, which it must have asked for before.
    func end(from key: Bytes, visible: SequenceNumber) -> [UInt8]? {
        state.withLock { state in
            guard let index = state.range(containing: key) else {
                state.walksSinceUse += 1
                if state.walksSinceUse > Self.patienceOfWalks { giveUp(&state) }
                return nil
            }
            return state.ranges[index].sequence <= visible ? state.ranges[index].end : nil
        }
    }

    /// Takes note that a walk has found nothing between two keys, both included.
    /// - Parameter seen: the last change that the walk sees.
    /// - Returns: whether there was a range to add that to.
    func grow(from start: Bytes, through last: Bytes, seen: SequenceNumber) -> Bool {
        state.withLock { state in
            guard last.count < Self.longestKey, let index = state.range(containing: start) else { return false }
            state.ranges[index].grow(through: last, seen: seen, lastPut: state.lastPut)
            return true
        }
    }

    /// Has keys watched from one on, in place of those that were of no use for the longest time where there are too many. Under the
    /// write lock.
    /// - Parameter last: the last change.
    func watch(from key: Bytes, last: SequenceNumber) {
        guard key.count < Self.longestKey else { return }
        state.withLock { state in
            if state.range(containing: key) != nil { return }
            if state.ranges.count == Self.greatestCount {
                let oldest = state.ranges.indices.min { state.ranges[$0].lastUse < state.ranges[$1].lastUse }
                if let oldest { state.ranges.remove(at: oldest) }
            }
            state.lastPut = last
            state.ranges.append(EmptyRange(at: key, since: last))
            state.noteUse(of: state.ranges.count - 1)
            watching.store(true, ordering: .relaxed)
            known.store(true, ordering: .relaxed)
        }
    }
}

extension Engine {
    /// Takes note of what a walk has passed before it came to an entry.
    /// - Parameters:
    ///   - start: where it began.
    ///   - last: the last key that it passed.
    ///   - count: the records that it passed, all deleted.
    ///   - seen: the last change that it sees.
    func learnEmptyRange(from start: Bytes, through last: Bytes, passing count: Int, seen: SequenceNumber) {
        if emptyRanges.hasRanges, emptyRanges.grow(from: start, through: last, seen: seen) { return }
        // No walk waits for a writer: the next one may learn it as well.
        guard count >= EmptyRanges.fewestToWatch, writeLock.tryLock() else { return }
        defer { writeLock.unlock() }
        emptyRanges.watch(from: start, last: state.pointee.lastSequence)
    }

    /// Takes note of the keys that a batch is about to put. Under the write lock.
    func notePuts(of payload: Bytes, last: SequenceNumber) throws(MalformedChange) {
        var changes = ChangeReader(payload, firstSequence: 0)
        while let change = try changes.next() {
            if change.kind.isPut { emptyRanges.note(put: change.key, last) }
        }
    }
}
