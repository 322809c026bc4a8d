/// What a write changes, guarded by the engine's write lock.
struct WriteState {
    /// The memtable that takes changes, with the log that holds them.
    var active: LoggedTable
    /// Full ones that are not segments yet, oldest first.
    var sealed: [LoggedTable] = []
    /// The next log, made ahead of time.
    var nextLog: LogWriter?
    var isPreparingLog = false
    /// Attempts to make the next log that failed.
    var logFailures = BackgroundFailures()
    /// Attempts to write the oldest sealed table as a segment that failed.
    var flushFailures = BackgroundFailures()
    var lastSequence: SequenceNumber
    var version: Version
    /// Where large values go; nil until there is one.
    var values: ValueFileAppender?
    /// Value files that a compaction under way has moved values to, and no segment refers to yet.
    var relocationTargets: Set<UInt64> = []
    /// Set once a write or a sync has failed in a way that leaves the disk's state unknown.
    var failure: StoreError?
    /// Set when closing has begun; writes go on until ``isClosed``.
    var isClosing = false
    var isClosed = false
    /// Set when all is done and the directory's lock is given up.
    var isReleased = false
    /// Views that readers may still use.
    var retired: [ViewPublisher.Retired] = []
    /// Nanoseconds that writers still owe, see ``WriteThrottle``.
    var debt: UInt64 = 0
    var statistics = Statistics()
}

/// Failed attempts at some background work, counted so that each who waits for the work sees that one has failed since.
struct BackgroundFailures {
    private(set) var count = 0
    /// The last one; nil once an attempt went well.
    private(set) var last: StoreError?

    mutating func add(_ error: StoreError) {
        count += 1
        last = error
    }

    mutating func clear() { last = nil }

    /// Throws where an attempt has failed since there were `count`.
    func check(since count: Int) throws(StoreError) {
        if self.count > count, let last { throw last }
    }
}

/// A memtable and the log that its changes are in.
struct LoggedTable {
    var table: MemTable
    /// Nil in a store that is open for reading only.
    var log: LogWriter?
    /// The value files that its changes refer to.
    var valueFiles: Set<UInt64> = []
}
