/// The contents of a store, and its activity since it was opened.
public struct Statistics: Sendable, Hashable, Codable {
    /// One level of segments.
    public struct Level: Sendable, Hashable, Codable {
        /// 0 for flushed segments; deeper levels hold older data.
        public var level = 0
        /// The number of sorted runs. A run is a list of segments whose key ranges do not overlap. A point read checks
        /// each run, newest first, until it finds the key.
        public var runs = 0
        /// The number of files.
        public var segments = 0
        /// Bytes of the files.
        public var bytes = 0
        /// The number of versions of keys, deletions (tombstones) included.
        public var records = 0
        /// The number of versions that are deletions, plus that of deleted ranges.
        public var tombstones = 0
        /// Bytes from which the level is compacted into the next one; 0 for level 0, which is limited by its runs.
        public var limitBytes = 0
    }

    /// The levels, starting with the newest data.
    public var levels: [Level] = []
    /// The sequence number of the newest change.
    public var lastSequence: UInt64 = 0

    /// Changes since the store was opened: puts, deletes, range deletes.
    public var changes = 0
    /// Bytes of keys and values in these changes. Each change of a batch or transaction counts a few bytes more.
    public var changedBytes = 0
    /// Transaction commits that failed with a conflict since the store was opened.
    public var conflicts = 0
    /// How often reads have looked up the store's state since it was opened. A point read usually counts once, and so
    /// does a read of many keys. A scan counts twice or more often, or not at all if it reuses the state of an earlier
    /// scan. The store's own reads, as for a conditional write, count too.
    public var reads = 0

    /// Changes in memory that were not flushed to a segment yet, without deleted ranges.
    public var memTableRecords = 0
    /// Bytes of memory that the memtables use, deleted ranges included.
    public var memTableBytes = 0
    /// Memtables that wait for their flush.
    public var sealedMemTables = 0
    /// Logs of the memtables, sealed ones included.
    public var logs = 0
    /// Bytes written to these logs.
    public var logBytes = 0
    /// Bytes of large values in value files, garbage included.
    public var valueFileBytes = 0
    /// Bytes of large values that segments refer to.
    public var liveValueBytes = 0
    /// Value files.
    public var valueFiles = 0
    /// Bytes of large values that segments refer to only for snapshots that were open when the segments were written. A
    /// compaction gives them back after the release of the snapshots.
    public var snapshotValueBytes = 0

    /// Writes and calls of `sync()` that had to wait for stable storage.
    public var syncRequests = 0
    /// Syncs made for these requests; several requests share one.
    public var syncs = 0

    /// Memtables written to segments.
    public var flushes = 0
    /// Bytes written by flushes.
    public var flushedBytes = 0
    /// Seconds spent on flushes.
    public var flushSeconds = 0.0
    /// Compactions, without trivial moves.
    public var compactions = 0
    /// Compactions that moved segments to another level without rewriting them.
    public var trivialMoves = 0
    /// Bytes read by compactions.
    public var compactionBytesRead = 0
    /// Bytes written by compactions.
    public var compactionBytesWritten = 0
    /// Seconds spent on compactions.
    public var compactionSeconds = 0.0

    /// Waits until a full memtable can be replaced: for a flush, a compaction or the next log. One write may wait several
    /// times. The wait of `flush()` for the end of its flush does not count, nor do waits for disk space.
    public var stalls = 0
    /// Seconds of these waits.
    public var stallSeconds = 0.0
    /// Writes that were delayed slightly, so that memtables and runs do not accumulate and no write waits for long.
    public var slowdowns = 0
    /// Seconds of these delays.
    public var slowdownSeconds = 0.0

    /// Blocks found in the cache.
    public var cacheHits = 0
    /// Blocks that were not in the cache, and were read or inflated.
    public var cacheMisses = 0
    /// Bytes in the cache.
    public var cacheBytes = 0

    /// Bytes of files that are mapped for reading: address space, not memory.
    public var mappedBytes = 0
    /// How many of these bytes are in memory. They belong to the system's page cache, which reclaims them when memory
    /// is needed.
    public var mappedBytesInMemory = 0
    /// Bytes of memory that the store owns and the system cannot reclaim: memtables, the block cache, and the lookup
    /// structures of open segments.
    public var ownMemoryBytes = 0
    /// Whether all files that are read fit into the memory that the system leaves for files. If not, a read loads only
    /// the pages that it needs, and only long scans read ahead.
    public var fitsInMemory = true

    /// Snapshots that are not released.
    public var snapshots = 0
    /// The failure because of which the store refuses writes. If there is none: the last failure of the flushes, of the
    /// creation of logs or of the compactions, if that kind of work has not succeeded since.
    public var backgroundError: String?

    /// Bytes of all segments.
    public var segmentBytes = 0
    /// Versions of keys in all segments, tombstones included.
    public var segmentRecords = 0
    /// Bytes on disk of segments, value files, and the written parts of logs.
    public var diskBytes = 0
    /// Runs and memtables that a read of a missing key checks.
    public var readAmplification = 0
    /// Bytes written to logs, segments and value files for each changed byte since the store was opened, about: headers
    /// in logs and the values that compactions relocate do not count. 0 before the first change.
    public var writeAmplification = 0.0
    /// Bytes of segments and value files divided by their live bytes; at least 1. The live bytes are those of the
    /// deepest level, plus the large values that segments refer to. Data above the deepest level counts as
    /// overwritten.
    public var spaceAmplification = 1.0

    /// Creates empty statistics.
    public init() {}
}
