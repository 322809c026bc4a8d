import Siltstone
import TableKit

/// An access path: one way to read the rows of a table that match a condition.
struct AccessPath {
    /// The data that is read.
    enum Kind {
        /// Nothing: no row matches.
        case nothing
        /// Rows by their full keys, in order.
        case rowPoints([[UInt8]])
        /// Ranges of rows, in order.
        case rowRanges([KeyRange])
        /// Entries of a unique index by their full keys, in order, and their rows.
        case indexPoints([[UInt8]])
        /// Ranges of an index, in order, and the rows of their entries.
        case indexRanges([KeyRange])
        /// The rows of all branches. Each branch excludes rows that match the condition of an earlier one.
        case union([(path: AccessPath, branch: Condition)])
    }

    var kind: Kind
    /// The order of the rows, except for unions.
    var order: KeyOrder
    /// The columns with a single value in all rows read.
    var fixed: [Int] = []
    /// The columns whose conditions determined the keys or ranges.
    var used: [Int] = []
    /// The remaining condition on the rows read.
    var filter: Condition
    /// The estimated number of rows or entries read.
    var entries = 0.0
    /// The estimated number of matching rows.
    var rows = 0.0
    /// The estimated cost in microseconds.
    var cost = 0.0

    /// True if the path reads exactly the matching rows.
    var isExact: Bool {
        if case .union = kind { return false }
        return filter == .always
    }

    var isNothing: Bool { if case .nothing = kind { true } else { false } }

    var isUnion: Bool { if case .union = kind { true } else { false } }

    // MARK: Order

    /// How much of a requested order a path provides.
    struct Coverage {
        /// The number of leading terms that the path's order provides.
        var terms = 0
        /// True if the path must be read in reverse.
        var isReverse = false
        /// True if the rows come in exactly the requested order, with equal rows in key order.
        var isTotal = false
    }

    /// Returns how much of an order the path provides.
    func coverage(of terms: [OrderTerm]) -> Coverage {
        if isUnion || terms.isEmpty { return Coverage() }
        var rest = order.sortColumns.filter { column in column.map { !fixed.contains($0) } ?? true }[...]
        var result = Coverage()
        var direction: Bool?
        var done = fixed
        for term in terms {
            if !done.contains(term.column) {
                guard rest.first == .some(.some(term.column)), direction ?? term.isDescending == term.isDescending
                else { break }
                direction = term.isDescending
                rest = rest.dropFirst()
                done.append(term.column)
            }
            result.terms += 1
        }
        result.isReverse = direction ?? false
        guard result.terms == terms.count else { return result }
        let key = order.key.filter { column in column.map { !done.contains($0) } ?? true }
        let isUnique = rest.isEmpty && !order.key.isEmpty
        // A column missing in the structure has no number to compare.
        let isKnown = order.index == nil || !rest.contains(nil)
        result.isTotal = isUnique || (!result.isReverse && isKnown && Array(rest) == key)
        return result
    }
}
