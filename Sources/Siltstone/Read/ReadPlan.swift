/// The memtables and runs that a point read searches, in a flat layout: memtables, newest first, then runs, newest
/// first.
///
/// The plan is plain memory that ``SuperVersion`` allocates and frees. A read through the Swift
/// objects of the super version would change their reference counts. Each change is an atomic instruction, which waits
/// for all earlier loads, so the cache misses of one read could not overlap with those of the next.
///
/// The plan is filled before its super version is published, and does not change afterwards.
struct ReadPlan: BitwiseCopyable, Sendable {
    /// A memtable.
    private struct Table: BitwiseCopyable, Sendable {
        let tree: MemTableTree
        /// The memtable of the tree. The super version keeps it alive.
        let table: Borrowed<MemTable>
        /// The number of the memtable's range tombstones that ``ReadPlan/covers`` includes. The memtable may have
        /// received more since.
        let known: Int
    }

    private let tables: ElementRow<Table>
    private let runs: ElementRow<RunProbe>
    /// Number of runs; 0 if the plan is not complete.
    private let runCount: Int
    /// The place after the last memtable.
    private let endOfTables: ElementPlace<Table>
    /// The oldest run; if there are no runs, an empty placeholder.
    private let oldestRun: ElementPlace<RunProbe>
    /// The range tombstones of each memtable and of all segments. Usually there are none.
    private let covers: ElementRow<FragmentIndex>
    /// The range tombstones of all segments, with their sequence numbers, which ``covers`` lacks.
    private let segmentTombstones: Borrowed<RangeTombstones>
    /// Whether reads can use this plan. False if some segment has no probe, because its blocks are compressed or it is not
    /// mapped. If false, they use ``SuperVersion/lookup(_:visible:pin:)``.
    let isComplete: Bool
    /// Whether reads may call ``find(_:hash:visible:)``: the plan is complete, and the memory that it reads is probably
    /// resident.
    let isQuick: Bool

    /// - Parameters:
    ///   - tables: newest first, each with the number of its range tombstones.
    ///   - tombstones: the range tombstones of the memtables and of the version, without empty sets.
    ///   - isTight: whether the store's files do not fit into memory.
    init(
        tables: [(table: MemTable, tombstones: Int)], version: Version, tombstones: [RangeTombstones], isTight: Bool
    ) {
        // A segment with range tombstones but no records has no index. Its tombstones are in the version's set.
        let segments = version.runs.map { $0.segments.filter { $0.info.recordCount > 0 } }.filter { !$0.isEmpty }
        let probes = segments.map { $0.compactMap { SegmentProbe($0) } }
        isComplete = zip(probes, segments).allSatisfy { $0.count == $1.count }
        isQuick = isComplete && !isTight
        segmentTombstones = Borrowed(version.rangeTombstones)
        covers = ElementRow(tombstones.map(\.index))
        self.tables = ElementRow(
            tables.map { Table(tree: $0.table.tree, table: Borrowed($0.table), known: $0.tombstones) })
        runCount = isComplete ? probes.count : 0
        runs = ElementRow(runCount == 0 ? [RunProbe([])] : probes.map { RunProbe($0) })
        endOfTables = self.tables.place(tables.count)
        oldestRun = runs.place(max(0, runCount - 1))
    }

    /// Frees the memory. The owner calls this once, when no reader is left.
    func deallocate() {
        for index in 0..<runs.count { runs[index].deallocate() }
        runs.deallocate()
        tables.deallocate()
        covers.deallocate()
    }

    /// The number of range tombstone fragments that the plan includes.
    var tombstoneCount: Int { (0..<covers.count).reduce(0) { $0 + covers[$1].count } }

    /// Whether the plan includes any range tombstones.
    var hasTombstones: Bool { covers.count > 0 }

    /// Whether a memtable has received range tombstones after the plan was made.
    var isOutdated: Bool {
        for index in 0..<tables.count where tables[index].tree.rangeTombstoneCount != tables[index].known {
            return true
        }
        return false
    }

    /// Returns the newest visible version of `key`. Returns `.notFound` if there is none, if it is a deletion, or if a
    /// newer range tombstone covers it. The plan must be complete.
    /// - Parameter visible: the largest sequence number that the read sees.
    func lookup(_ key: SearchKey, visible: SequenceNumber) throws(StoreError) -> FoundRecord {
        var covered: SequenceNumber = 0
        for index in 0..<tables.count {
            let table = tables[index]
            let record = table.tree.lookup(key, visible: visible)
            if _slowPath(table.tree.hasRangeTombstones) { covered = max(covered, cover(table, key, visible)) }
            if record.isFound { return Self.alive(record, covered) }
        }
        guard runCount > 0 else { return .notFound }
        let ofSegments = segmentTombstones.with { $0.newestCovering(key.bytes, visible: visible) }
        covered = max(covered, ofSegments)
        let hash = KeyHash.hash(key.bytes)
        for index in 0..<runCount {
            guard let segment = runs[index].segment(for: key) else { continue }
            let record = try segment.lookup(key, hash: hash, visible: visible)
            if record.isFound { return Self.alive(record, covered) }
        }
        return .notFound
    }

    /// The fast part of ``lookup(_:visible:)``: searches memtables and hash indexes, and returns `.unclear` if that
    /// cannot decide. The plan must be complete.
    ///
    /// First prefetches the cache lines of the hash indexes that the key's hash selects. The processor can load them while
    /// it still waits for the loads of the previous read.
    @inline(__always)
    func find(_ key: SearchKey, hash: UInt64, visible: SequenceNumber) -> QuickFind {
        let found = findRecord(key, hash: hash, visible: visible)
        // Only the slow path compares the value's sequence number with that of the tombstone. If no value was found, a
        // tombstone changes nothing.
        if _slowPath(covers.count > 0), found.hasValue, isCovered(key) { return .unclear }
        return found
    }

    /// Whether any range tombstone of the plan covers a key.
    @inline(never)
    private func isCovered(_ key: SearchKey) -> Bool {
        for index in 0..<covers.count where covers[index].covers(key) { return true }
        return false
    }

    /// Like ``find(_:hash:visible:)``, but ignores the range tombstones that the plan includes. Returns `.unclear` if a
    /// memtable has others.
    @inline(__always)
    private func findRecord(_ key: SearchKey, hash: UInt64, visible: SequenceNumber) -> QuickFind {
        // Most keys are in the oldest run, which is often the only one.
        let likely = oldestRun.value.segment(for: key)
        likely?.prefetch(hash: hash)
        var run = runs.place(0)
        while run != oldestRun {
            run.value.segment(for: key)?.prefetch(hash: hash)
            run += 1
        }
        var table = tables.place(0)
        while table != endOfTables {
            let tree = table.value.tree
            if _slowPath(tree.rangeTombstoneCount != table.value.known) { return .unclear }
            if !tree.isEmpty {
                let found = QuickFind(tree.lookup(key, visible: visible))
                if !found.isAbsent { return found }
            }
            table += 1
        }
        run = runs.place(0)
        while run != oldestRun {
            if let segment = run.value.segment(for: key) {
                let found = segment.find(key, hash: hash, visible: visible)
                if !found.isAbsent { return found }
            }
            run += 1
        }
        return likely?.find(key, hash: hash, visible: visible) ?? .absent
    }

    /// Prefetches the memory of segments that lookups of the keys most likely read: first the cache lines of all hash
    /// indexes, then the records in the oldest run. The plan must be complete.
    func prefetch(_ keys: KeyGroup) {
        guard runCount > 0 else { return }
        for index in 0..<keys.count {
            let (key, hash) = (SearchKey(keys[index]), keys.hash(index))
            for run in 0..<runCount { runs[run].segment(for: key)?.prefetch(hash: hash) }
        }
        for index in 0..<keys.count {
            // Most keys are in the oldest run.
            oldestRun.value.segment(for: SearchKey(keys[index]))?.prefetchRecord(hash: keys.hash(index))
        }
    }

    /// The sequence number of the newest visible range tombstone of a memtable that covers `key`; 0 if there is none.
    @inline(never)
    private func cover(_ table: Table, _ key: SearchKey, _ visible: SequenceNumber) -> SequenceNumber {
        table.table.with { $0.rangeTombstones.newestCovering(key.bytes, visible: visible) }
    }

    /// The record, or none if it is a deletion or older than the range tombstone that covers it.
    @inline(__always)
    private static func alive(_ record: FoundRecord, _ covered: SequenceNumber) -> FoundRecord {
        record.isKind(.tombstone) || record.sequence < covered ? .notFound : record
    }
}
