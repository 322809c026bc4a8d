/// What all engines are given alike.
struct EngineSettings: Codable, Sendable {
    /// Whether a write is acknowledged only after it is on stable storage; else after it was handed to the kernel, where
    /// it survives the death of the process.
    var isSynced = false
    /// Bytes of a value: SQLite's table is laid out accordingly.
    var valueBytes = 100
    /// Whether the engine compresses as it does by default; else not at all.
    var hasDefaultCompression = false
    /// Whether LMDB writes through its mapping instead of by system calls; of no concern to the others.
    var hasWriteMap = false
    /// Whether transactions will be run: RocksDB has another kind of database for them.
    var hasTransactions = false
    /// Threads that will use the database at once: an engine with a cache for each connection divides by it.
    var threads = 1

    /// Bytes of changes held in memory, or in the log that stands for them.
    var writeBufferBytes = Self.writeBufferBytes

    /// The same, but for `recover`.
    static let writeBufferBytes = 64 << 20
    /// Bytes of the cache of blocks or pages.
    static let cacheBytes = 64 << 20
    /// Bits for each key of the filters, where the engine has a choice.
    static let bloomBits = 10
}
