/// What a store holds and has done since it was opened.
public struct Statistics: Sendable, Hashable, Codable {
    /// One level of segments.
    public struct Level: Sendable, Hashable, Codable {
        /// 0 for what was flushed; deeper is older.
        public var level = 0
        /// Sorted runs: a point read asks each until it finds the key.
        public var runs = 0
        /// Files.
        public var segments = 0
        /// Bytes of the files.
        public var bytes = 0
        /// Versions of keys, tombstones included.
        public var records = 0
        /// Versions that are removals.
        public var tombstones = 0
        /// Bytes that the level may have before it is compacted into the next; 0 for level 0, which counts runs.
        public var limitBytes = 0
    }

    /// Levels, from the newest.
    public var levels: [Level] = []
    /// The number of the newest change.
    public var lastSequence: UInt64 = 0

    /// Changes since the store was opened: puts, deletes, range deletes.
    public var changes = 0
    /// Bytes of keys and values in these changes.
    public var changedBytes = 0
    /// Commits of transactions that a conflict stopped since the store was opened.
    public var conflicts = 0
    /// Reads of one key since the store was opened; scans count once.
    public var reads = 0

    /// Changes in memory that are in no segment yet.
    public var memTableRecords = 0
    /// Bytes that these take in memory.
    public var memTableBytes = 0
    /// Memtables that wait to be written as segments.
    public var sealedMemTables = 0
    /// Logs that are alive.
    public var logs = 0
    /// Bytes of changes in these logs.
    public var logBytes = 0
    /// Bytes of large values in value files, garbage included.
    public var valueFileBytes = 0
    /// Bytes of large values that segments refer to.
    public var liveValueBytes = 0
    /// Value files.
    public var valueFiles = 0

    /// Writes that asked for stable storage.
    public var syncRequests = 0
    /// Syncs made for them: several requests share one.
    public var syncs = 0

    /// Memtables written as segments.
    public var flushes = 0
    /// Bytes written by flushes.
    public var flushedBytes = 0
    /// Seconds spent on flushes.
    public var flushSeconds = 0.0
    /// Compactions, trivial moves not counted.
    public var compactions = 0
    /// Segments that changed level without being rewritten.
    public var trivialMoves = 0
    /// Bytes read by compactions.
    public var compactionBytesRead = 0
    /// Bytes written by compactions.
    public var compactionBytesWritten = 0
    /// Seconds spent on compactions.
    public var compactionSeconds = 0.0

    /// Times that a write had to wait because memtables or runs had piled up.
    public var stalls = 0
    /// Seconds that writes waited for that.
    public var stallSeconds = 0.0
    /// Times that a write was slowed a little, so that nothing piles up and none has to wait for long.
    public var slowdowns = 0
    /// Seconds of these.
    public var slowdownSeconds = 0.0

    /// Blocks found in the cache.
    public var cacheHits = 0
    /// Blocks that had to be read or inflated.
    public var cacheMisses = 0
    /// Bytes in the cache.
    public var cacheBytes = 0

    /// Bytes of files that are mapped for reading: address space, not memory.
    public var mappedBytes = 0
    /// Of these, bytes that are in memory. They belong to the system's page cache, which takes them back where memory is
    /// needed.
    public var mappedBytesInMemory = 0
    /// Bytes of memory of the store's own, which the system cannot take back: the memory of memtables, the cache of blocks,
    /// and what is kept of open segments to find blocks by.
    public var ownMemoryBytes = 0
    /// Whether all files that are read fit into the memory that the system leaves for files. Where they do not, nothing is
    /// read ahead but what a read needs.
    public var fitsInMemory = true

    /// Snapshots that are alive.
    public var snapshots = 0
    /// The last failure of a flush or a compaction that has not been made good since.
    public var backgroundError: String?

    /// Bytes of all segments.
    public var segmentBytes = 0
    /// Versions of keys in all segments.
    public var segmentRecords = 0
    /// Bytes of everything on disk that counts: segments, value files, and logs as far as they are written.
    public var diskBytes = 0
    /// Runs and memtables that a read of a missing key asks.
    public var readAmplification = 0
    /// Bytes written to logs, segments and value files for each byte changed since the store was opened; 0 before the
    /// first change.
    public var writeAmplification = 0.0
    /// Bytes of segments and value files for each byte of them that is live, by the measure of the deepest level: what
    /// lies above it is taken for overwritten or new. At least 1.
    public var spaceAmplification = 1.0

    /// Statistics of nothing.
    public init() {}
}
