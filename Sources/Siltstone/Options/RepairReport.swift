/// The result of a repair: what it found, saved and lost.
public struct RepairReport: Sendable, Hashable, Codable {
    /// Data that is lost.
    public struct Loss: Sendable, Hashable, Codable, CustomStringConvertible {
        /// The file.
        public var file: String
        /// The offset in the file in bytes, if it is known.
        public var offset: Int?
        /// What is lost.
        public var message: String

        /// File, offset and message in one line.
        public var description: String { file + (offset.map { ", offset \($0)" } ?? "") + ": " + message }
    }

    /// Whether nothing was damaged. The store was then not changed.
    public var wasClean = false
    /// The number of segment records and log changes that the repaired store holds.
    public var recordsKept = 0
    /// How many of these came from damaged files.
    public var recordsSalvaged = 0
    /// The data that is lost, or may be.
    public var losses: [Loss] = []
    /// The directory, inside the store's directory, to which damaged files and files that the repaired store does not
    /// need were moved; nil if there were none.
    public var damagedFilesDirectory: String?
    /// The files in ``damagedFilesDirectory``.
    public var damagedFiles: [String] = []

    /// Creates an empty report.
    public init() {}
}
