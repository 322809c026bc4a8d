/// The result of opening a store. ``Engine`` hands each part to the object that owns it from then on.
struct RecoveredStore {
    var directory: StoreDirectory
    /// Nil in a read-only store.
    var manifest: Manifest?
    /// The lock of the directory; nil if there is none (``StoreOpener/lock``).
    var lock: (any FileLock)?
    /// Memory for memtables.
    var arenas: ArenaPool
    /// The segments and value files.
    var version: Version
    /// The memtables and logs.
    var state: WriteState
    /// Whether there was no store before.
    var isNew = false
    /// Files that no version names, in groups by the order of their removal, which could not be removed yet.
    var obsoleteGroups: [[StoreFile]] = []
}
