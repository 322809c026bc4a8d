import TableKit

/// What type the values of a column have, found by looking at all of them: the narrowest of integer, real, bool, UUID, date
/// that every value is, else text.
struct ColumnGuess {
    private static let candidates: [ColumnType] = [.int64, .double, .bool, .uuid, .date]
    private var types = candidates
    private(set) var hasNull = false
    private var hasValue = false

    /// Looks at a value; nil is NULL.
    mutating func add(_ text: String?) {
        guard let text else {
            hasNull = true
            return
        }
        hasValue = true
        // A number with a leading zero is a code: a postcode, a telephone number.
        let isCode = text.utf8.count > 1 && text.utf8.first == UInt8(ascii: "0") && !text.contains(".")
        types.removeAll { type in
            if type == .bool { return text != "true" && text != "false" }
            if isCode, type == .int64 || type == .double { return true }
            return CellText.value(text, type) == nil
        }
    }

    /// The type.
    var type: ColumnType { hasValue ? types.first ?? .string : .string }
}
