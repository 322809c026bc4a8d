/// Everything that a reader searches: the memtables, newest first, then the runs of a version, newest first.
///
/// The set is immutable; the active memtable in it still grows. Each reader keeps it alive while it reads.
final class SuperVersion: Sendable {
    /// The active memtable, then the sealed ones that are not flushed yet, newest first.
    let tables: [MemTable]
    let version: Version
    /// The same contents in a flat layout, for point reads.
    let plan: ReadPlan
    /// The range tombstones that the plan includes, as sets without empty ones. Usually empty.
    private let tombstones: [RangeTombstones]

    /// - Parameter isTight: whether the store's files do not fit into memory.
    init(tables: [MemTable], version: Version, isTight: Bool = false) {
        self.tables = tables
        self.version = version
        // Counts the tombstones before it collects them. A tombstone that arrives in between makes the plan outdated,
        // so reads take the slow path and do not miss it.
        let counted = tables.map { (table: $0, tombstones: $0.tree.rangeTombstoneCount) }
        tombstones = Self.sets(tables, version)
        plan = ReadPlan(tables: counted, version: version, tombstones: tombstones, isTight: isTight)
    }

    deinit { plan.deallocate() }

    /// Returns the newest visible version of `key`; nil if there is none or it is a deletion.
    ///
    /// Uses the plan if it is complete. Otherwise it reads or inflates blocks, and checks the range tombstones of each
    /// segment. Not one piece with ``ReadPlan/lookup(_:visible:)``: that one counts no references, and has no objects
    /// that could own blocks.
    /// - Parameters:
    ///   - visible: the largest sequence number that the read sees.
    ///   - pin: keeps the block that has the record alive, if it was read or inflated.
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

    /// Whether a memtable has the newest visible version of `key`, or there are no runs. Then the lookup reads no file.
    func isDecidedInMemory(_ key: Bytes, visible: SequenceNumber) -> Bool {
        tables.contains { $0.lookup(key, visible: visible) != nil } || version.runs.isEmpty
    }

    /// Whether a lookup of `key` reads nothing from the disk. If it may, starts these reads in the background.
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

    /// The sequence number of the newest visible range tombstone that covers `key`; 0 if there is none.
    @inline(__always)
    private static func cover(
        _ tombstones: RangeTombstones, _ key: Bytes, _ visible: SequenceNumber
    ) -> SequenceNumber {
        tombstones.isEmpty ? 0 : tombstones.newestCovering(key, visible: visible)
    }

    /// The record, or nil if it is a deletion or older than the range tombstone that covers it.
    @inline(__always)
    private static func alive(_ record: Record, _ covered: SequenceNumber) -> Record? {
        record.kind == .tombstone || record.sequence < covered ? nil : record
    }

    /// The sets of range tombstones that a scan must honor. Usually empty.
    func rangeTombstones() -> [RangeTombstones] {
        if plan.isOutdated { return Self.sets(tables, version) }
        // Checks a flag first, because retaining the array costs a short scan more than the check.
        return plan.hasTombstones ? tombstones : []
    }

    /// Collects the sets of range tombstones of the memtables and of the version, without empty sets.
    private static func sets(_ tables: [MemTable], _ version: Version) -> [RangeTombstones] {
        (tables.map(\.rangeTombstones) + [version.rangeTombstones]).filter { !$0.isEmpty }
    }

    /// The sources of a scan, newest first.
    func sources() -> [RecordSource] {
        tables.map { MemTableSource($0) } + version.runs.map { RunSource($0) }
    }
}
