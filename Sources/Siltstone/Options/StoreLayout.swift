/// The segments, value files and memtables of a store, with their sizes; see ``KeyValueStore/layout``.
public struct StoreLayout: Sendable, Hashable, Codable {
    /// One sorted file.
    public struct Segment: Sendable, Hashable, Codable {
        /// The number in the file's name.
        public var number: UInt64
        /// The level: 0 for segments that were not compacted into a deeper level yet.
        public var level: Int
        /// The number of the sorted run that contains it. In one level, a greater number is newer.
        public var run: UInt64
        /// Bytes of the file.
        public var bytes: Int
        /// The number of records: values and deletions of single keys, old versions included.
        public var records: Int
        /// The number of deletions among the records, plus that of deleted ranges.
        public var tombstones: Int
        /// A lower bound of the segment's keys, inclusive.
        public var firstKey: [UInt8]
        /// An upper bound of the segment's keys, inclusive.
        public var lastKey: [UInt8]
    }

    /// One file of large values, which are stored apart from their keys.
    public struct ValueFile: Sendable, Hashable, Codable {
        /// The number in the file's name.
        public var number: UInt64
        /// Bytes of the file; 0 if its size cannot be read.
        public var bytes: Int
        /// Bytes that segments refer to. The other bytes are garbage, or so new that only memtables refer to them.
        public var referencedBytes: Int
    }

    /// One memtable with its log.
    public struct MemTable: Sendable, Hashable, Codable {
        /// The number of changes in it, without deleted ranges.
        public var records: Int
        /// Bytes of memory.
        public var bytes: Int
        /// Bytes of its log.
        public var logBytes: Int
        /// Whether it is the active memtable, which receives writes. The others wait for their flush.
        public var isActive: Bool
    }

    /// The segments by level, then by run (newest first), then by key.
    public var segments: [Segment] = []
    /// The value files, by number.
    public var valueFiles: [ValueFile] = []
    /// The memtables, newest first.
    public var memTables: [MemTable] = []

    /// Creates an empty layout.
    public init() {}
}
