import TableKit

/// Finds the type of a column from all its values: the narrowest that holds every value without loss, otherwise text.
struct ColumnGuess {
    private static let candidates: [ColumnType] = [.int64, .uint64, .double, .bool, .uuid, .date, .bytes, .json]
    private var types = candidates
    /// The line of the first row without a value of this column.
    private var firstMissing: Int?
    /// The line of the first row with `null`, which is a value in a column of JSON.
    private var firstNullWord: Int?
    private var hasValue = false
    /// Whether a value is a number other than `inf` and `nan`, which may be words.
    private var hasNumber = false

    /// The line of the first row with NULL in this column.
    var firstNull: Int? {
        if type == .json { return firstMissing }
        return [firstMissing, firstNullWord].compactMap(\.self).min()
    }

    var hasNull: Bool { firstNull != nil }

    /// Adds a value; nil is NULL.
    mutating func add(_ cell: ImportedCell?, line: Int) {
        guard let cell else {
            firstMissing = firstMissing ?? line
            return
        }
        if cell.kind == .null {
            firstNullWord = firstNullWord ?? line
            return
        }
        hasValue = true
        if cell.kind == .plain, !NumberText.isSpecial(cell.text) { hasNumber = true }
        if !types.isEmpty { types.removeAll { !Self.fits(cell, $0) } }
    }

    private static func fits(_ cell: ImportedCell, _ type: ColumnType) -> Bool {
        let text = cell.text
        return switch type {
        case .int64, .uint64: cell.kind == .plain && NumberText.integer(text)?.fitting(type) != nil
        case .double:
            NumberText.isSpecial(text) || (cell.kind == .plain && NumberText.isLosslessReal(text))
        case .bool: cell.kind == .plain && (text == "true" || text == "false")
        case .bytes: cell.kind != .nested && text.hasPrefix("\\x") && CellText.value(cell, .bytes) != nil
        // A CSV field is JSON only if it is an object or an array.
        case .json:
            cell.kind != .string && (text.hasPrefix("{") || text.hasPrefix("["))
                && CellText.value(cell, .json) != nil
        default: cell.kind != .nested && CellText.value(cell, type) != nil
        }
    }

    /// The narrowest type.
    var type: ColumnType {
        guard hasValue else { return .string }
        return types.first { $0 != .double || hasNumber } ?? .string
    }
}
