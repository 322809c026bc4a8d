/// What is wrong with a line of input, and where in the line.
struct FormatError: Error, Hashable {
    /// The byte in the line, counted from 1.
    var column: Int
    /// What was expected, or is not allowed.
    var reason: String

    init(_ reason: String, at offset: Int) {
        self.reason = reason
        column = offset + 1
    }
}
