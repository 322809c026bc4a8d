extension Selectable {
    /// Groups the matching parents by columns: `try people.group(by: \.city).count()`.
    public func group<First: ColumnConvertible, each Next: ColumnConvertible>(
        by first: KeyPath<OverAllForm, First>, _ next: repeat KeyPath<OverAllForm, each Next>
    ) -> Grouping<Self, First, repeat each Next> {
        var paths: [AnyKeyPath] = [first]
        for path in repeat each next { paths.append(path) }
        return Grouping(fromTable: self, columns: Result { try paths.map { try $0.columnNumber() } })
    }
}

/// The groups of a chain's parents. Every function returns its results ordered by group.
public struct Grouping<A: TableProtocol, First: ColumnConvertible, each Next: ColumnConvertible>: Sendable {
    /// The type of the parents.
    public typealias OverAllForm = A.OverAllForm
    /// The values that all rows of a group share.
    public typealias Group = (First, repeat each Next)

    let fromTable: A
    let columns: Result<[Int], any Error>

    /// The groups with their row counts.
    public func count() throws -> [(group: Group, count: Int)] {
        try values(.count).map { ($0.0, try Int(columnValue: $0.1)) }
    }

    /// The groups with the least value of a column in each.
    public func min<V: ColumnConvertible>(_ column: KeyPath<OverAllForm, V>) throws -> [(group: Group, value: V)] {
        try values(.min(try column.columnNumber())).map { ($0.0, try V(columnValue: $0.1)) }
    }

    /// The groups with the greatest value of a column in each.
    public func max<V: ColumnConvertible>(_ column: KeyPath<OverAllForm, V>) throws -> [(group: Group, value: V)] {
        try values(.max(try column.columnNumber())).map { ($0.0, try V(columnValue: $0.1)) }
    }

    /// The groups with the sum of an integer column in each; 0 where all values are NULL.
    public func sum<V: ColumnConvertible>(
        _ column: KeyPath<OverAllForm, V>
    ) throws -> [(group: Group, sum: Int)] where V: IntegerColumn {
        try values(.sum(try column.columnNumber())).map { ($0.0, try Int?(columnValue: $0.1) ?? 0) }
    }

    /// The groups with the sum of a real column in each; 0 where all values are NULL.
    public func sum<V: ColumnConvertible & BinaryFloatingPoint>(
        _ column: KeyPath<OverAllForm, V>
    ) throws -> [(group: Group, sum: Double)] {
        try values(.sum(try column.columnNumber())).map { ($0.0, try Double?(columnValue: $0.1) ?? 0) }
    }

    /// The groups with the mean of a column in each; nil where all values are NULL.
    public func average<V: ColumnConvertible>(
        _ column: KeyPath<OverAllForm, V>
    ) throws -> [(group: Group, average: Double?)] {
        try values(.average(try column.columnNumber())).map { ($0.0, try Double?(columnValue: $0.1)) }
    }

    // MARK: Async

    /// The groups with their row counts.
    public func count() async throws -> [(group: Group, count: Int)] {
        try await values(.count).map { ($0.0, try Int(columnValue: $0.1)) }
    }

    /// The groups with the least value of a column in each.
    public func min<V: ColumnConvertible>(_ column: KeyPath<OverAllForm, V>) async throws -> [(group: Group, value: V)]
    {
        try await values(.min(try column.columnNumber())).map { ($0.0, try V(columnValue: $0.1)) }
    }

    /// The groups with the greatest value of a column in each.
    public func max<V: ColumnConvertible>(_ column: KeyPath<OverAllForm, V>) async throws -> [(group: Group, value: V)]
    {
        try await values(.max(try column.columnNumber())).map { ($0.0, try V(columnValue: $0.1)) }
    }

    /// The groups with the sum of an integer column in each; 0 where all values are NULL.
    public func sum<V: ColumnConvertible>(
        _ column: KeyPath<OverAllForm, V>
    ) async throws -> [(group: Group, sum: Int)] where V: IntegerColumn {
        try await values(.sum(try column.columnNumber())).map { ($0.0, try Int?(columnValue: $0.1) ?? 0) }
    }

    /// The groups with the sum of a real column in each; 0 where all values are NULL.
    public func sum<V: ColumnConvertible & BinaryFloatingPoint>(
        _ column: KeyPath<OverAllForm, V>
    ) async throws -> [(group: Group, sum: Double)] {
        try await values(.sum(try column.columnNumber())).map { ($0.0, try Double?(columnValue: $0.1) ?? 0) }
    }

    /// The groups with the mean of a column in each; nil where all values are NULL.
    public func average<V: ColumnConvertible>(
        _ column: KeyPath<OverAllForm, V>
    ) async throws -> [(group: Group, average: Double?)] {
        try await values(.average(try column.columnNumber())).map { ($0.0, try Double?(columnValue: $0.1)) }
    }

    // MARK: Query

    private func values(_ aggregate: Aggregate) throws -> [(Group, ColumnValue)] {
        let query = try query(aggregate)
        return try fromTable.access.read { try $0.aggregate(query) }.map { try Self.group($0) }
    }

    private func values(_ aggregate: Aggregate) async throws -> [(Group, ColumnValue)] {
        let query = try query(aggregate)
        return try await fromTable.access.read { try $0.aggregate(query) }.map { try Self.group($0) }
    }

    private func query(_ aggregate: Aggregate) throws -> AggregateQuery {
        let columns = try columns.get()
        let query = AggregateQuery(try fromTable.describe().query, groupBy: columns, aggregates: [aggregate])
        CRUDLogging.logQuery("\(aggregate) by \(columns) of \(query.rows)")
        return query
    }

    private static func group(_ values: [ColumnValue]) throws -> (Group, ColumnValue) {
        var rest = values.makeIterator()
        let group: Group = (
            try First(columnValue: rest.next() ?? .null),
            repeat try (each Next)(columnValue: rest.next() ?? .null)
        )
        return (group, rest.next() ?? .null)
    }
}
