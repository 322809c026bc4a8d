extension Selectable {
    /// The values of one column of the matching parents, in the chain's order. Decodes no other column.
    /// - Parameters:
    ///   - column: the column.
    ///   - isDistinct: true to return equal values once.
    /// - Complexity: O(result) in memory.
    public func select<V: ColumnConvertible>(
        _ column: KeyPath<OverAllForm, V>, isDistinct: Bool = false
    ) throws -> [V] {
        let description = try description([column], isDistinct)
        return try access.read { try description.columnValues(in: $0) { try V(columnValue: $0[0]) } }
    }

    /// The values of several columns, as tuples: `try people.select(\.name, \.age)`.
    /// - Parameters:
    ///   - first: the first column.
    ///   - second: the second column.
    ///   - more: further columns.
    ///   - isDistinct: true to return equal tuples once.
    public func select<V: ColumnConvertible, W: ColumnConvertible, each More: ColumnConvertible>(
        _ first: KeyPath<OverAllForm, V>, _ second: KeyPath<OverAllForm, W>,
        _ more: repeat KeyPath<OverAllForm, each More>, isDistinct: Bool = false
    ) throws -> [(V, W, repeat each More)] {
        var columns: [AnyKeyPath] = [first, second]
        for column in repeat each more { columns.append(column) }
        let description = try description(columns, isDistinct)
        return try access.read { session in
            try description.columnValues(in: session) { values in
                var rest = values.dropFirst(2).makeIterator()
                return (
                    try V(columnValue: values[0]), try W(columnValue: values[1]),
                    repeat try (each More)(columnValue: rest.next() ?? .null)
                )
            }
        }
    }

    /// The values of one column of the matching parents, in the chain's order.
    public func select<V: ColumnConvertible>(
        _ column: KeyPath<OverAllForm, V>, isDistinct: Bool = false
    ) async throws -> [V] {
        let description = try description([column], isDistinct)
        return try await access.read { try description.columnValues(in: $0) { $0 } }.map { try V(columnValue: $0[0]) }
    }

    /// The values of several columns, as tuples.
    public func select<V: ColumnConvertible, W: ColumnConvertible, each More: ColumnConvertible>(
        _ first: KeyPath<OverAllForm, V>, _ second: KeyPath<OverAllForm, W>,
        _ more: repeat KeyPath<OverAllForm, each More>, isDistinct: Bool = false
    ) async throws -> [(V, W, repeat each More)] {
        var columns: [AnyKeyPath] = [first, second]
        for column in repeat each more { columns.append(column) }
        let description = try description(columns, isDistinct)
        return try await access.read { try description.columnValues(in: $0) { $0 } }.map { values in
            var rest = values.dropFirst(2).makeIterator()
            return (
                try V(columnValue: values[0]), try W(columnValue: values[1]),
                repeat try (each More)(columnValue: rest.next() ?? .null)
            )
        }
    }

    private func description(_ columns: [AnyKeyPath], _ isDistinct: Bool) throws -> QueryDescription {
        var description = try describe()
        description.query.columns = try columns.map { try $0.columnNumber() }
        description.query.isDistinct = isDistinct
        return description
    }
}

extension QueryDescription {
    /// Maps the selected columns of each row with `make`.
    fileprivate func columnValues<R>(
        in session: any TableSession, _ make: ([ColumnValue]) throws -> R
    ) throws -> [R] {
        CRUDLogging.logQuery("\(query)")
        let columns = query.columns ?? []
        let stream = try session.run(query)
        var results: [R] = []
        while let batch = try stream.next() {
            for row in 0..<batch.rows.count {
                results.append(
                    try batch.rows.withRow(row) { bytes in try make(try batch.shape.values(columns, in: bytes)) })
            }
        }
        return results
    }
}
