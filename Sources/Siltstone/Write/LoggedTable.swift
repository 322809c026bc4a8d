/// A memtable and the log that its changes are in.
struct LoggedTable {
    var table: MemTable
    /// Nil in a store that is open for reading only.
    var log: LogWriter?
    /// Where the log ends when a writer looks after the background next. A store with few changes never does.
    var nextStep = WritePath.logStep
    /// Up to how many bytes of it small changes need no look at its room (``WritePath/makeRoom(_:_:)``).
    var easyEnd = 0
    /// The value files that its changes refer to.
    var valueFiles: Set<UInt64> = []
    /// How far the log was read, where it is only read.
    var recovered: LogExtent?

    /// The table, not retained for a look at it: for a caller that holds the write lock, as long as the table is the active
    /// one.
    @inline(__always)
    var unretainedTable: Borrowed<MemTable> { Borrowed(table) }

    /// The log, likewise.
    @inline(__always)
    var unretainedLog: Borrowed<LogWriter>? { log.map { Borrowed($0) } }

    /// The log and how far it is written.
    var extent: LogExtent? { log.map { LogExtent(path: $0.path, number: $0.number, end: $0.end) } ?? recovered }
}

/// What a write needs room for.
struct ChangeSize {
    var keyBytes: Int
    var valueBytes: Int
    var count: Int

    /// For a memtable that is made ahead of its changes.
    static let nothing = ChangeSize(keyBytes: 0, valueBytes: 0, count: 0)

    var bytes: Int { keyBytes &+ valueBytes }
}

extension MemTable {
    /// A memtable of the usual size, or of as much as the changes take that it is made for.
    static func make(
        _ configuration: Configuration, for size: ChangeSize, _ pool: ArenaPool?
    ) throws(StoreError) -> MemTable {
        let usual = configuration.memTableBytes + configuration.memTableBytes / 2 + (1 << 20)
        let needed = size.bytes * 2 + size.count * 160 + (4 << 20)
        let table = try MemTable(capacity: max(usual, needed), pool: pool)
        guard table.hasRoom(keyBytes: size.keyBytes, valueBytes: size.valueBytes, count: size.count) else {
            throw StoreError(.tooLarge, "the batch needs more memory than a memtable can have; split it")
        }
        return table
    }

    /// Makes changes as a log holds them, some at a time.
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

    /// Makes a change as a log holds it.
    @inline(__always)
    func apply(_ change: Record) {
        if change.kind == .rangeTombstone {
            insertRangeTombstone(start: change.key, end: change.value, sequence: change.sequence)
        } else {
            insert(key: change.key, value: change.value, sequence: change.sequence, kind: change.kind)
        }
    }
}
