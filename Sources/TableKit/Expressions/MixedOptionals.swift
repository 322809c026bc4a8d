// Columns and values of which one is optional and the other is not. NULL compares as in SQL: with nothing, but that `== nil`
// and `!= nil` ask for it.

/// The column equals another column, which cannot be NULL.
public func == <A: Codable, B: Codable, V>(lhs: KeyPath<A, V?>, rhs: KeyPath<B, V>) -> Condition {
    Condition(.equality(lhs: .keyPath(lhs), rhs: .keyPath(rhs)))
}

/// The column equals another column, which can be NULL.
public func == <A: Codable, B: Codable, V>(lhs: KeyPath<A, V>, rhs: KeyPath<B, V?>) -> Condition {
    Condition(.equality(lhs: .keyPath(lhs), rhs: .keyPath(rhs)))
}

/// The column equals a value that may be missing.
@_disfavoredOverload
public func == <A: Codable, V: ColumnConvertible>(lhs: KeyPath<A, V>, rhs: V?) -> Condition {
    Condition(.equality(lhs: .keyPath(lhs), rhs: .value(rhs.columnValue)))
}

/// The column has a value other than another column, which cannot be NULL.
public func != <A: Codable, B: Codable, V>(lhs: KeyPath<A, V?>, rhs: KeyPath<B, V>) -> Condition {
    Condition(.inequality(lhs: .keyPath(lhs), rhs: .keyPath(rhs)))
}

/// The column has a value other than another column, which can be NULL.
public func != <A: Codable, B: Codable, V>(lhs: KeyPath<A, V>, rhs: KeyPath<B, V?>) -> Condition {
    Condition(.inequality(lhs: .keyPath(lhs), rhs: .keyPath(rhs)))
}

/// The column has a value other than a value that may be missing.
@_disfavoredOverload
public func != <A: Codable, V: ColumnConvertible>(lhs: KeyPath<A, V>, rhs: V?) -> Condition {
    Condition(.inequality(lhs: .keyPath(lhs), rhs: .value(rhs.columnValue)))
}

/// The column is less than another column, which cannot be NULL.
public func < <A: Codable, B: Codable, V>(lhs: KeyPath<A, V?>, rhs: KeyPath<B, V>) -> Condition {
    Condition(.lessThan(lhs: .keyPath(lhs), rhs: .keyPath(rhs)))
}

/// The column is less than another column, which can be NULL.
public func < <A: Codable, B: Codable, V>(lhs: KeyPath<A, V>, rhs: KeyPath<B, V?>) -> Condition {
    Condition(.lessThan(lhs: .keyPath(lhs), rhs: .keyPath(rhs)))
}

/// The column is less than a value that may be missing.
@_disfavoredOverload
public func < <A: Codable, V: ColumnConvertible>(lhs: KeyPath<A, V>, rhs: V?) -> Condition {
    Condition(.lessThan(lhs: .keyPath(lhs), rhs: .value(rhs.columnValue)))
}

/// The column is at most another column, which cannot be NULL.
public func <= <A: Codable, B: Codable, V>(lhs: KeyPath<A, V?>, rhs: KeyPath<B, V>) -> Condition {
    Condition(.lessThanEqual(lhs: .keyPath(lhs), rhs: .keyPath(rhs)))
}

/// The column is at most another column, which can be NULL.
public func <= <A: Codable, B: Codable, V>(lhs: KeyPath<A, V>, rhs: KeyPath<B, V?>) -> Condition {
    Condition(.lessThanEqual(lhs: .keyPath(lhs), rhs: .keyPath(rhs)))
}

/// The column is at most a value that may be missing.
@_disfavoredOverload
public func <= <A: Codable, V: ColumnConvertible>(lhs: KeyPath<A, V>, rhs: V?) -> Condition {
    Condition(.lessThanEqual(lhs: .keyPath(lhs), rhs: .value(rhs.columnValue)))
}

/// The column is greater than another column, which cannot be NULL.
public func > <A: Codable, B: Codable, V>(lhs: KeyPath<A, V?>, rhs: KeyPath<B, V>) -> Condition {
    Condition(.greaterThan(lhs: .keyPath(lhs), rhs: .keyPath(rhs)))
}

/// The column is greater than another column, which can be NULL.
public func > <A: Codable, B: Codable, V>(lhs: KeyPath<A, V>, rhs: KeyPath<B, V?>) -> Condition {
    Condition(.greaterThan(lhs: .keyPath(lhs), rhs: .keyPath(rhs)))
}

/// The column is greater than a value that may be missing.
@_disfavoredOverload
public func > <A: Codable, V: ColumnConvertible>(lhs: KeyPath<A, V>, rhs: V?) -> Condition {
    Condition(.greaterThan(lhs: .keyPath(lhs), rhs: .value(rhs.columnValue)))
}

/// The column is at least another column, which cannot be NULL.
public func >= <A: Codable, B: Codable, V>(lhs: KeyPath<A, V?>, rhs: KeyPath<B, V>) -> Condition {
    Condition(.greaterThanEqual(lhs: .keyPath(lhs), rhs: .keyPath(rhs)))
}

/// The column is at least another column, which can be NULL.
public func >= <A: Codable, B: Codable, V>(lhs: KeyPath<A, V>, rhs: KeyPath<B, V?>) -> Condition {
    Condition(.greaterThanEqual(lhs: .keyPath(lhs), rhs: .keyPath(rhs)))
}

/// The column is at least a value that may be missing.
@_disfavoredOverload
public func >= <A: Codable, V: ColumnConvertible>(lhs: KeyPath<A, V>, rhs: V?) -> Condition {
    Condition(.greaterThanEqual(lhs: .keyPath(lhs), rhs: .value(rhs.columnValue)))
}
