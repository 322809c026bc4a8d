/// An error in a line of input, with its column.
struct FormatError: Error, Hashable {
    /// The byte in the line, from 1.
    var column: Int
    /// The expected or forbidden text.
    var reason: String

    init(_ reason: String, at offset: Int) {
        self.reason = reason
        column = offset + 1
    }
}
