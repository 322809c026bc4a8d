/// The part of a store that a write changes. Guarded by the write lock.
struct WriteState {
    /// The memtable that takes changes, with the log that holds them.
    var active: LoggedTable
    /// Full ones that are not segments yet, oldest first.
    var sealed: [LoggedTable] = []
    /// The next log, made ahead of time.
    var nextLog: LogWriter?
    var isPreparingLog = false
    /// Attempts to make the next log.
    var logAttempts = BackgroundAttempts()
    /// Attempts to write the sealed memtables as segments.
    var flushAttempts = BackgroundAttempts()
    /// Attempts to run the compactions that are due.
    var compactionAttempts = BackgroundAttempts()
    /// Logs whose memtables are segments.
    var flushedLogs = 0
    /// Of these, the ones that are removed, and give their space back.
    var removedLogs = 0
    var lastSequence: SequenceNumber
    /// No change behind this number has left memory: the memtables hold all of them.
    var flushedSequence: SequenceNumber
    var controller = WriteController()
    var counts = WriteCounts()

    /// - Parameter tables: oldest first; the last one takes changes.
    init(active: LoggedTable, sealed: [LoggedTable] = [], lastSequence: SequenceNumber) {
        self.active = active
        self.sealed = sealed
        self.lastSequence = lastSequence
        // The segments that the store was opened with hold changes up to here at most.
        flushedSequence = lastSequence
    }

    /// The failure of the last attempt at some background work, if that has failed.
    var failedAttempt: StoreError? { flushAttempts.failure ?? logAttempts.failure ?? compactionAttempts.failure }

    /// The memtables, newest first.
    var tables: [MemTable] { [active.table] + sealed.reversed().map(\.table) }

    /// The value files that changes in memory refer to.
    var valueFiles: Set<UInt64> { sealed.reduce(into: active.valueFiles) { $0.formUnion($1.valueFiles) } }
}

/// Counts of writes since the store was opened.
struct WriteCounts: Sendable {
    var changes = 0
    var changedBytes = 0
    var conflicts = 0
    var stalls = 0
    var stallSeconds = 0.0
    var slowdowns = 0
    var slowdownSeconds = 0.0
}
