extension Selectable {
    /// The least value of a column over the matching parents; nil if there is none. All aggregates skip NULLs.
    public func min<V: ColumnConvertible>(_ column: KeyPath<OverAllForm, V>) throws -> V? {
        try aggregate(column, Aggregate.min)
    }

    /// The least value of a column.
    public func min<V: ColumnConvertible>(_ column: KeyPath<OverAllForm, V?>) throws -> V? {
        try aggregate(column, Aggregate.min)
    }

    /// The greatest value of a column.
    public func max<V: ColumnConvertible>(_ column: KeyPath<OverAllForm, V>) throws -> V? {
        try aggregate(column, Aggregate.max)
    }

    /// The greatest value of a column.
    public func max<V: ColumnConvertible>(_ column: KeyPath<OverAllForm, V?>) throws -> V? {
        try aggregate(column, Aggregate.max)
    }

    /// The sum of a column of integers; 0 over no rows.
    /// - Throws: also if the sum overflows `Int`.
    public func sum<V: IntegerColumn>(_ column: KeyPath<OverAllForm, V>) throws -> Int {
        try aggregate(column, Aggregate.sum) ?? 0
    }

    /// The sum of a column of integers.
    public func sum<V: IntegerColumn>(_ column: KeyPath<OverAllForm, V?>) throws -> Int {
        try aggregate(column, Aggregate.sum) ?? 0
    }

    /// The sum of a column of reals; 0 over no rows.
    public func sum<V: ColumnConvertible & BinaryFloatingPoint>(
        _ column: KeyPath<OverAllForm, V>
    ) throws -> Double { try aggregate(column, Aggregate.sum) ?? 0 }

    /// The sum of a column of reals.
    public func sum<V: ColumnConvertible & BinaryFloatingPoint>(
        _ column: KeyPath<OverAllForm, V?>
    ) throws -> Double { try aggregate(column, Aggregate.sum) ?? 0 }

    /// The mean of a column of numbers; nil if no row has a value.
    public func average<V: ColumnConvertible & Numeric>(_ column: KeyPath<OverAllForm, V>) throws -> Double? {
        try aggregate(column, Aggregate.average)
    }

    /// The mean of a column of numbers.
    public func average<V: ColumnConvertible & Numeric>(_ column: KeyPath<OverAllForm, V?>) throws -> Double? {
        try aggregate(column, Aggregate.average)
    }

    /// The number of distinct values of a column.
    public func count<V: ColumnConvertible>(distinct column: KeyPath<OverAllForm, V>) throws -> Int {
        try aggregate(column, Aggregate.countDistinct) ?? 0
    }

    private func aggregate<R: ColumnConvertible>(
        _ column: AnyKeyPath, _ aggregate: (Int) -> Aggregate
    ) throws -> R? {
        try access.aggregate(try describe(), aggregate(try column.columnNumber()))
    }
}

// MARK: Async

extension Selectable {
    /// The least value of a column over the matching parents; nil if there is none.
    public func min<V: ColumnConvertible & Sendable>(_ column: KeyPath<OverAllForm, V>) async throws -> V? {
        try await aggregate(column, Aggregate.min)
    }

    /// The least value of a column.
    public func min<V: ColumnConvertible & Sendable>(_ column: KeyPath<OverAllForm, V?>) async throws -> V? {
        try await aggregate(column, Aggregate.min)
    }

    /// The greatest value of a column.
    public func max<V: ColumnConvertible & Sendable>(_ column: KeyPath<OverAllForm, V>) async throws -> V? {
        try await aggregate(column, Aggregate.max)
    }

    /// The greatest value of a column.
    public func max<V: ColumnConvertible & Sendable>(_ column: KeyPath<OverAllForm, V?>) async throws -> V? {
        try await aggregate(column, Aggregate.max)
    }

    /// The sum of a column of integers; 0 over no rows.
    public func sum<V: IntegerColumn>(_ column: KeyPath<OverAllForm, V>) async throws -> Int {
        try await aggregate(column, Aggregate.sum) ?? 0
    }

    /// The sum of a column of integers.
    public func sum<V: IntegerColumn>(_ column: KeyPath<OverAllForm, V?>) async throws -> Int {
        try await aggregate(column, Aggregate.sum) ?? 0
    }

    /// The sum of a column of reals; 0 over no rows.
    public func sum<V: ColumnConvertible & BinaryFloatingPoint>(
        _ column: KeyPath<OverAllForm, V>
    ) async throws -> Double { try await aggregate(column, Aggregate.sum) ?? 0 }

    /// The sum of a column of reals.
    public func sum<V: ColumnConvertible & BinaryFloatingPoint>(
        _ column: KeyPath<OverAllForm, V?>
    ) async throws -> Double { try await aggregate(column, Aggregate.sum) ?? 0 }

    /// The mean of a column of numbers. Nil over none.
    public func average<V: ColumnConvertible & Numeric>(
        _ column: KeyPath<OverAllForm, V>
    ) async throws -> Double? { try await aggregate(column, Aggregate.average) }

    /// The mean of a column of numbers.
    public func average<V: ColumnConvertible & Numeric>(
        _ column: KeyPath<OverAllForm, V?>
    ) async throws -> Double? { try await aggregate(column, Aggregate.average) }

    /// The number of distinct values of a column.
    public func count<V: ColumnConvertible>(distinct column: KeyPath<OverAllForm, V>) async throws -> Int {
        try await aggregate(column, Aggregate.countDistinct) ?? 0
    }

    private func aggregate<R: ColumnConvertible & Sendable>(
        _ column: AnyKeyPath, _ aggregate: (Int) -> Aggregate
    ) async throws -> R? {
        let description = try describe(), aggregate = aggregate(try column.columnNumber()), access = access
        return try await access.engine.perform { try access.aggregate(description, aggregate) }
    }
}

extension Access {
    fileprivate func aggregate<R: ColumnConvertible>(
        _ description: QueryDescription, _ aggregate: Aggregate
    ) throws -> R? {
        let query = AggregateQuery(description.query, aggregates: [aggregate])
        CRUDLogging.logQuery("\(aggregate) of \(description.query)")
        let groups = try read { try $0.aggregate(query) }
        guard let value = groups.first?.first, !value.isNull else { return nil }
        return try R(columnValue: value)
    }
}
