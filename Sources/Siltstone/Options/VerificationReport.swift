/// The result of checking the files of a store. `KeyValueStore.verify` says which bytes are checked.
public struct VerificationReport: Sendable, Hashable, Codable {
    /// A problem that was found.
    public struct Problem: Sendable, Hashable, Codable, CustomStringConvertible {
        /// Path of the file: the path of the store's directory, and the file's name.
        public var file: String
        /// The offset in the file in bytes, if it is known.
        public var offset: Int?
        /// The damage: bytes that are corrupt or contradict others, or a missing `CURRENT` or manifest. If another file
        /// is missing, or a file cannot be read, `KeyValueStore.verify` throws.
        public var message: String

        /// File, offset and message in one line.
        public var description: String { file + (offset.map { ", offset \($0)" } ?? "") + ": " + message }
    }

    /// The problems; empty if everything that was checked is intact.
    public var problems: [Problem] = []
    /// The number of files read.
    public var filesChecked = 0
    /// Bytes read.
    public var bytesChecked = 0
    /// The number of records in segments and value files, and of changes in logs.
    public var recordsChecked = 0

    /// Creates an empty report.
    public init() {}

    /// Whether everything that was checked is intact.
    public var isClean: Bool { problems.isEmpty }
}

/// The progress of a verification.
public struct VerificationProgress: Sendable, Hashable {
    /// Bytes read so far.
    public var bytesChecked: Int
    /// Bytes to read in total, about: the manifest and later writes are not included.
    public var bytesTotal: Int
    /// The file that is being read; see ``VerificationReport/Problem/file``.
    public var file: String
}
