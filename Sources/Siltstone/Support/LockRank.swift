/// The lock order: a thread may take a lock only while it holds none of the same or a higher rank.
///
/// Debug builds check the order at every lock that has a rank. If a thread breaks it, they trap with both names, even
/// if no other thread contends. Release builds check nothing.
package enum LockRank: Int, Sendable {
    /// Not checked: the locks of other modules. Their file systems are called under any lock of a store, and they call
    /// stores under locks of their own, so no place in this order fits them. Every lock of the engine has a rank.
    case unranked
    /// ``StoreRegistry``, ``ReadWatch`` and ``ChangeObservation``: taken before any lock of a store.
    case callers
    /// The ``ValueLog`` of compactions.
    case relocations
    /// The ``ValueLog`` of writes.
    case values
    /// ``VersionSet``.
    case manifest
    /// Held while a log or a value file is synced. It is apart from the write lock, so that no writer waits for a sync.
    case sync
    /// ``WritePath``.
    case write
    /// Locks under which no other lock is taken, but those of a file system. Most are held for moments, a few while a
    /// file is written or mapped.
    case leaf
    /// The directories of an ``InMemoryFileSystem``. File systems are called under any lock of a store.
    case directory
    /// A file, or a file lock, of an ``InMemoryFileSystem``. Under the lock of its directories, the size of a file is
    /// read.
    case file
}

/// The ranks of the locks that each thread holds. Release builds keep none.
enum HeldLocks {
    #if DEBUG
    /// One bit for each rank; set while the thread holds a lock of that rank.
    private static let ranks = Platform.ThreadLocal { _ in }

    /// Traps if the calling thread must not take a lock of this rank.
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
    #else
    @inline(__always) static func check(_ rank: LockRank) {}
    @inline(__always) static func add(_ rank: LockRank) {}
    @inline(__always) static func remove(_ rank: LockRank) {}
    #endif
}
