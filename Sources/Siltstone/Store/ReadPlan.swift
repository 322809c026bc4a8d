/// What a point read looks at, laid out flat: memtables, newest first, then runs, newest first.
///
/// Plain memory, which ``ReadView`` makes and frees: a read that went through the objects would retain and release some
/// of them, and each of these locked operations waits for all loads before it, so that the cache misses of one read
/// could not overlap with those of the next.
///
/// `@unchecked Sendable`: filled before the view is published, and never changed.
struct ReadPlan: @unchecked Sendable {
    /// A memtable.
    private struct Table {
        let tree: MemTableTree
        let table: Unmanaged<MemTable>
    }

    private let tables: UnsafeMutablePointer<Table>
    private let tableCount: Int
    private let runs: UnsafeMutablePointer<RunProbe>
    private let runCount: Int
    private let endOfTables: UnsafeMutablePointer<Table>
    /// The last of the runs; where there is none, where it would be.
    private let oldestRun: UnsafeMutablePointer<RunProbe>
    /// Whether all can be read by this plan; if not, by ``ReadView/lookup(_:visible:pin:)``.
    let isComplete: Bool
    /// Whether ``find(_:visible:)`` may be asked: the plan is complete, and what it touches is likely to be in memory.
    let isQuick: Bool

    init(tables: [MemTable], version: Version, isTight: Bool) {
        let probes = version.runs.map { $0.segments.compactMap { SegmentProbe($0) } }
        isComplete =
            version.rangeTombstones.isEmpty && zip(probes, version.runs).allSatisfy { $0.count == $1.segments.count }
        isQuick = isComplete && !isTight
        tableCount = tables.count
        self.tables = .allocate(capacity: tableCount)
        for (index, table) in tables.enumerated() {
            (self.tables + index).initialize(to: Table(tree: table.tree, table: .passUnretained(table)))
        }
        runCount = isComplete ? probes.count : 0
        runs = .allocate(capacity: max(1, runCount))
        endOfTables = self.tables + tableCount
        oldestRun = runs + max(0, runCount - 1)
        if runCount == 0 { runs.initialize(to: .empty) }
        for index in 0..<runCount { (runs + index).initialize(to: RunProbe(probes[index])) }
    }

    /// To be called once, when nobody reads any more.
    func deallocate() {
        for index in 0..<max(1, runCount) { runs[index].deallocate() }
        runs.deallocate()
        tables.deallocate()
    }

    /// Whether a memtable has range tombstones.
    @inline(__always)
    var hasRangeTombstones: Bool {
        for index in 0..<tableCount where tables[index].tree.hasRangeTombstones { return true }
        return false
    }

    /// The newest version of `key` that is visible; nil where there is none or it is a removal. Only of a complete plan.
    func lookup(_ key: SearchKey, visible: SequenceNumber) throws(StoreError) -> FoundRecord {
        var covered: SequenceNumber = 0
        for index in 0..<tableCount {
            let table = tables[index]
            let record = table.tree.lookup(key, visible: visible)
            if _slowPath(table.tree.hasRangeTombstones) { covered = max(covered, cover(table, key, visible)) }
            if record.exists { return Self.alive(record, covered) }
        }
        guard runCount > 0 else { return .none }
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
    /// The point indexes are asked for their lines before anything else is looked at: the earlier in the course of one read,
    /// the rather while the memory of the read before it is still on its way.
    @inline(__always)
    func find(_ key: SearchKey, visible: SequenceNumber) -> QuickFind {
        let hash = KeyHash.hash(key.bytes)
        // Most keys are in the oldest run; often it is the only one.
        let likely = oldestRun.pointee.segment(for: key)
        likely?.prefetch(hash: hash)
        var run = runs
        while run != oldestRun {
            run.pointee.segment(for: key)?.prefetch(hash: hash)
            run += 1
        }
        var table = tables
        while table != endOfTables {
            let tree = table.pointee.tree
            if _slowPath(tree.hasRangeTombstones) { return .unclear }
            if !tree.isEmpty {
                let found = QuickFind(tree.lookup(key, visible: visible))
                if !found.isAbsent { return found }
            }
            table += 1
        }
        run = runs
        while run != oldestRun {
            if let segment = run.pointee.segment(for: key) {
                let found = segment.find(key, hash: hash, visible: visible)
                if !found.isAbsent { return found }
            }
            run += 1
        }
        return likely?.find(key, hash: hash, visible: visible) ?? .absent
    }

    @inline(never)
    private func cover(_ table: Table, _ key: SearchKey, _ visible: SequenceNumber) -> SequenceNumber {
        table.table._withUnsafeGuaranteedRef { $0.rangeTombstones.newestCovering(key.bytes, visible: visible) }
    }

    @inline(__always)
    private static func alive(_ record: FoundRecord, _ covered: SequenceNumber) -> FoundRecord {
        record.isKind(.tombstone) || record.sequence < covered ? .none : record
    }
}
