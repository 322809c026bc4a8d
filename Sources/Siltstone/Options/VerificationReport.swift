/// What checking every byte of a store found.
public struct VerificationReport: Sendable, Hashable, Codable {
    /// Something wrong.
    public struct Problem: Sendable, Hashable, Codable, CustomStringConvertible {
        /// The file.
        public var file: String
        /// Where in the file, in bytes, as far as that is known.
        public var offset: Int?
        /// What is wrong.
        public var message: String

        /// File, offset and message in one line.
        public var description: String { file + (offset.map { ", offset \($0)" } ?? "") + ": " + message }
    }

    /// All that is wrong; empty where every byte is well.
    public var problems: [Problem] = []
    /// Files read.
    public var filesChecked = 0
    /// Bytes read.
    public var bytesChecked = 0
    /// Records of segments and of value files, and changes of logs.
    public var recordsChecked = 0

    /// A report of nothing.
    public init() {}

    /// Whether every byte is well.
    public var isClean: Bool { problems.isEmpty }
}

/// How far a verification has come.
public struct VerificationProgress: Sendable, Hashable {
    /// Bytes read.
    public var bytesChecked: Int
    /// Bytes to read in all.
    public var bytesTotal: Int
    /// The file that is being read.
    public var file: String
}
