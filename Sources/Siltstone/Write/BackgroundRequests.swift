/// The requests of writers to background work. Background work sets the closures when the owners are connected. No
/// closure blocks or takes a lock, so a caller may hold any lock.
struct BackgroundRequests {
    /// Schedules a flush of the sealed memtables.
    var flush: () -> Void = {}
    /// Schedules the compactions that are due.
    var compaction: () -> Void = {}
    /// Schedules the creation of the next log.
    var nextLog: () -> Void = {}
    /// Watches the store until it is idle, then tidies it.
    var idleWatch: () -> Void = {}
    /// Schedules the preparation of memory or disk space ahead of writers.
    var preparation: (@escaping @Sendable () -> Void) -> Void = { _ in }
}
