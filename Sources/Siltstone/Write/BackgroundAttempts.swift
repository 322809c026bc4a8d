/// The attempts at each kind of background work.
struct BackgroundAttempts {
    /// Attempts to create the next log.
    var log = WorkAttempts()
    /// Attempts to flush the sealed memtables.
    var flush = WorkAttempts()
    /// Attempts to run the compactions that are due.
    var compaction = WorkAttempts()

    /// The error of a kind of work whose last finished attempt failed; nil if there is none.
    var failure: StoreError? { flush.failure ?? log.failure ?? compaction.failure }
}

/// Numbers the attempts at one kind of background work. A writer that waits for the work receives only the failure of
/// an attempt that started after the writer had begun to wait. The cause of an earlier failure may have passed.
struct WorkAttempts {
    /// Number of attempts that have started.
    private var begun = 0
    /// Number of the last attempt that failed; 0 for none.
    private var failed = 0
    /// The error of that attempt; nil if a later attempt has succeeded, or none has failed.
    private(set) var failure: StoreError?

    mutating func begin() { begun += 1 }

    mutating func succeed() { failure = nil }

    /// Records that the latest attempt has failed.
    mutating func fail(_ error: StoreError) {
        failed = begun
        failure = error
    }

    /// Throws ``failure`` if its attempt has started since an earlier state.
    func check(since earlier: WorkAttempts) throws(StoreError) {
        if failed > earlier.begun, let failure { throw failure }
    }
}
