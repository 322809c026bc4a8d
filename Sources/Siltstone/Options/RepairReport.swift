/// What repairing a store found, saved and lost.
public struct RepairReport: Sendable, Hashable, Codable {
    /// Something that is gone.
    public struct Loss: Sendable, Hashable, Codable, CustomStringConvertible {
        /// The file.
        public var file: String
        /// Where in the file, in bytes, as far as that is known.
        public var offset: Int?
        /// What is gone.
        public var message: String

        /// File, offset and message in one line.
        public var description: String { file + (offset.map { ", offset \($0)" } ?? "") + ": " + message }
    }

    /// Whether nothing was damaged. The store was then left as it was.
    public var wasClean = false
    /// Records of segments and changes of logs that the repaired store holds.
    public var recordsKept = 0
    /// Those of them that had to be taken out of damaged files.
    public var recordsSalvaged = 0
    /// What is gone, or may be.
    public var losses: [Loss] = []
    /// Where the damaged files were put, and those that the repaired store does not need any more, inside the store's
    /// directory; nil where there was none.
    public var damagedFilesDirectory: String?
    /// The files put there.
    public var damagedFiles: [String] = []

    /// A report of nothing.
    public init() {}
}
