/// What a write changes, guarded by the engine's write lock.
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
    /// Attempts to write the sealed tables as segments.
    var flushAttempts = BackgroundAttempts()
    /// Logs whose memtables are segments.
    var flushedLogs = 0
    /// Of these, the ones that are removed, and give their space back.
    var removedLogs = 0
    /// Attempts to run the compactions that are due.
    var compactionAttempts = BackgroundAttempts()
    /// Whether the last attempt at any background work has failed.
    var hasFailedAttempt: Bool {
        logAttempts.failure != nil || flushAttempts.failure != nil || compactionAttempts.failure != nil
    }
    var lastSequence: SequenceNumber
    /// No change behind this number has left memory: the memtables hold all of them.
    var flushedSequence: SequenceNumber = 0
    var version: Version
    /// Where large values go; nil until there is one.
    var values: ValueFileAppender?
    /// The value files that the write in hand has begun.
    var begunValues: [ValueFileAppender] = []
    /// Value files that a compaction under way has moved values to, and no segment refers to yet.
    var relocationTargets: Set<UInt64> = []
    /// Segments that were written since the last time that such were made ready for reading.
    var freshSegments: Set<UInt64> = []
    /// Set once a write or a sync has failed in a way that leaves the disk's state unknown.
    var failure: StoreError? { didSet { hasFailed = failure != nil } }
    /// Whether ``failure`` is set: a look at that copies it.
    private(set) var hasFailed = false
    /// Set when closing has begun; writes go on until ``isClosed``.
    var isClosing = false
    var isClosed = false
    /// Set when all is done and the directory's lock is given up.
    var isReleased = false
    /// Views that readers may still use.
    var retired: [ViewPublisher.Retired] = []
    /// How much flushes slow writers.
    var pace = FlushPace()
    /// Nanoseconds that writers still owe, see ``WriteThrottle`` and ``FlushPace``.
    var debt: UInt64 = 0
    var statistics = Statistics()
}

/// Attempts at some background work, numbered, so that whoever waits for the work is told of a failure of an attempt
/// that began after the wait, and of no other: what an earlier one met may be over.
struct BackgroundAttempts {
    /// Attempts that have begun.
    private(set) var begun = 0
    /// The last one that failed; 0 for none.
    private var failed = 0
    /// Why it failed; nil once an attempt went well.
    private(set) var failure: StoreError?

    mutating func begin() { begun += 1 }

    mutating func succeed() { failure = nil }

    /// The attempt that began last has failed.
    mutating func fail(_ error: StoreError) {
        failed = begun
        failure = error
    }

    /// Throws where an attempt has failed that began after `count` others.
    func check(since count: Int) throws(StoreError) {
        if failed > count, let failure { throw failure }
    }
}

/// A memtable and the log that its changes are in.
struct LoggedTable {
    var table: MemTable
    /// Nil in a store that is open for reading only.
    var log: LogWriter?
    /// Where the log ends when a writer looks after the background next. A store with few changes never does.
    var nextStep = Engine.logStep
    /// Up to how many bytes of it small changes need no look at its room (``Engine/makeRoom(_:_:)``).
    var easyEnd = 0
    /// The value files that its changes refer to.
    var valueFiles: Set<UInt64> = []
    /// What was read of the log, where it is only read.
    var recovered: LogExtent?

    /// The table, not retained for a look at it: for who holds the write lock, as long as the table is the active one.
    @inline(__always)
    var unretainedTable: Unmanaged<MemTable> { .passUnretained(table) }

    /// The log, likewise.
    @inline(__always)
    var unretainedLog: Unmanaged<LogWriter>? { log.map { .passUnretained($0) } }

    /// The log and how far it is written.
    var extent: LogExtent? { log.map { LogExtent(path: $0.path, number: $0.number, end: $0.end) } ?? recovered }
}

/// A log up to some place.
struct LogExtent {
    var path: String
    var number: UInt64
    /// Where its frames end, in bytes.
    var end: Int
}
