/// Which files a store is made of, and which keys lie where: see ``KeyValueStore/layout``.
public struct StoreLayout: Sendable, Hashable, Codable {
    /// One sorted file.
    public struct Segment: Sendable, Hashable, Codable {
        /// The number that names the file.
        public var number: UInt64
        /// The level: 0 for those that were flushed and not merged yet.
        public var level: Int
        /// The number of the sorted run that it is part of.
        public var run: UInt64
        /// Bytes of the file.
        public var bytes: Int
        /// Versions of keys, tombstones included.
        public var records: Int
        /// Deletes among the records, and deleted ranges.
        public var tombstones: Int
        /// No key of the segment comes before it.
        public var firstKey: [UInt8]
        /// No key of the segment comes after it.
        public var lastKey: [UInt8]
    }

    /// One file of values that are kept apart from their keys.
    public struct ValueFile: Sendable, Hashable, Codable {
        /// The number that names the file.
        public var number: UInt64
        /// Bytes of the file, about.
        public var bytes: Int
        /// Bytes that segments refer to. The rest is garbage, or so new that only memtables refer to it.
        public var referencedBytes: Int
    }

    /// One memtable with its log.
    public struct MemTable: Sendable, Hashable, Codable {
        /// Changes in it.
        public var records: Int
        /// Bytes of memory.
        public var bytes: Int
        /// Bytes of its log.
        public var logBytes: Int
        /// Whether it takes writes. The others wait to be flushed.
        public var isActive: Bool
    }

    /// The segments: by level, then by run, newest first, then by key.
    public var segments: [Segment] = []
    /// The value files, by number.
    public var valueFiles: [ValueFile] = []
    /// The memtables, newest first.
    public var memTables: [MemTable] = []

    /// A store of no files.
    public init() {}
}
