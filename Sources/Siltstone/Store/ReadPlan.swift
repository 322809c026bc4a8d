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

    /// A run, by its segments in key order.
    private struct Run {
        let segments: UnsafePointer<SegmentProbe>
        let count: Int

        /// The last segment that does not begin after `key`; nil where all do.
        @inline(__always)
        func segment(for key: SearchKey) -> UnsafePointer<SegmentProbe>? {
            var low = 0
            var high = count
            // A key before all of the only segment's is not in its index either.
            guard high > 1 else { return segments }
            while low < high {
                let middle = (low &+ high) &>> 1
                if compareKeysByWords(segments[middle].firstKey, key.bytes) > 0 {
                    high = middle
                } else {
                    low = middle &+ 1
                }
            }
            return low == 0 ? nil : segments + (low &- 1)
        }
    }

    private let tables: UnsafeMutableBufferPointer<Table>
    private let runs: UnsafeMutableBufferPointer<Run>
    /// Whether all can be read by this plan; if not, by ``ReadView/lookup(_:visible:pin:)``.
    let isComplete: Bool

    init(tables: [MemTable], version: Version) {
        let probes = version.runs.map { $0.segments.compactMap { SegmentProbe($0) } }
        isComplete =
            version.rangeTombstones.isEmpty && zip(probes, version.runs).allSatisfy { $0.count == $1.segments.count }
        self.tables = .allocate(capacity: tables.count)
        for (index, table) in tables.enumerated() {
            self.tables.initializeElement(at: index, to: Table(tree: table.tree, table: .passUnretained(table)))
        }
        runs = .allocate(capacity: isComplete ? probes.count : 0)
        for index in runs.indices {
            let count = probes[index].count
            let segments = UnsafeMutablePointer<SegmentProbe>.allocate(capacity: count)
            segments.initialize(from: probes[index], count: count)
            runs.initializeElement(at: index, to: Run(segments: segments, count: count))
        }
    }

    /// To be called once, when nobody reads any more.
    func deallocate() {
        for run in runs { run.segments.deallocate() }
        runs.deallocate()
        tables.deallocate()
    }

    /// Whether a memtable has range tombstones.
    @inline(__always)
    var hasRangeTombstones: Bool {
        for index in 0..<tables.count where tables[index].tree.hasRangeTombstones { return true }
        return false
    }

    /// The newest version of `key` that is visible; nil where there is none or it is a removal. Only of a complete plan.
    @inline(__always)
    func lookup(_ key: SearchKey, visible: SequenceNumber) throws(StoreError) -> FoundRecord {
        var covered: SequenceNumber = 0
        for index in 0..<tables.count {
            let table = tables[index]
            let record = table.tree.lookup(key, visible: visible)
            if _slowPath(table.tree.hasRangeTombstones) { covered = max(covered, cover(table, key, visible)) }
            if record.exists { return Self.alive(record, covered) }
        }
        guard runs.count > 0 else { return .none }
        let hash = KeyHash.hash(key.bytes)
        for index in 0..<runs.count {
            guard let segment = runs[index].segment(for: key) else { continue }
            let record = try segment.lookup(key, hash: hash, visible: visible)
            if record.exists { return Self.alive(record, covered) }
        }
        return .none
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
