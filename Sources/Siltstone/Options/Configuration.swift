/// How a store is opened. The defaults suit most programs.
public struct Configuration: Sendable {
    /// When a write is acknowledged, where the write itself does not say.
    public var durability: Durability = .synced
    /// Whether a store is made where there is none.
    public var createIfMissing = true
    /// Whether to open for reading only: nothing on disk is changed, and another may do the same at the same time.
    public var readOnly = false
    /// Bytes of memory for changes, and for writing them as a segment, which begins when they take 13/16 of it; at least
    /// 64 KiB. Twice as much is held while a flush is under way and more is written; see ``sealedMemTableLimit``.
    public var memTableBytes = 64 << 20
    /// How many full memtables may wait for their flush before writers do, 1 to 64. Each one more may take the memory of
    /// ``memTableBytes`` more, and makes flushes no faster: it is for bursts on a disk that pauses now and then.
    public var sealedMemTableLimit = 1
    /// Bytes at which the output of a compaction is cut into the next segment; at least 64 KiB.
    public var segmentBytes = 64 << 20
    /// Bytes of a block of a segment: a power of two from 4 KiB to 64 KiB. Smaller ones suit random reads from a slow
    /// disk, larger ones compress better.
    public var blockBytes = 16 << 10
    /// Values of this many bytes and more are written once, to a value file, and not moved by compactions.
    public var largeValueBytes = 8 << 10
    /// Bytes at which a value file is closed and the next one begun.
    public var valueFileBytes = 256 << 20
    /// Bytes of the cache of blocks that were read or inflated. Not used where segments are mapped and not compressed.
    public var cacheBytes = 64 << 20
    /// Bytes of memory for changes that subscribers to ``KeyValueStore/changes(from:to:since:)`` have not read yet. Used only
    /// while there are subscribers; one that falls further behind misses changes and is told so.
    public var changeFeedBytes = 16 << 20
    /// How segments are stored.
    public var compression: Compression = .none
    /// How segments and value files are read.
    public var access: FileAccess = .mapped
    /// How the log is written.
    public var logWriting: LogWriting = .mapped
    /// Whether compactions run by themselves in the background.
    public var automaticCompaction = true
    /// Whether a store that nobody has written to for a tenth of a second flushes what is in memory, if it is a sixteenth
    /// of ``memTableBytes`` or more, and merges runs beyond what ``automaticCompaction`` would: reads are fastest then. It
    /// may write a byte some ten times more often than without, if writes come in bursts.
    public var tidiesWhenIdle = true
    /// The files that the store lives in.
    public var fileSystem: any FileSystem = POSIXFileSystem()

    /// Asked for the memory there is for files, in bytes.
    var availableMemory: PageCache.Source = { SystemMemory.available() }

    /// A configuration with the defaults.
    public init() {}

    /// Bytes at which a memtable is sealed: what its flush takes in memory is to fit in, too, and what else the store has.
    var sealingBytes: Int { memTableBytes / 16 * 13 }

    /// Checks what can be set wrong.
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

/// What a store takes at most.
public enum Limits {
    /// Bytes of a key.
    public static let keyBytes = 64 << 10
    /// Bytes of a value.
    public static let valueBytes = 1 << 30
    /// Bytes of a batch, its changes encoded, large values not counted.
    public static let batchBytes = 1 << 30
}

extension Limits {
    /// Throws ``StoreError/Code/tooLarge`` where a key or a value has too many bytes.
    static func check(key: Int, value: Int) throws(StoreError) {
        guard key <= Limits.keyBytes else {
            throw StoreError(.tooLarge, "a key has \(key) bytes, \(Limits.keyBytes) is the most")
        }
        guard value <= Limits.valueBytes else {
            throw StoreError(.tooLarge, "a value has \(value) bytes, \(Limits.valueBytes) is the most")
        }
    }
}
