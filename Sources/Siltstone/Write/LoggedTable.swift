/// A memtable and the log of its changes.
struct LoggedTable {
    var table: MemTable
    /// Nil in a read-only store.
    var log: LogWriter?
    /// The log size at which a writer next checks on background work. A store with few changes never reaches it.
    var nextStep = WritePath.logStep
    /// While the memtable has fewer bytes than this, a small change fits without a check
    /// (``WritePath/makeRoom(_:_:)``). 0: every change is checked.
    var uncheckedEnd = 0
    /// The value files to which its changes refer.
    var valueFiles: Set<UInt64> = []
    /// Bytes that its changes have written to these files. The log refers to overwritten values too, so no file can be
    /// collected before the flush.
    var valueBytes = 0
    /// The extent of the log that recovery has read, in a read-only store; otherwise nil.
    var recovered: LogExtent?

    /// A flush that releases fewer bytes than this (256 KiB) is not worth a segment.
    static let minReleasedBytes = 256 << 10

    /// Bytes of memory and of value files that a flush releases, or moves to the segments' account.
    var releasedBytes: Int { table.byteCount + valueBytes }

    /// The memtable without a retain. The caller must hold the write lock, and the memtable must stay the active one
    /// while the reference is used.
    @inline(__always)
    var unretainedTable: Borrowed<MemTable> { Borrowed(table) }

    /// The log without a retain, under the same conditions.
    @inline(__always)
    var unretainedLog: Borrowed<LogWriter>? { log.map { Borrowed($0) } }

    /// The log and its written length; nil if there is no log.
    var extent: LogExtent? { log.map { LogExtent(path: $0.path, number: $0.number, end: $0.end) } ?? recovered }
}

/// The size of a write, for checking that a memtable has room for it. A batch counts as keys only.
struct ChangeSize {
    var keyBytes: Int
    var valueBytes: Int
    /// Number of changes.
    var count: Int
    /// Bytes for which writers are slowed: those in value files count, too. 0 if they are ``bytes``.
    var userBytes = 0

    /// The size for a memtable that is created ahead of its changes.
    static let nothing = ChangeSize(keyBytes: 0, valueBytes: 0, count: 0)

    var bytes: Int { keyBytes &+ valueBytes }
}

extension MemTable {
    /// Creates a memtable of the usual size, or a larger one if a write of `size` needs it.
    /// - Parameter pool: see the initializer of ``MemTable``.
    /// - Throws: ``StoreError/Code/tooLarge`` if no memtable has room for the write; the errors of
    ///   ``ArenaMapping/init(capacity:)``.
    static func make(
        _ configuration: Configuration, for size: ChangeSize, _ pool: ArenaPool?
    ) throws(StoreError) -> MemTable {
        let usual = configuration.memTableBytes + configuration.memTableBytes / 2 + (1 << 20)
        let needed = size.bytes * 2 + size.count * 160 + (4 << 20)
        if needed <= ArenaMapping.greatestCapacity {
            let table = try MemTable(capacity: max(usual, needed), pool: pool)
            if table.hasRoom(keyBytes: size.keyBytes, valueBytes: size.valueBytes, count: size.count) { return table }
        }
        throw StoreError(.tooLarge, "the batch needs more memory than a memtable can have; split it")
    }

    /// Applies the changes of a batch, in groups, so that the cache misses of a group's inserts overlap.
    func apply(_ changes: inout ChangeReader) throws(MalformedChange) {
        try withStackRecords(Self.groupSize) { room throws(MalformedChange) in
            var group = room
            repeat {
                group.removeAll()
                while !group.isFull, let change = try changes.next() { group.put(change) }
                prefetchLeaves(of: group.row)
                group.row.forEach { apply($0) }
            } while group.isFull
        }
    }

    /// Applies one change of a log frame.
    @inline(__always)
    func apply(_ change: Record) {
        if change.kind == .rangeTombstone {
            insertRangeTombstone(start: change.key, end: change.value, sequence: change.sequence)
        } else {
            insert(key: change.key, value: change.value, sequence: change.sequence, kind: change.kind)
        }
    }
}
