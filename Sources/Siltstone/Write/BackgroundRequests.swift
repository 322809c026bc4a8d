/// What writers ask of background work. Background work sets the closures when the owners are put together; none of them
/// waits or takes a lock, so that each may be called under any.
struct BackgroundRequests {
    /// Writes the sealed memtables as segments.
    var flush: () -> Void = {}
    /// Runs the compactions that are due.
    var compaction: () -> Void = {}
    /// Makes the next log.
    var nextLog: () -> Void = {}
    /// Tidies up once nobody has written for a moment.
    var idleWatch: () -> Void = {}
    /// Prepares memory or disk space ahead of writers.
    var preparation: (@escaping @Sendable () -> Void) -> Void = { _ in }
}
