import Synchronization

/// The key ranges that scans have found empty. Later scans skip them.
///
/// In a queue, the first entries are deleted again and again. Each scan from the start would pass all deleted records
/// that no compaction has dropped yet, so log-structured engines slow down there a little more each time. With this
/// cache, a scan skips the deleted records that an earlier scan has passed.
///
/// Only forward scans add to the cache and use it. A put inside a range splits it in two. When a later scan finds that
/// key deleted, it joins the parts again.
///
/// While there is a range, writers check each key that they put, and scans check where they start. Otherwise both cost
/// one load. ``isWatching`` changes under the write lock only. The ranges have their own leaf lock, which is taken
/// after the write lock.
final class DeletedRangeCache: Sendable {
    /// The number of deleted records that a scan passes before it starts to watch keys. For fewer, watching costs
    /// writers more than it saves.
    static let fewestToWatch = 64
    /// The number of deleted records that a scan passes before it extends a range. Extending takes a lock and copies a
    /// key. An estimate of where that pays; not tuned by measurement.
    static let fewestToGrow = 8
    /// The largest number of ranges: one for each queue of the store, and the parts into which puts have split them.
    /// Each put compares its key with all of them, and each scan too, until it finds its own. The exact value was not
    /// measured.
    static let greatestCount = 16
    /// Keys of this many bytes or more neither start nor extend a range, because each extension copies a key. The exact
    /// value was not measured.
    private static let longestKey = 1024
    /// The number of puts without any use of a range after which all ranges are dropped, and writers no longer check
    /// their keys. Ranges that are dropped too early cost one slow scan each, and kept ones slow every put. The exact
    /// value was not measured.
    private static let mostUnusedPuts = 100_000
    /// The number of scans without any use of a range after which all ranges are dropped. The exact value was not
    /// measured.
    private static let mostUnusedScans = 10_000

    private struct State: Sendable {
        var ranges: [DeletedRange] = []
        /// The last change that writers have recorded here.
        var lastPut: SequenceNumber = 0
        /// Counts the uses of ranges.
        var clock: UInt64 = 0
        var putsSinceUse = 0
        var scansSinceUse = 0

        /// Finds the index of the range that contains a key, and marks the range as used.
        mutating func range(containing key: Bytes) -> Int? {
            guard let index = ranges.firstIndex(where: { $0.contains(key) }) else { return nil }
            markUsed(of: index)
            return index
        }

        /// Extends the range that contains `start`, and joins it with the ranges that it now reaches.
        /// - Returns: false if no range contains `start`.
        mutating func grow(from start: Bytes, through last: Bytes, seen: SequenceNumber) -> Bool {
            guard let index = range(containing: start) else { return false }
            var grown = ranges.remove(at: index)
            grown.grow(through: last, seen: seen, lastPut: lastPut)
            while let next = ranges.indices.first(where: { grown.join(ranges[$0]) }) { ranges.remove(at: next) }
            ranges.append(grown)
            return true
        }

        mutating func markUsed(of index: Int) {
            clock += 1
            ranges[index].lastUse = clock
            (putsSinceUse, scansSinceUse) = (0, 0)
        }
    }

    private let state = Locked(State(), rank: .leaf)
    private let watching = Atomic<Bool>(false)
    /// The number of ranges.
    private let count = Atomic<Int>(0)

    /// Whether writers must check the keys that they put. Changes under the write lock only.
    @inline(__always)
    var isWatching: Bool { watching.load(ordering: .relaxed) }

    /// Whether scans must check for ranges.
    @inline(__always)
    var hasRanges: Bool { count.load(ordering: .relaxed) > 0 }

    /// Whether a scan that leaves one range may reach another.
    var hasSeveral: Bool { count.load(ordering: .relaxed) > 1 }

    /// Runs `body` on the state under its lock, and then updates ``count``.
    private func withState<R>(_ body: (inout State) -> R) -> R {
        state.withLock { state in
            defer { count.store(state.ranges.count, ordering: .relaxed) }
            return body(&state)
        }
    }

    // MARK: Writers

    /// Records a key that is about to be put. The caller holds the write lock, and the change is not visible yet.
    /// - Parameter sequence: the number of the change, or the last one of its batch.
    func note(put key: Bytes, _ sequence: SequenceNumber) {
        withState { state in
            for index in state.ranges.indices {
                let behind = state.ranges[index].cut(by: key, sequence)
                if let behind, state.ranges.count < Self.greatestCount { state.ranges.append(behind) }
            }
            state.lastPut = sequence
            state.putsSinceUse += 1
            if state.putsSinceUse > Self.mostUnusedPuts { state.ranges = [] }
            if state.ranges.isEmpty { watching.store(false, ordering: .relaxed) }
        }
    }

    /// Records the keys that a batch is about to put. The caller holds the write lock, and the changes are not visible
    /// yet.
    /// - Parameters:
    ///   - payload: the encoded changes.
    ///   - last: the number of the last change.
    func notePuts(of payload: Bytes, last: SequenceNumber) throws(MalformedChange) {
        var changes = ChangeReader(payload, firstSequence: 0)
        while let change = try changes.next() {
            if change.kind.isPut { note(put: change.key, last) }
        }
    }

    /// Forgets all ranges, because many keys are about to be put. The caller holds the write lock, and the changes are
    /// not visible yet.
    /// - Parameter last: the number of the last change.
    func forget(through last: SequenceNumber) {
        withState { state in
            state.ranges = []
            state.lastPut = last
        }
        watching.store(false, ordering: .relaxed)
    }

    // MARK: Scans

    /// Returns the key at which a scan may start instead of at `key`; nil if no range applies.
    /// - Parameter visible: the last change that the scan sees. It must be loaded before this call, so that all puts
    ///   that the scan sees are recorded here.
    func end(from key: Bytes, visible: SequenceNumber) -> [UInt8]? {
        withState { state in
            guard let index = state.range(containing: key) else {
                state.scansSinceUse += 1
                if state.scansSinceUse > Self.mostUnusedScans { state.ranges = [] }
                return nil
            }
            return state.ranges[index].sequence <= visible ? state.ranges[index].end : nil
        }
    }

    /// Records that a scan found no entry between two keys, both inclusive.
    /// - Parameter seen: the last change that the scan sees.
    /// - Returns: whether a range contains `start` and could be extended.
    func grow(from start: Bytes, through last: Bytes, seen: SequenceNumber) -> Bool {
        last.count < Self.longestKey && withState { $0.grow(from: start, through: last, seen: seen) }
    }

    /// Returns the key at which a scan may continue after it found no entry between two keys, both inclusive. Returns
    /// nil if no range lies directly after them.
    ///
    /// If the scan started in a range, that range grows. This rejoins two parts when the key that was put between them
    /// has been deleted.
    /// - Parameter seen: the last change that the scan sees.
    func end(from start: Bytes, through last: Bytes, seen: SequenceNumber) -> [UInt8]? {
        guard last.count < Self.longestKey else { return nil }
        let next = DeletedRange.successor(of: last)
        return withState { state in
            _ = state.grow(from: start, through: last, seen: seen)
            let known = state.ranges.first { range in
                range.sequence <= seen && range.end != next && next.withBytes { range.contains($0) }
            }
            return known?.end
        }
    }

    /// Starts to watch keys from `key` on. If there are too many ranges, this replaces the least recently used one. The
    /// caller holds the write lock.
    /// - Parameter last: the number of the last change.
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
            state.markUsed(of: state.ranges.count - 1)
            watching.store(true, ordering: .relaxed)
        }
    }
}
