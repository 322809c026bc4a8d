/// A condition on the columns of a query, with three values as in SQL: true, false, unknown. Rows for which it is true match.
///
/// A comparison with NULL is unknown, and so is its negation; ``isNull(_:)`` is always true or false. Values are compared as
/// ``ColumnValue/order(_:_:)`` orders them.
public indirect enum Predicate: Sendable, Hashable {
    /// True, false, or (nil) unknown for every row.
    case constant(Bool?)
    /// A column beside a value. A value of another type than the column's is brought to it where both are numbers.
    case compare(ColumnReference, Comparison, ColumnValue)
    /// Two columns.
    case compareColumns(ColumnReference, Comparison, ColumnReference)
    /// Whether the column is NULL.
    case isNull(ColumnReference)
    /// Whether the column equals one of the values: false for an empty list, also for NULL. A NULL among the values makes
    /// it unknown where no other value is equal.
    case isIn(ColumnReference, [ColumnValue])
    /// Whether the column's text is like the pattern.
    case like(ColumnReference, LikePattern)
    case not(Predicate)
    case and([Predicate])
    case or([Predicate])
}

/// How two values compare.
public enum Comparison: UInt8, Sendable, Hashable {
    case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual
}

/// A pattern for text. Letters of ASCII match without case, as SQLite's LIKE does; all else is literal.
public struct LikePattern: Sendable, Hashable {
    /// Where the text may stand.
    public enum Place: UInt8, Sendable, Hashable {
        case anywhere, atStart, atEnd, whole
        /// The text is a pattern of SQL and stands for the whole: `%` for any characters, `_` for one of Unicode.
        case wildcards
    }

    /// The text.
    public var text: String
    /// Where it may stand.
    public var place: Place

    /// A pattern.
    public init(_ text: String, _ place: Place) {
        self.text = text
        self.place = place
    }
}

extension Predicate {
    /// The conditions that all must be true: those of an `and`, else the one.
    public var conjuncts: [Predicate] {
        if case .and(let parts) = self { parts.flatMap(\.conjuncts) } else { [self] }
    }
}
