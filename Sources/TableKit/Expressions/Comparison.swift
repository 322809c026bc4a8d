/// The column is less than the value.
public func < <A: Codable, V: ColumnConvertible>(lhs: KeyPath<A, V>, rhs: V) -> Condition {
    Condition(.lessThan(lhs: .keyPath(lhs), rhs: .value(rhs.columnValue)))
}

/// The column is less than the value. Any `Int` compares, also one out of the column's range.
public func < <A: Codable, V: NarrowInteger>(lhs: KeyPath<A, V>, rhs: Int) -> Condition {
    Condition(.lessThan(lhs: .keyPath(lhs), rhs: .value(rhs.columnValue)))
}

/// The column is less than the value. Any `Int` compares, also one out of the column's range.
public func < <A: Codable, V: NarrowInteger>(lhs: KeyPath<A, V?>, rhs: Int) -> Condition {
    Condition(.lessThan(lhs: .keyPath(lhs), rhs: .value(rhs.columnValue)))
}

/// The column is less than the value. Compares raw values.
@_disfavoredOverload
public func < <A: Codable, V: RawRepresentable>(lhs: KeyPath<A, V>, rhs: V) -> Condition
where V.RawValue: ColumnConvertible {
    Condition(.lessThan(lhs: .keyPath(lhs), rhs: .value(rhs.rawValue.columnValue)))
}

/// The column is less than the value. Compares raw values.
@_disfavoredOverload
public func < <A: Codable, V: RawRepresentable>(lhs: KeyPath<A, V?>, rhs: V?) -> Condition
where V.RawValue: ColumnConvertible {
    Condition(.lessThan(lhs: .keyPath(lhs), rhs: .value(rhs?.rawValue.columnValue ?? .null)))
}

/// The column is less than the value. Two columns.
public func < <A: Codable, B: Codable, V>(lhs: KeyPath<A, V>, rhs: KeyPath<B, V>) -> Condition {
    Condition(.lessThan(lhs: .keyPath(lhs), rhs: .keyPath(rhs)))
}

/// The column is the value or less.
public func <= <A: Codable, V: ColumnConvertible>(lhs: KeyPath<A, V>, rhs: V) -> Condition {
    Condition(.lessThanEqual(lhs: .keyPath(lhs), rhs: .value(rhs.columnValue)))
}

/// The column is the value or less. Any `Int` compares, also one out of the column's range.
public func <= <A: Codable, V: NarrowInteger>(lhs: KeyPath<A, V>, rhs: Int) -> Condition {
    Condition(.lessThanEqual(lhs: .keyPath(lhs), rhs: .value(rhs.columnValue)))
}

/// The column is the value or less. Any `Int` compares, also one out of the column's range.
public func <= <A: Codable, V: NarrowInteger>(lhs: KeyPath<A, V?>, rhs: Int) -> Condition {
    Condition(.lessThanEqual(lhs: .keyPath(lhs), rhs: .value(rhs.columnValue)))
}

/// The column is the value or less. Compares raw values.
@_disfavoredOverload
public func <= <A: Codable, V: RawRepresentable>(lhs: KeyPath<A, V>, rhs: V) -> Condition
where V.RawValue: ColumnConvertible {
    Condition(.lessThanEqual(lhs: .keyPath(lhs), rhs: .value(rhs.rawValue.columnValue)))
}

/// The column is the value or less. Compares raw values.
@_disfavoredOverload
public func <= <A: Codable, V: RawRepresentable>(lhs: KeyPath<A, V?>, rhs: V?) -> Condition
where V.RawValue: ColumnConvertible {
    Condition(.lessThanEqual(lhs: .keyPath(lhs), rhs: .value(rhs?.rawValue.columnValue ?? .null)))
}

/// The column is the value or less. Two columns.
public func <= <A: Codable, B: Codable, V>(lhs: KeyPath<A, V>, rhs: KeyPath<B, V>) -> Condition {
    Condition(.lessThanEqual(lhs: .keyPath(lhs), rhs: .keyPath(rhs)))
}

/// The column is greater than the value.
public func > <A: Codable, V: ColumnConvertible>(lhs: KeyPath<A, V>, rhs: V) -> Condition {
    Condition(.greaterThan(lhs: .keyPath(lhs), rhs: .value(rhs.columnValue)))
}

/// The column is greater than the value. Any `Int` compares, also one out of the column's range.
public func > <A: Codable, V: NarrowInteger>(lhs: KeyPath<A, V>, rhs: Int) -> Condition {
    Condition(.greaterThan(lhs: .keyPath(lhs), rhs: .value(rhs.columnValue)))
}

/// The column is greater than the value. Any `Int` compares, also one out of the column's range.
public func > <A: Codable, V: NarrowInteger>(lhs: KeyPath<A, V?>, rhs: Int) -> Condition {
    Condition(.greaterThan(lhs: .keyPath(lhs), rhs: .value(rhs.columnValue)))
}

/// The column is greater than the value. Compares raw values.
@_disfavoredOverload
public func > <A: Codable, V: RawRepresentable>(lhs: KeyPath<A, V>, rhs: V) -> Condition
where V.RawValue: ColumnConvertible {
    Condition(.greaterThan(lhs: .keyPath(lhs), rhs: .value(rhs.rawValue.columnValue)))
}

/// The column is greater than the value. Compares raw values.
@_disfavoredOverload
public func > <A: Codable, V: RawRepresentable>(lhs: KeyPath<A, V?>, rhs: V?) -> Condition
where V.RawValue: ColumnConvertible {
    Condition(.greaterThan(lhs: .keyPath(lhs), rhs: .value(rhs?.rawValue.columnValue ?? .null)))
}

/// The column is greater than the value. Two columns.
public func > <A: Codable, B: Codable, V>(lhs: KeyPath<A, V>, rhs: KeyPath<B, V>) -> Condition {
    Condition(.greaterThan(lhs: .keyPath(lhs), rhs: .keyPath(rhs)))
}

/// The column is the value or greater.
public func >= <A: Codable, V: ColumnConvertible>(lhs: KeyPath<A, V>, rhs: V) -> Condition {
    Condition(.greaterThanEqual(lhs: .keyPath(lhs), rhs: .value(rhs.columnValue)))
}

/// The column is the value or greater. Any `Int` compares, also one out of the column's range.
public func >= <A: Codable, V: NarrowInteger>(lhs: KeyPath<A, V>, rhs: Int) -> Condition {
    Condition(.greaterThanEqual(lhs: .keyPath(lhs), rhs: .value(rhs.columnValue)))
}

/// The column is the value or greater. Any `Int` compares, also one out of the column's range.
public func >= <A: Codable, V: NarrowInteger>(lhs: KeyPath<A, V?>, rhs: Int) -> Condition {
    Condition(.greaterThanEqual(lhs: .keyPath(lhs), rhs: .value(rhs.columnValue)))
}

/// The column is the value or greater. Compares raw values.
@_disfavoredOverload
public func >= <A: Codable, V: RawRepresentable>(lhs: KeyPath<A, V>, rhs: V) -> Condition
where V.RawValue: ColumnConvertible {
    Condition(.greaterThanEqual(lhs: .keyPath(lhs), rhs: .value(rhs.rawValue.columnValue)))
}

/// The column is the value or greater. Compares raw values.
@_disfavoredOverload
public func >= <A: Codable, V: RawRepresentable>(lhs: KeyPath<A, V?>, rhs: V?) -> Condition
where V.RawValue: ColumnConvertible {
    Condition(.greaterThanEqual(lhs: .keyPath(lhs), rhs: .value(rhs?.rawValue.columnValue ?? .null)))
}

/// The column is the value or greater. Two columns.
public func >= <A: Codable, B: Codable, V>(lhs: KeyPath<A, V>, rhs: KeyPath<B, V>) -> Condition {
    Condition(.greaterThanEqual(lhs: .keyPath(lhs), rhs: .keyPath(rhs)))
}
