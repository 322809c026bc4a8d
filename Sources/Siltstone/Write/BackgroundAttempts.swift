/// Numbers the attempts at one kind of background work. A writer that waits for the work receives only the failure of
/// an attempt that started after the wait. The cause of an earlier failure may have passed.
struct BackgroundAttempts {
    /// Number of attempts that have started.
    private(set) var begun = 0
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

    /// Throws ``failure`` if its attempt started after the first `count` attempts.
    func check(since count: Int) throws(StoreError) {
        if failed > count, let failure { throw failure }
    }
}
