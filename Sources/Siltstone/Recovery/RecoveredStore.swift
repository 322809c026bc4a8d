/// The result of opening a store: what its owners begin with.
struct RecoveredStore {
    var directory: StoreDirectory
    /// Nil in a store that is open for reading only.
    var manifest: Manifest?
    var lock: (any FileLock)?
    /// Memory for memtables.
    var arenas: ArenaPool
    var version: Version
    /// The memtables and logs.
    var state: WriteState
}
