/// The column is less than the value.
public func < <A: Codable, V: ColumnConvertible>(lhs: KeyPath<A, V>, rhs: V) -> Condition {
    Condition(.lessThan(lhs: .keyPath(lhs), rhs: .value(rhs.columnValue)))
}

/// The column is less than the value. Accepts any `Int`, also out of the column's range.
public func < <A: Codable, V: NarrowInteger>(lhs: KeyPath<A, V>, rhs: Int) -> Condition {
    Condition(.lessThan(lhs: .keyPath(lhs), rhs: .value(rhs.columnValue)))
}

/// The column is less than the value. Accepts any `Int`, also out of the column's range.
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

/// The first column is less than the second.
public func < <A: Codable, B: Codable, V>(lhs: KeyPath<A, V>, rhs: KeyPath<B, V>) -> Condition {
    Condition(.lessThan(lhs: .keyPath(lhs), rhs: .keyPath(rhs)))
}

/// The column is less than or equal to the value.
public func <= <A: Codable, V: ColumnConvertible>(lhs: KeyPath<A, V>, rhs: V) -> Condition {
    Condition(.lessThanEqual(lhs: .keyPath(lhs), rhs: .value(rhs.columnValue)))
}

/// The column is less than or equal to the value. Accepts any `Int`, also out of the column's range.
public func <= <A: Codable, V: NarrowInteger>(lhs: KeyPath<A, V>, rhs: Int) -> Condition {
    Condition(.lessThanEqual(lhs: .keyPath(lhs), rhs: .value(rhs.columnValue)))
}

/// The column is less than or equal to the value. Accepts any `Int`, also out of the column's range.
public func <= <A: Codable, V: NarrowInteger>(lhs: KeyPath<A, V?>, rhs: Int) -> Condition {
    Condition(.lessThanEqual(lhs: .keyPath(lhs), rhs: .value(rhs.columnValue)))
}

/// The column is less than or equal to the value. Compares raw values.
@_disfavoredOverload
public func <= <A: Codable, V: RawRepresentable>(lhs: KeyPath<A, V>, rhs: V) -> Condition
where V.RawValue: ColumnConvertible {
    Condition(.lessThanEqual(lhs: .keyPath(lhs), rhs: .value(rhs.rawValue.columnValue)))
}

/// The column is less than or equal to the value. Compares raw values.
@_disfavoredOverload
public func <= <A: Codable, V: RawRepresentable>(lhs: KeyPath<A, V?>, rhs: V?) -> Condition
where V.RawValue: ColumnConvertible {
    Condition(.lessThanEqual(lhs: .keyPath(lhs), rhs: .value(rhs?.rawValue.columnValue ?? .null)))
}

/// The first column is less than or equal to the second.
public func <= <A: Codable, B: Codable, V>(lhs: KeyPath<A, V>, rhs: KeyPath<B, V>) -> Condition {
    Condition(.lessThanEqual(lhs: .keyPath(lhs), rhs: .keyPath(rhs)))
}

/// The column is greater than the value.
public func > <A: Codable, V: ColumnConvertible>(lhs: KeyPath<A, V>, rhs: V) -> Condition {
    Condition(.greaterThan(lhs: .keyPath(lhs), rhs: .value(rhs.columnValue)))
}

/// The column is greater than the value. Accepts any `Int`, also out of the column's range.
public func > <A: Codable, V: NarrowInteger>(lhs: KeyPath<A, V>, rhs: Int) -> Condition {
    Condition(.greaterThan(lhs: .keyPath(lhs), rhs: .value(rhs.columnValue)))
}

/// The column is greater than the value. Accepts any `Int`, also out of the column's range.
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

/// The first column is greater than the second.
public func > <A: Codable, B: Codable, V>(lhs: KeyPath<A, V>, rhs: KeyPath<B, V>) -> Condition {
    Condition(.greaterThan(lhs: .keyPath(lhs), rhs: .keyPath(rhs)))
}

/// The column is greater than or equal to the value.
public func >= <A: Codable, V: ColumnConvertible>(lhs: KeyPath<A, V>, rhs: V) -> Condition {
    Condition(.greaterThanEqual(lhs: .keyPath(lhs), rhs: .value(rhs.columnValue)))
}

/// The column is greater than or equal to the value. Accepts any `Int`, also out of the column's range.
public func >= <A: Codable, V: NarrowInteger>(lhs: KeyPath<A, V>, rhs: Int) -> Condition {
    Condition(.greaterThanEqual(lhs: .keyPath(lhs), rhs: .value(rhs.columnValue)))
}

/// The column is greater than or equal to the value. Accepts any `Int`, also out of the column's range.
public func >= <A: Codable, V: NarrowInteger>(lhs: KeyPath<A, V?>, rhs: Int) -> Condition {
    Condition(.greaterThanEqual(lhs: .keyPath(lhs), rhs: .value(rhs.columnValue)))
}

/// The column is greater than or equal to the value. Compares raw values.
@_disfavoredOverload
public func >= <A: Codable, V: RawRepresentable>(lhs: KeyPath<A, V>, rhs: V) -> Condition
where V.RawValue: ColumnConvertible {
    Condition(.greaterThanEqual(lhs: .keyPath(lhs), rhs: .value(rhs.rawValue.columnValue)))
}

/// The column is greater than or equal to the value. Compares raw values.
@_disfavoredOverload
public func >= <A: Codable, V: RawRepresentable>(lhs: KeyPath<A, V?>, rhs: V?) -> Condition
where V.RawValue: ColumnConvertible {
    Condition(.greaterThanEqual(lhs: .keyPath(lhs), rhs: .value(rhs?.rawValue.columnValue ?? .null)))
}

/// The first column is greater than or equal to the second.
public func >= <A: Codable, B: Codable, V>(lhs: KeyPath<A, V>, rhs: KeyPath<B, V>) -> Condition {
    Condition(.greaterThanEqual(lhs: .keyPath(lhs), rhs: .keyPath(rhs)))
}
