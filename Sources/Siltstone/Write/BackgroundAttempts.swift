/// Attempts at some background work, numbered: a writer that waits for the work gets the failure of an attempt that began
/// after the wait, and of no other. What an earlier attempt met may be over.
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
