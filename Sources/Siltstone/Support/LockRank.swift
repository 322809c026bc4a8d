/// The order in which a thread may take locks: each one only while it holds none of its own rank or a greater one.
///
/// Debug builds check the order at every lock that has a rank, and trap with both names where a thread breaks it, whether or
/// not another thread is there to meet it. Release builds check nothing.
package enum LockRank: Int, Sendable {
    /// Not checked: the locks of file systems and of callers.
    case unranked
    /// ``ValueLog``.
    case values
    /// ``VersionSet``.
    case manifest
    /// Held while a log or a value file is synced; so no writer waits for a sync.
    case sync
    /// ``WritePath``.
    case write
    /// Held for moments, with no other lock taken meanwhile.
    case leaf
}

#if DEBUG
/// The ranks of the locks that each thread holds.
enum HeldLocks {
    /// A bit for each rank.
    private static let ranks = unsafe Platform.ThreadLocal { _ in }

    /// Traps where the calling thread must not take a lock.
    static func check(_ rank: LockRank) {
        guard rank != .unranked else { return }
        let conflicting = ranks.value >> rank.rawValue
        guard conflicting != 0 else { return }
        let held = LockRank(rawValue: rank.rawValue + conflicting.trailingZeroBitCount)
        preconditionFailure("a \(rank) lock is taken by a thread that holds a \(held ?? rank) lock")
    }

    static func add(_ rank: LockRank) {
        if rank != .unranked { ranks.value |= 1 << rank.rawValue }
    }

    static func remove(_ rank: LockRank) {
        if rank != .unranked { ranks.value &= ~(1 << rank.rawValue) }
    }
}
#endif
