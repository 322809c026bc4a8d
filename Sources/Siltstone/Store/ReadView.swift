/// Everything that a reader looks at: memtables, newest first, then the runs of a version, newest first.
///
/// Immutable, and kept alive by whoever reads. A point read visits the parts through unmanaged references: retaining
/// each would be an atomic operation on a cache line that all readers share.
///
/// `@unchecked Sendable`: the two buffers are filled before the view is published and never changed.
final class ReadView: @unchecked Sendable {
    /// The memtable that takes writes, then the sealed ones that are not segments yet, newest first.
    let tables: [MemTable]
    let version: Version
    private let tableReferences: UnsafeMutableBufferPointer<Unmanaged<MemTable>>
    private let runReferences: UnsafeMutableBufferPointer<Unmanaged<Run>>

    init(tables: [MemTable], version: Version) {
        self.tables = tables
        self.version = version
        tableReferences = .allocate(capacity: tables.count)
        for (index, table) in tables.enumerated() {
            tableReferences.initializeElement(at: index, to: .passUnretained(table))
        }
        runReferences = .allocate(capacity: version.runs.count)
        for (index, run) in version.runs.enumerated() {
            runReferences.initializeElement(at: index, to: .passUnretained(run))
        }
    }

    deinit {
        tableReferences.deallocate()
        runReferences.deallocate()
    }

    /// The newest version of `key` that is visible; nil where there is none or it is a removal.
    /// - Parameter pin: keeps the block alive that the record lies in.
    @inline(__always)
    func lookup(_ key: Bytes, visible: SequenceNumber, pin: inout BlockPin) throws(StoreError) -> Record? {
        var covered: SequenceNumber = 0
        for reference in tableReferences {
            let (record, cover) = reference._withUnsafeGuaranteedRef { table in
                (table.lookup(key, visible: visible), Self.cover(table.rangeTombstones, key, visible))
            }
            covered = max(covered, cover)
            if let record { return Self.alive(record, covered) }
        }
        if runReferences.isEmpty { return nil }
        let hash = KeyHash.hash(key)
        for reference in runReferences {
            let segment = reference._withUnsafeGuaranteedRef { $0.segment(for: key) }
            guard let segment else { continue }
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
        var sets: [RangeTombstones] = []
        for reference in tableReferences {
            let set = reference._withUnsafeGuaranteedRef { $0.rangeTombstones }
            if !set.isEmpty { sets.append(set) }
        }
        if !version.rangeTombstones.isEmpty { sets.append(version.rangeTombstones) }
        return sets
    }

    /// The sources of a scan, newest first.
    func sources() -> [RecordSource] {
        var sources: [RecordSource] = []
        sources.reserveCapacity(tables.count + version.runs.count)
        for table in tables where !table.isEmpty { sources.append(MemTableSource(table)) }
        for run in version.runs { sources.append(RunSource(run)) }
        return sources
    }
}
