/// Everything that a reader looks at: memtables, newest first, then the runs of a version, newest first.
///
/// Immutable, and kept alive by whoever reads.
final class SuperVersion: Sendable {
    /// The memtable that takes writes, then the sealed ones that are not segments yet, newest first.
    let tables: [MemTable]
    let version: Version
    /// The same, for point reads.
    let plan: ReadPlan
    /// The sets of range tombstones that the plan knows; none, mostly.
    private let tombstones: [RangeTombstones]

    /// - Parameter isTight: whether the store's files do not fit into memory.
    init(tables: [MemTable], version: Version, isTight: Bool = false) {
        self.tables = tables
        self.version = version
        // Before the sets: what has come in between makes the plan outdated, and hides nothing.
        let counted = tables.map { (table: $0, tombstones: $0.tree.rangeTombstoneCount) }
        tombstones = Self.sets(tables, version)
        plan = ReadPlan(tables: counted, version: version, tombstones: tombstones, isTight: isTight)
    }

    deinit { plan.deallocate() }

    /// The newest version of `key` that is visible; nil where there is none or it is a removal.
    ///
    /// By the plan where that will do; else through blocks that are read or inflated, and range tombstones of segments.
    /// - Parameter pin: keeps the block alive that the record lies in.
    func lookup(_ key: Bytes, visible: SequenceNumber, pin: inout BlockPin) throws(StoreError) -> Record? {
        if plan.isComplete { return try plan.lookup(SearchKey(key), visible: visible).record(key) }
        var covered: SequenceNumber = 0
        for table in tables {
            let record = table.lookup(key, visible: visible)
            covered = max(covered, Self.cover(table.rangeTombstones, key, visible))
            if let record { return Self.alive(record, covered) }
        }
        if version.runs.isEmpty { return nil }
        let hash = KeyHash.hash(key)
        for run in version.runs {
            guard let segment = run.segment(for: key) else { continue }
            covered = max(covered, Self.cover(segment.rangeTombstones, key, visible))
            if let record = try segment.lookup(key, hash: hash, visible: visible, pin: &pin) {
                return Self.alive(record, covered)
            }
        }
        return nil
    }

    /// Whether a memtable has the newest visible version of `key`, so that no file has to be asked.
    func isDecidedInMemory(_ key: Bytes, visible: SequenceNumber) -> Bool {
        tables.contains { $0.lookup(key, visible: visible) != nil } || version.runs.isEmpty
    }

    /// Whether a look-up of `key` reads no disk. If it would, what it needs is read from now on.
    func isReady(_ key: Bytes, visible: SequenceNumber) -> Bool {
        if isDecidedInMemory(key, visible: visible) { return true }
        let hash = KeyHash.hash(key)
        var isReady = true
        for run in version.runs {
            guard let segment = run.segment(for: key) else { continue }
            if !segment.isReady(key, hash: hash) { isReady = false }
        }
        return isReady
    }

    @inline(__always)
    private static func cover(
        _ tombstones: RangeTombstones, _ key: Bytes, _ visible: SequenceNumber
    ) -> SequenceNumber {
        tombstones.isEmpty ? 0 : tombstones.newestCovering(key, visible: visible)
    }

    @inline(__always)
    private static func alive(_ record: Record, _ covered: SequenceNumber) -> Record? {
        record.kind == .tombstone || record.sequence < covered ? nil : record
    }

    /// The sets of range tombstones that a scan has to mind; none, mostly.
    func rangeTombstones() -> [RangeTombstones] {
        if plan.isOutdated { return Self.sets(tables, version) }
        // To retain the array takes a short walk longer than to look.
        return plan.hasTombstones ? tombstones : []
    }

    private static func sets(_ tables: [MemTable], _ version: Version) -> [RangeTombstones] {
        (tables.map(\.rangeTombstones) + [version.rangeTombstones]).filter { !$0.isEmpty }
    }

    /// The sources of a scan, newest first.
    func sources() -> [RecordSource] {
        var sources: [RecordSource] = []
        sources.reserveCapacity(tables.count + version.runs.count)
        for table in tables { sources.append(MemTableSource(table)) }
        for run in version.runs { sources.append(RunSource(run)) }
        return sources
    }
}
