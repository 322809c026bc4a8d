private func isIn(_ column: AnyKeyPath, _ values: [ColumnValue]) -> CRUDExpression {
    .in(lhs: .keyPath(column), rhs: values.map(CRUDExpression.value))
}

/// The column equals one of the values. An empty array matches no row.
public func ~ <A: Codable, V: ColumnConvertible>(lhs: KeyPath<A, V>, rhs: [V]) -> Condition {
    Condition(isIn(lhs, rhs.map(\.columnValue)))
}

/// The column equals one of the values.
public func ~ <A: Codable, V: ColumnConvertible>(lhs: KeyPath<A, V?>, rhs: [V]) -> Condition {
    Condition(isIn(lhs, rhs.map(\.columnValue)))
}

/// The column equals one of the values. Values out of the column's range are equal to none.
public func ~ <A: Codable, V: NarrowInteger>(lhs: KeyPath<A, V>, rhs: [Int]) -> Condition {
    Condition(isIn(lhs, rhs.map(\.columnValue)))
}

/// The column equals one of the values. Values out of the column's range are equal to none.
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

/// The column equals none of the values. Excludes NULLs, except for an empty array, which matches every row.
public func !~ <A: Codable, V: ColumnConvertible>(lhs: KeyPath<A, V>, rhs: [V]) -> Condition { !(lhs ~ rhs) }

/// The column equals none of the values.
public func !~ <A: Codable, V: ColumnConvertible>(lhs: KeyPath<A, V?>, rhs: [V]) -> Condition { !(lhs ~ rhs) }

/// The column equals none of the values. Values out of the column's range are equal to none.
public func !~ <A: Codable, V: NarrowInteger>(lhs: KeyPath<A, V>, rhs: [Int]) -> Condition { !(lhs ~ rhs) }

/// The column equals none of the values. Values out of the column's range are equal to none.
public func !~ <A: Codable, V: NarrowInteger>(lhs: KeyPath<A, V?>, rhs: [Int]) -> Condition { !(lhs ~ rhs) }

/// The column equals none of the values. Compares raw values.
@_disfavoredOverload
public func !~ <A: Codable, V: RawRepresentable>(lhs: KeyPath<A, V>, rhs: [V]) -> Condition
where V.RawValue: ColumnConvertible { !(lhs ~ rhs) }

/// The column equals none of the values. Compares raw values.
@_disfavoredOverload
public func !~ <A: Codable, V: RawRepresentable>(lhs: KeyPath<A, V?>, rhs: [V]) -> Condition
where V.RawValue: ColumnConvertible { !(lhs ~ rhs) }
