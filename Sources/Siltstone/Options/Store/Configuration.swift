/// The options with which a store is opened. The defaults suit most programs.
public struct Configuration: Sendable {
    /// When a write is acknowledged, unless the write itself says otherwise.
    public var durability: Durability = .synced
    /// Whether to create a store if there is none.
    public var createIfMissing = true
    /// Whether to open for reading only. Then nothing on disk is changed, and other processes may also open the store
    /// for reading.
    public var readOnly = false
    /// Bytes of memory for one memtable and its flush, 64 KiB to 4 GiB. The memtable is sealed (takes no more changes)
    /// at 13/16 of them, or earlier if its log has become twice as long as this number, or if it refers to many bytes
    /// of large values (``valueFileBytes``). The rest is for the flush.
    /// While a flush is in progress and writes continue, the store uses twice as much; see ``sealedMemTableLimit``. A
    /// batch that is larger than a memtable gets a memtable of its own size.
    public var memTableBytes = 64 << 20
    /// How many sealed memtables may wait for their flush before writers must wait, 1 to 64. Each additional one may
    /// use another ``memTableBytes`` of memory, and makes flushes no faster. Raise it for bursts of writes on a disk
    /// that pauses from time to time.
    public var sealedMemTableLimit = 1
    /// Bytes after which a compaction starts the next output segment, 64 KiB to 2 GiB.
    public var segmentBytes = 64 << 20
    /// Bytes of a block of a segment: a power of two from 4 KiB to 64 KiB. Smaller blocks suit random reads from a slow
    /// disk, larger ones compress better.
    public var blockBytes = 16 << 10
    /// Values of at least this many bytes are written to a value file; at least 64. Compactions do not rewrite them,
    /// unless much of their value file is garbage.
    public var largeValueBytes = 8 << 10
    /// Bytes after which a value file is closed and the next one is started; at least 64 KiB. The memtables together
    /// refer to about as many bytes of values, overwritten ones included, before they are flushed.
    public var valueFileBytes = 256 << 20
    /// Bytes of the cache of blocks that were read or inflated. Not used if segments are mapped and not compressed.
    public var cacheBytes = 64 << 20
    /// Bytes of memory for changes that subscribers to ``KeyValueStore/changes(from:to:since:)`` have not read yet; at
    /// least 64 KiB. Used only while there are subscribers, and during the commits of transactions that have read many
    /// keys or ranges. A subscriber that falls further behind misses changes, and gets an event that says so.
    public var changeFeedBytes = 16 << 20
    /// How segments are stored.
    public var compression: Compression = .none
    /// How segments and value files are read.
    public var access: FileAccess = .mapped
    /// How the log is written.
    public var logWriting: LogWriting = .mapped
    /// Whether compactions run automatically in the background.
    public var automaticCompaction = true
    /// Whether an idle store tidies itself, so that reads are fastest. A store is idle after one or two tenths of
    /// a second without a write. It then flushes its memtable if that holds at least 1/16 of ``memTableBytes``, and merges
    /// sorted runs earlier than ``automaticCompaction`` alone would. A store that has written less than one MiB since
    /// its last flush is usually left as it is. If writes come in bursts, this may write each byte some ten times more
    /// often.
    public var tidiesWhenIdle = true
    /// The file system that holds the store.
    public var fileSystem: any FileSystem = POSIXFileSystem()

    /// Returns the memory that is available for cached file contents, in bytes; nil if the system does not report it.
    var availableMemory: PageCache.Source = { SystemMemory.available() }

    /// The bytes of changes that a transaction keeps in memory. Above that, they go to scratch files. A usual memtable
    /// has room for as many, so a commit from memory needs at most one of unusual size.
    var transactionMemoryBytes = 64 << 20

    /// A configuration with the defaults.
    public init() {}

    /// Bytes at which a memtable is sealed. The rest of ``memTableBytes`` is for the memory of the flush and of the
    /// other parts of the store.
    var sealingBytes: Int { memTableBytes / 16 * 13 }

    /// Bytes of values at which a memtable is sealed that refers to them. With the files that hold their values in part,
    /// all memtables stay below four files.
    var valueSealingBytes: Int { valueFileBytes / (2 + sealedMemTableLimit) }

    /// Throws ``StoreError/Code/invalidArgument`` if an option is out of its range.
    func validate() throws(StoreError) {
        func require(_ condition: Bool, _ text: String) throws(StoreError) {
            if !condition { throw StoreError(.invalidArgument, text) }
        }
        try require(memTableBytes >= 64 << 10 && memTableBytes <= 4 << 30, "memTableBytes must be 64 KiB to 4 GiB")
        try require((1...64).contains(sealedMemTableLimit), "sealedMemTableLimit must be 1 to 64")
        try require(segmentBytes >= 64 << 10 && segmentBytes <= 2 << 30, "segmentBytes must be 64 KiB to 2 GiB")
        try require(
            blockBytes >= 4 << 10 && blockBytes <= 64 << 10 && blockBytes & (blockBytes - 1) == 0,
            "blockBytes must be a power of two from 4 KiB to 64 KiB")
        try require(largeValueBytes >= 64, "largeValueBytes must be 64 at least")
        try require(valueFileBytes >= 64 << 10, "valueFileBytes must be 64 KiB at least")
        try require(cacheBytes >= 0, "cacheBytes must not be negative")
        try require(changeFeedBytes >= 64 << 10, "changeFeedBytes must be 64 KiB at least")
        if case .deflate(let level) = compression {
            try require((1...9).contains(level), "the level of deflate must be 1 to 9")
        }
    }
}
