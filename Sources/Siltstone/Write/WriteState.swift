/// The state that a write changes. The write lock guards it.
struct WriteState {
    /// The memtable that takes changes, and its log.
    var active: LoggedTable
    /// Full memtables that are not segments yet, oldest first.
    var sealed: [LoggedTable] = []
    /// The next log, created ahead of time; nil until it is.
    var nextLog: LogWriter?
    /// True while the next log is scheduled or being created.
    var isPreparingLog = false
    /// True while writers wait for an ingestion (``WritePath/pauseWriters(_:)``).
    var isPaused = false
    var attempts = BackgroundAttempts()
    /// Sequence number of the last change.
    var lastSequence: SequenceNumber
    /// The memtables contain all changes with a larger sequence number than this.
    var flushedSequence: SequenceNumber
    var controller = WriteController()
    /// The counts of changes and changed bytes since the store was opened, of conflicts (rejected commits), of stalls
    /// (waits for background work), and of slowdowns (pauses, see ``WriteController``). The other fields stay empty.
    var counts = Statistics()

    /// - Parameters:
    ///   - active: the memtable that takes changes.
    ///   - sealed: oldest first.
    init(active: LoggedTable, sealed: [LoggedTable] = [], lastSequence: SequenceNumber) {
        self.active = active
        self.sealed = sealed
        self.lastSequence = lastSequence
        // The segments with which the store was opened contain no later change.
        flushedSequence = lastSequence
    }

    /// The memtables, newest first.
    var tables: [MemTable] { [active.table] + sealed.reversed().map(\.table) }

    /// The value files to which changes in memory refer.
    var valueFiles: Set<UInt64> { sealed.reduce(into: active.valueFiles) { $0.formUnion($1.valueFiles) } }
}
