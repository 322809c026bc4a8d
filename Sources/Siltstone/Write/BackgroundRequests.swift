/// The requests of writers to background work. Background work sets the closures when the owners are connected. No
/// closure waits for work, and none takes more than a leaf lock, so a caller may hold any lock but a leaf lock.
struct BackgroundRequests {
    /// Schedules a flush of the sealed memtables.
    var flush: () -> Void = {}
    /// Schedules the compactions that are due.
    var compaction: () -> Void = {}
    /// Schedules the creation of the next log.
    var nextLog: () -> Void = {}
    /// Schedules work that frees disk space.
    var space: () -> Void = {}
    /// Watches the store until it is idle, then tidies it.
    var idleWatch: () -> Void = {}
    /// Schedules the given closure, which prepares memory or disk space ahead of writers.
    var preparation: (@escaping @Sendable () -> Void) -> Void = { _ in }
}
