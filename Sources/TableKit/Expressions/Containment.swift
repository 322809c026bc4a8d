private func isIn(_ column: AnyKeyPath, _ values: [ColumnValue]) -> CRUDExpression {
    .in(lhs: .keyPath(column), rhs: values.map(CRUDExpression.value))
}

/// The column equals one of the values. Of an empty array: no row matches.
public func ~ <A: Codable, V: ColumnConvertible>(lhs: KeyPath<A, V>, rhs: [V]) -> Condition {
    Condition(isIn(lhs, rhs.map(\.columnValue)))
}

/// The column equals one of the values.
public func ~ <A: Codable, V: ColumnConvertible>(lhs: KeyPath<A, V?>, rhs: [V]) -> Condition {
    Condition(isIn(lhs, rhs.map(\.columnValue)))
}

/// The column equals one of the values; those out of the column's range equal none.
public func ~ <A: Codable, V: NarrowInteger>(lhs: KeyPath<A, V>, rhs: [Int]) -> Condition {
    Condition(isIn(lhs, rhs.map(\.columnValue)))
}

/// The column equals one of the values; those out of the column's range equal none.
public func ~ <A: Codable, V: NarrowInteger>(lhs: KeyPath<A, V?>, rhs: [Int]) -> Condition {
    Condition(isIn(lhs, rhs.map(\.columnValue)))
}

/// The column equals one of the values. Compares raw values.
@_disfavoredOverload
public func ~ <A: Codable, V: RawRepresentable>(lhs: KeyPath<A, V>, rhs: [V]) -> Condition
where V.RawValue: ColumnConvertible {
    Condition(isIn(lhs, rhs.map(\.rawValue.columnValue)))
}

/// The column equals one of the values. Compares raw values.
@_disfavoredOverload
public func ~ <A: Codable, V: RawRepresentable>(lhs: KeyPath<A, V?>, rhs: [V]) -> Condition
where V.RawValue: ColumnConvertible {
    Condition(isIn(lhs, rhs.map(\.rawValue.columnValue)))
}

/// The column equals none of the values. Leaves out NULLs, but not for an empty array: then every row matches.
public func !~ <A: Codable, V: ColumnConvertible>(lhs: KeyPath<A, V>, rhs: [V]) -> Condition { !(lhs ~ rhs) }

/// The column equals none of the values.
public func !~ <A: Codable, V: ColumnConvertible>(lhs: KeyPath<A, V?>, rhs: [V]) -> Condition { !(lhs ~ rhs) }

/// The column equals none of the values; those out of the column's range equal none.
public func !~ <A: Codable, V: NarrowInteger>(lhs: KeyPath<A, V>, rhs: [Int]) -> Condition { !(lhs ~ rhs) }

/// The column equals none of the values; those out of the column's range equal none.
public func !~ <A: Codable, V: NarrowInteger>(lhs: KeyPath<A, V?>, rhs: [Int]) -> Condition { !(lhs ~ rhs) }

/// The column equals none of the values. Compares raw values.
@_disfavoredOverload
public func !~ <A: Codable, V: RawRepresentable>(lhs: KeyPath<A, V>, rhs: [V]) -> Condition
where V.RawValue: ColumnConvertible { !(lhs ~ rhs) }

/// The column equals none of the values. Compares raw values.
@_disfavoredOverload
public func !~ <A: Codable, V: RawRepresentable>(lhs: KeyPath<A, V?>, rhs: [V]) -> Condition
where V.RawValue: ColumnConvertible { !(lhs ~ rhs) }
