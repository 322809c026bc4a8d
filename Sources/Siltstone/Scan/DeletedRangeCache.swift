import Synchronization

/// The ranges of keys that walks have found empty, so that the next ones begin behind them.
///
/// In a store whose first entries are deleted again and again, as in a queue, each walk from its beginning would pass all that was
/// deleted and that no compaction has dropped yet: log-structured engines slow down there, each time a little more. Here
/// what a walk has passed is left out by those that come after it.
///
/// Only walks forward leave word, and profit. What is put in the middle of a range cuts it in two, which a walk joins again that
/// finds that key deleted.
///
/// Writers look at each key that they put, and walks at where they begin, as long as there is a range; one load where there is
/// none. Whether to look, writers are told under the write lock; all else is under a lock of its own, which is taken after
/// that one.
final class DeletedRangeCache: Sendable {
    /// Deleted records that a walk passes before it has the keys watched: for fewer it is not worth a writer's time.
    static let fewestToWatch = 64
    /// Deleted records that a walk passes before it lets a range grow.
    static let fewestToGrow = 8
    /// Ranges at a time: queues of one store that are looked after, and pieces that they were cut into.
    static let greatestCount = 16
    private static let longestKey = 1024
    /// Keys that are put without any use of a range before they all are given up.
    private static let patience = 100_000
    /// Walks without any use of a range before they all are given up.
    private static let patienceOfWalks = 10_000

    private struct State: Sendable {
        var ranges: [DeletedRange] = []
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

        /// Joins a range that has grown with those that it has come to.
        mutating func join(_ index: Int) {
            var grown = ranges.remove(at: index)
            while let next = ranges.indices.first(where: { grown.join(ranges[$0]) }) { ranges.remove(at: next) }
            ranges.append(grown)
        }

        mutating func noteUse(of index: Int) {
            clock += 1
            ranges[index].lastUse = clock
            (putsSinceUse, walksSinceUse) = (0, 0)
        }
    }

    private let state = Locked(State(), rank: .leaf)
    private let watching = Atomic<Bool>(false)
    /// How many ranges there are.
    private let count = Atomic<Int>(0)

    /// Whether writers are to look at the keys that they put. Changes under the write lock only.
    @inline(__always)
    var isWatching: Bool { watching.load(ordering: .relaxed) }

    /// Whether walks are to ask.
    @inline(__always)
    var hasRanges: Bool { count.load(ordering: .relaxed) > 0 }

    /// Whether a walk may come from one range to another.
    var hasSeveral: Bool { count.load(ordering: .relaxed) > 1 }

    private func withState<R>(_ body: (inout State) -> R) -> R {
        state.withLock { state in
            defer { count.store(state.ranges.count, ordering: .relaxed) }
            return body(&state)
        }
    }

    // MARK: Writers

    /// Takes note of a key that is about to be put. Under the write lock, before the change is visible.
    /// - Parameter sequence: the change's number, or the last one of its batch.
    func note(put key: Bytes, _ sequence: SequenceNumber) {
        withState { state in
            for index in state.ranges.indices {
                let behind = state.ranges[index].cut(by: key, sequence)
                if let behind, state.ranges.count < Self.greatestCount { state.ranges.append(behind) }
            }
            state.lastPut = sequence
            state.putsSinceUse += 1
            if state.putsSinceUse > Self.patience { state.ranges = [] }
            if state.ranges.isEmpty { watching.store(false, ordering: .relaxed) }
        }
    }

    /// Notes the keys that a batch is about to put. Under the write lock.
    func notePuts(of payload: Bytes, last: SequenceNumber) throws(MalformedChange) {
        var changes = ChangeReader(payload, firstSequence: 0)
        while let change = try changes.next() {
            if change.kind.isPut { note(put: change.key, last) }
        }
    }

    // MARK: Walks

    /// Where a walk may begin instead of at `key`; nil where nothing is known.
    /// - Parameter visible: the last change that it sees, which it must have asked for before.
    func end(from key: Bytes, visible: SequenceNumber) -> [UInt8]? {
        withState { state in
            guard let index = state.range(containing: key) else {
                state.walksSinceUse += 1
                if state.walksSinceUse > Self.patienceOfWalks { state.ranges = [] }
                return nil
            }
            return state.ranges[index].sequence <= visible ? state.ranges[index].end : nil
        }
    }

    /// Takes note that a walk has found nothing between two keys, both included.
    /// - Parameter seen: the last change that the walk sees.
    /// - Returns: whether there was a range to add that to.
    func grow(from start: Bytes, through last: Bytes, seen: SequenceNumber) -> Bool {
        withState { state in
            guard last.count < Self.longestKey, let index = state.range(containing: start) else { return false }
            state.ranges[index].grow(through: last, seen: seen, lastPut: state.lastPut)
            state.join(index)
            return true
        }
    }

    /// Where a walk that has found nothing between two keys, both included, may go on instead of right behind them; nil where
    /// nothing is known.
    ///
    /// Where it has begun in a range, that one grows: so what a put has cut in two is one again when that key is deleted.
    /// - Parameter seen: the last change that the walk sees.
    func end(from start: Bytes, through last: Bytes, seen: SequenceNumber) -> [UInt8]? {
        guard last.count < Self.longestKey else { return nil }
        let next = DeletedRange.successor(of: last)
        return withState { state in
            if let index = state.range(containing: start) {
                state.ranges[index].grow(through: last, seen: seen, lastPut: state.lastPut)
                state.join(index)
            }
            let known = state.ranges.first { range in
                range.sequence <= seen && range.end != next && next.withBytes { range.contains($0) }
            }
            return known?.end
        }
    }

    /// Has keys watched from one on, in place of those that were of no use for the longest time where there are too many. Under the
    /// write lock.
    /// - Parameter last: the last change.
    func watch(from key: Bytes, last: SequenceNumber) {
        guard key.count < Self.longestKey else { return }
        withState { state in
            if state.range(containing: key) != nil { return }
            if state.ranges.count == Self.greatestCount {
                let oldest = state.ranges.indices.min { state.ranges[$0].lastUse < state.ranges[$1].lastUse }
                if let oldest { state.ranges.remove(at: oldest) }
            }
            state.lastPut = last
            state.ranges.append(DeletedRange(at: key, since: last))
            state.noteUse(of: state.ranges.count - 1)
            watching.store(true, ordering: .relaxed)
        }
    }
}
