/// What a point read looks at, laid out flat: memtables, newest first, then runs, newest first.
///
/// Plain memory, which ``SuperVersion`` makes and frees: a read that went through the objects would retain and release some
/// of them, and each of these locked operations waits for all loads before it, so that the cache misses of one read
/// could not overlap with those of the next.
///
/// Filled before the super version is published, and never changed.
struct ReadPlan: BitwiseCopyable, Sendable {
    /// A memtable.
    private struct Table: BitwiseCopyable, Sendable {
        let tree: MemTableTree
        let table: Borrowed<MemTable>
        /// The range tombstones that ``ReadPlan/covers`` has of it. More may have come since.
        let known: Int
    }

    private let tables: ElementRow<Table>
    private let runs: ElementRow<RunProbe>
    private let runCount: Int
    private let endOfTables: ElementPlace<Table>
    /// The last of the runs; where there is none, where it would be.
    private let oldestRun: ElementPlace<RunProbe>
    /// The range tombstones of each memtable and of all segments; mostly none.
    private let covers: ElementRow<FragmentIndex>
    private let segmentTombstones: Borrowed<RangeTombstones>
    /// Whether all can be read by this plan; if not, by ``SuperVersion/lookup(_:visible:pin:)``.
    let isComplete: Bool
    /// Whether ``find(_:visible:)`` may be asked: the plan is complete, and what it touches is likely to be in memory.
    let isQuick: Bool

    /// - Parameters:
    ///   - tables: newest first, and how many range tombstones each has.
    ///   - tombstones: the sets of those, and of the version.
    ///   - isTight: whether the store's files do not fit into memory.
    init(
        tables: [(table: MemTable, tombstones: Int)], version: Version, tombstones: [RangeTombstones], isTight: Bool
    ) {
        // Segments of range tombstones alone have no index to look into; their tombstones are in the version's set.
        let segments = version.runs.map { $0.segments.filter { $0.info.recordCount > 0 } }.filter { !$0.isEmpty }
        let probes = segments.map { $0.compactMap { SegmentProbe($0) } }
        isComplete = zip(probes, segments).allSatisfy { $0.count == $1.count }
        isQuick = isComplete && !isTight
        segmentTombstones = Borrowed(version.rangeTombstones)
        covers = ElementRow(tombstones.map(\.index))
        self.tables = ElementRow(
            tables.map { Table(tree: $0.table.tree, table: Borrowed($0.table), known: $0.tombstones) })
        runCount = isComplete ? probes.count : 0
        runs = ElementRow(runCount == 0 ? [.empty] : probes.map { RunProbe($0) })
        endOfTables = self.tables.place(tables.count)
        oldestRun = runs.place(max(0, runCount - 1))
    }

    /// To be called once, when nobody reads any more.
    func deallocate() {
        for index in 0..<runs.count { runs[index].deallocate() }
        runs.deallocate()
        tables.deallocate()
        covers.deallocate()
    }

    /// Fragments of range tombstones that the plan knows.
    var tombstoneCount: Int { (0..<covers.count).reduce(0) { $0 + covers[$1].count } }

    /// Whether the plan knows any range tombstones.
    var hasTombstones: Bool { covers.count > 0 }

    /// Whether range tombstones have come that the plan does not know: only its memtables themselves do.
    var isOutdated: Bool {
        for index in 0..<tables.count where tables[index].tree.rangeTombstoneCount != tables[index].known {
            return true
        }
        return false
    }

    /// The newest version of `key` that is visible; nil where there is none or it is a removal. Only of a complete plan.
    func lookup(_ key: SearchKey, visible: SequenceNumber) throws(StoreError) -> FoundRecord {
        var covered: SequenceNumber = 0
        for index in 0..<tables.count {
            let table = tables[index]
            let record = table.tree.lookup(key, visible: visible)
            if _slowPath(table.tree.hasRangeTombstones) { covered = max(covered, cover(table, key, visible)) }
            if record.exists { return Self.alive(record, covered) }
        }
        guard runCount > 0 else { return .none }
        let ofSegments = segmentTombstones.with { $0.newestCovering(key.bytes, visible: visible) }
        covered = max(covered, ofSegments)
        let hash = KeyHash.hash(key.bytes)
        for index in 0..<runCount {
            guard let segment = runs[index].segment(for: key) else { continue }
            let record = try segment.lookup(key, hash: hash, visible: visible)
            if record.exists { return Self.alive(record, covered) }
        }
        return .none
    }

    /// As ``lookup(_:visible:)``, as far as the places looked at first tell. Only of a complete plan.
    ///
    /// The hash indexes are asked for their lines before anything else is looked at: the earlier in the course of one read,
    /// the rather while the memory of the read before it is still on its way.
    @inline(__always)
    func find(_ key: SearchKey, visible: SequenceNumber) -> QuickFind {
        find(key, hash: KeyHash.hash(key.bytes), visible: visible)
    }

    /// As ``find(_:visible:)``, of a key whose hash is known.
    @inline(__always)
    func find(_ key: SearchKey, hash: UInt64, visible: SequenceNumber) -> QuickFind {
        let found = findRecord(key, hash: hash, visible: visible)
        // Whether the value is newer than the tombstone takes a longer look. Where there is no value, nothing removes it.
        if _slowPath(covers.count > 0), found.hasValue, isCovered(key) { return .unclear }
        return found
    }

    /// Whether there is a range tombstone that covers a key.
    @inline(never)
    private func isCovered(_ key: SearchKey) -> Bool {
        for index in 0..<covers.count where covers[index].covers(key) { return true }
        return false
    }

    /// As ``find(_:hash:visible:)``, whatever range tombstones there are that the plan knows.
    @inline(__always)
    private func findRecord(_ key: SearchKey, hash: UInt64, visible: SequenceNumber) -> QuickFind {
        // Most keys are in the oldest run; often it is the only one.
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

    /// Prefetches what lookups of the keys will touch: first all lines of the hash indexes, then all records that those lead
    /// to. Only of a complete plan.
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

    @inline(never)
    private func cover(_ table: Table, _ key: SearchKey, _ visible: SequenceNumber) -> SequenceNumber {
        table.table.with { $0.rangeTombstones.newestCovering(key.bytes, visible: visible) }
    }

    @inline(__always)
    private static func alive(_ record: FoundRecord, _ covered: SequenceNumber) -> FoundRecord {
        record.isKind(.tombstone) || record.sequence < covered ? .none : record
    }
}
