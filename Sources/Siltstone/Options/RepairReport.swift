/// The result of a repair: what it found, saved and lost.
public struct RepairReport: Sendable, Hashable, Codable {
    /// Data that is lost.
    public struct Loss: Sendable, Hashable, Codable, CustomStringConvertible {
        /// Path of the file: the path of the store's directory, and the file's name.
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
    /// The number of records in the segments of the repaired store. If nothing was damaged:
    /// ``VerificationReport/recordsChecked``.
    public var recordsKept = 0
    /// The number of records that were copied from damaged segments, or from segments with damaged value files.
    public var recordsSalvaged = 0
    /// The data that is lost, or may be.
    public var losses: [Loss] = []
    /// Path of the directory, inside the store's directory, to which damaged files and files that the repaired store
    /// does not need were moved. Its file `LOSSES` lists ``losses``. Nil if there were neither files nor losses.
    public var damagedFilesDirectory: String?
    /// Paths of the files that were moved to ``damagedFilesDirectory``.
    public var damagedFiles: [String] = []

    /// Creates an empty report.
    public init() {}
}
