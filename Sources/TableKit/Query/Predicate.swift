/// A condition on the columns of a query, with SQL's three values: true, false, unknown. Rows match where it is true.
///
/// A comparison with NULL is unknown, and so is its negation; ``isNull(_:)`` is always true or false.
/// ``ColumnValue/order(_:_:)`` defines the order of values.
public indirect enum Predicate: Sendable, Hashable {
    /// The same value for every row: true, false, or unknown (nil).
    case constant(Bool?)
    /// Compares a column with a value. Converts a number of another type to the column's type.
    case compare(ColumnReference, Comparison, ColumnValue)
    /// Compares two columns.
    case compareColumns(ColumnReference, Comparison, ColumnReference)
    /// True where the column is NULL.
    case isNull(ColumnReference)
    /// True where the column equals one of the values. An empty list makes it false, also for NULL. A NULL in the list
    /// makes it unknown where no other value is equal.
    case isIn(ColumnReference, [ColumnValue])
    /// True where the column's text matches the pattern.
    case like(ColumnReference, LikePattern)
    /// True where the condition is false; unknown where it is unknown.
    case not(Predicate)
    /// True where all conditions are true; also without any.
    case and([Predicate])
    /// True where at least one condition is true.
    case or([Predicate])
}

/// A comparison operator.
public enum Comparison: UInt8, Sendable, Hashable {
    /// =
    case equal
    /// <>
    case notEqual
    /// <
    case less
    /// <=
    case lessOrEqual
    /// >
    case greater
    /// >=
    case greaterOrEqual
}

/// A text pattern. ASCII letters match case-insensitively, as in SQLite's LIKE; all other characters are literal.
public struct LikePattern: Sendable, Hashable {
    /// The position of the pattern in the text.
    public enum Place: UInt8, Sendable, Hashable {
        /// The text contains the pattern.
        case anywhere
        /// The text begins with the pattern.
        case atStart
        /// The text ends with the pattern.
        case atEnd
        /// The text equals the pattern.
        case whole
        /// The pattern is one of SQL's for the whole text: `%` matches any characters, `_` one Unicode character.
        case wildcards
    }

    /// The pattern's text.
    public var text: String
    /// The pattern's position.
    public var place: Place

    /// A pattern.
    public init(_ text: String, _ place: Place) {
        self.text = text
        self.place = place
    }
}

extension Predicate {
    /// The operands of an `and`, flattened; for any other condition, the condition itself.
    public var conjuncts: [Predicate] {
        if case .and(let parts) = self { parts.flatMap(\.conjuncts) } else { [self] }
    }
}
