/// The column equals the value; nil means IS NULL.
public func == <A: Codable, V: ColumnConvertible>(lhs: KeyPath<A, V>, rhs: V) -> Condition {
    Condition(.equality(lhs: .keyPath(lhs), rhs: .value(rhs.columnValue)))
}

/// The column equals the value. Accepts any `Int`, also out of the column's range.
public func == <A: Codable, V: NarrowInteger>(lhs: KeyPath<A, V>, rhs: Int) -> Condition {
    Condition(.equality(lhs: .keyPath(lhs), rhs: .value(rhs.columnValue)))
}

/// The column equals the value. Accepts any `Int`, also out of the column's range.
public func == <A: Codable, V: NarrowInteger>(lhs: KeyPath<A, V?>, rhs: Int) -> Condition {
    Condition(.equality(lhs: .keyPath(lhs), rhs: .value(rhs.columnValue)))
}

/// The column equals the value; nil means IS NULL. Compares raw values.
@_disfavoredOverload
public func == <A: Codable, V: RawRepresentable>(lhs: KeyPath<A, V>, rhs: V) -> Condition
where V.RawValue: ColumnConvertible {
    Condition(.equality(lhs: .keyPath(lhs), rhs: .value(rhs.rawValue.columnValue)))
}

/// The column equals the value; nil means IS NULL. Compares raw values.
@_disfavoredOverload
public func == <A: Codable, V: RawRepresentable>(lhs: KeyPath<A, V?>, rhs: V?) -> Condition
where V.RawValue: ColumnConvertible {
    Condition(.equality(lhs: .keyPath(lhs), rhs: .value(rhs?.rawValue.columnValue ?? .null)))
}

/// The two columns are equal.
public func == <A: Codable, B: Codable, V>(lhs: KeyPath<A, V>, rhs: KeyPath<B, V>) -> Condition {
    Condition(.equality(lhs: .keyPath(lhs), rhs: .keyPath(rhs)))
}

/// The column is NULL.
@_disfavoredOverload
public func == <A: Codable, V>(lhs: KeyPath<A, V?>, rhs: _OptionalNilComparisonType) -> Condition {
    Condition(.equality(lhs: .keyPath(lhs), rhs: .null))
}

/// The column is not NULL and differs from the value; nil means IS NOT NULL.
public func != <A: Codable, V: ColumnConvertible>(lhs: KeyPath<A, V>, rhs: V) -> Condition {
    Condition(.inequality(lhs: .keyPath(lhs), rhs: .value(rhs.columnValue)))
}

/// The column is not NULL and differs from the value. Accepts any `Int`, also out of the column's range.
public func != <A: Codable, V: NarrowInteger>(lhs: KeyPath<A, V>, rhs: Int) -> Condition {
    Condition(.inequality(lhs: .keyPath(lhs), rhs: .value(rhs.columnValue)))
}

/// The column is not NULL and differs from the value. Accepts any `Int`, also out of the column's range.
public func != <A: Codable, V: NarrowInteger>(lhs: KeyPath<A, V?>, rhs: Int) -> Condition {
    Condition(.inequality(lhs: .keyPath(lhs), rhs: .value(rhs.columnValue)))
}

/// The column is not NULL and differs from the value; nil means IS NOT NULL. Compares raw values.
@_disfavoredOverload
public func != <A: Codable, V: RawRepresentable>(lhs: KeyPath<A, V>, rhs: V) -> Condition
where V.RawValue: ColumnConvertible {
    Condition(.inequality(lhs: .keyPath(lhs), rhs: .value(rhs.rawValue.columnValue)))
}

/// The column is not NULL and differs from the value; nil means IS NOT NULL. Compares raw values.
@_disfavoredOverload
public func != <A: Codable, V: RawRepresentable>(lhs: KeyPath<A, V?>, rhs: V?) -> Condition
where V.RawValue: ColumnConvertible {
    Condition(.inequality(lhs: .keyPath(lhs), rhs: .value(rhs?.rawValue.columnValue ?? .null)))
}

/// The two columns differ. Rows with a NULL in one of them do not match.
public func != <A: Codable, B: Codable, V>(lhs: KeyPath<A, V>, rhs: KeyPath<B, V>) -> Condition {
    Condition(.inequality(lhs: .keyPath(lhs), rhs: .keyPath(rhs)))
}

/// The column is not NULL.
@_disfavoredOverload
public func != <A: Codable, V>(lhs: KeyPath<A, V?>, rhs: _OptionalNilComparisonType) -> Condition {
    Condition(.inequality(lhs: .keyPath(lhs), rhs: .null))
}
