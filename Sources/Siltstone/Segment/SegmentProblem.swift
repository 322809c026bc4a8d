/// A defect that a check found in a file.
struct SegmentProblem: Hashable, Sendable {
    var file: String
    /// Offset in the file, in bytes; nil if it is unknown.
    var offset: Int?
    var message: String

    init(_ error: StoreError, file: String) {
        self.file = error.file ?? file
        offset = error.offset
        message = error.message
    }

    init(file: String, offset: Int?, message: String) {
        self.file = file
        self.offset = offset
        self.message = message
    }
}
