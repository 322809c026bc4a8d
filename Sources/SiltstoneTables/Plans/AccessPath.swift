import Siltstone
import TableKit

/// One way to reach the rows of a table that meet a condition.
struct AccessPath {
    /// What is read.
    enum Kind {
        /// Nothing: the condition is never met.
        case nothing
        /// Rows by their whole keys, in order.
        case rowPoints([[UInt8]])
        /// Ranges of rows, in order.
        case rowRanges([KeyRange])
        /// Entries of a unique index by their whole keys, in order, and their rows.
        case indexPoints([[UInt8]])
        /// Ranges of an index, in order, and the rows of the entries.
        case indexRanges([KeyRange])
        /// The rows of all branches. Each leaves out those that meet the condition of an earlier one.
        case union([(path: AccessPath, branch: Condition)])
    }

    var kind: Kind
    /// The order in which rows come, but for unions.
    var order: KeyOrder
    /// The columns that have one value in all that is read.
    var fixed: [Int] = []
    /// The columns whose conditions chose what is read.
    var used: [Int] = []
    /// What rows have to meet yet.
    var filter: Condition
    /// About how many rows or entries are read.
    var entries = 0.0
    /// About how many rows meet the condition.
    var rows = 0.0
    /// Microseconds, about.
    var cost = 0.0

    /// Whether what is read are exactly the rows that meet the condition.
    var isExact: Bool {
        if case .union = kind { return false }
        return filter == .always
    }

    var isNothing: Bool { if case .nothing = kind { true } else { false } }

    var isUnion: Bool { if case .union = kind { true } else { false } }

    // MARK: Order

    /// What the order of a path has of an order that is asked for.
    struct Coverage {
        /// The terms, from the first on, by which rows come sorted.
        var terms = 0
        /// Whether the path is read backwards for it.
        var isReverse = false
        /// Whether rows come exactly as asked for, those that are equal by their keys.
        var isTotal = false
    }

    /// How far rows come in an order.
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
        // A column that the structure lacks has no number to tell it by.
        let isKnown = order.index == nil || !rest.contains(nil)
        result.isTotal = isUnique || (!result.isReverse && isKnown && Array(rest) == key)
        return result
    }
}
