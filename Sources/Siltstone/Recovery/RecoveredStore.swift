/// The result of opening a store, from which its owners are created.
struct RecoveredStore {
    var directory: StoreDirectory
    /// Nil in a read-only store.
    var manifest: Manifest?
    var lock: (any FileLock)?
    /// Memory for memtables.
    var arenas: ArenaPool
    var version: Version
    /// The memtables and logs.
    var state: WriteState
}
