// Comparisons of an optional operand with one that is not. A comparison with NULL is unknown, as in SQL; `== nil` and
// `!= nil` test for NULL.

/// The column equals another column, which cannot be NULL.
public func == <A: Codable, B: Codable, V>(lhs: KeyPath<A, V?>, rhs: KeyPath<B, V>) -> Condition {
    Condition(.equality(lhs: .keyPath(lhs), rhs: .keyPath(rhs)))
}

/// The column equals another column, which can be NULL.
public func == <A: Codable, B: Codable, V>(lhs: KeyPath<A, V>, rhs: KeyPath<B, V?>) -> Condition {
    Condition(.equality(lhs: .keyPath(lhs), rhs: .keyPath(rhs)))
}

/// The column equals an optional value.
@_disfavoredOverload
public func == <A: Codable, V: ColumnConvertible>(lhs: KeyPath<A, V>, rhs: V?) -> Condition {
    Condition(.equality(lhs: .keyPath(lhs), rhs: .value(rhs.columnValue)))
}

/// The column is not NULL and differs from another column, which cannot be NULL.
public func != <A: Codable, B: Codable, V>(lhs: KeyPath<A, V?>, rhs: KeyPath<B, V>) -> Condition {
    Condition(.inequality(lhs: .keyPath(lhs), rhs: .keyPath(rhs)))
}

/// The column differs from another column, which can be NULL. A NULL there matches no row.
public func != <A: Codable, B: Codable, V>(lhs: KeyPath<A, V>, rhs: KeyPath<B, V?>) -> Condition {
    Condition(.inequality(lhs: .keyPath(lhs), rhs: .keyPath(rhs)))
}

/// The column differs from an optional value.
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

/// The column is less than an optional value.
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

/// The column is at most an optional value.
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

/// The column is greater than an optional value.
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

/// The column is at least an optional value.
@_disfavoredOverload
public func >= <A: Codable, V: ColumnConvertible>(lhs: KeyPath<A, V>, rhs: V?) -> Condition {
    Condition(.greaterThanEqual(lhs: .keyPath(lhs), rhs: .value(rhs.columnValue)))
}
