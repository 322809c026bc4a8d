import TableKit

extension ColumnTest {
    /// True if a value passes the test.
    func isMet(by value: ColumnValue) -> Bool {
        switch self {
        case .isNull: value.isNull
        case .isNotNull: !value.isNull
        case .compare(let comparison, let other):
            !value.isNull && comparison.holds(order: ColumnValue.order(value, other))
        case .isIn(let values): !value.isNull && values.contains { ColumnValue.areSame($0, value) }
        case .isNotIn(let values): !value.isNull && !values.contains { ColumnValue.areSame($0, value) }
        case .like(let pattern): value.text.map { TextPattern(pattern).matches(text: $0) } ?? false
        case .isNotLike(let pattern): value.text.map { !TextPattern(pattern).matches(text: $0) } ?? false
        }
    }
}

extension Condition {
    /// True if the values of a row match the condition.
    /// - Parameter value: returns the value of a column.
    func isMet(_ value: (ColumnReference) throws -> ColumnValue) rethrows -> Bool {
        switch self {
        case .always: return true
        case .never: return false
        case .test(let column, let test): return test.isMet(by: try value(column))
        case .columns(let left, let comparison, let right):
            let (a, b) = (try value(left), try value(right))
            return !a.isNull && !b.isNull && comparison.holds(order: ColumnValue.order(a, b))
        case .and(let parts): return try parts.allSatisfy { try $0.isMet(value) }
        case .or(let parts): return try parts.contains { try $0.isMet(value) }
        }
    }

    /// True if a row of NULLs matches the condition, as a left join without a match yields it.
    var isMetByNulls: Bool { isMet { _ in .null } }
}

extension ColumnValue {
    fileprivate var text: String? {
        switch self {
        case .text(let text), .json(let text): text
        default: nil
        }
    }
}

extension TextPattern {
    /// True if the pattern matches.
    func matches(text: String) -> Bool {
        var text = text
        return text.withUTF8 { unsafe matches(UnsafeRawBufferPointer($0)) }
    }
}
