extension Selectable {
    /// The values of one column of the parents that match, in their order. The rest of the rows is not decoded.
    /// - Parameters:
    ///   - column: the column.
    ///   - isDistinct: whether equal values come once.
    /// - Complexity: O(result) in memory.
    public func select<V: ColumnConvertible>(
        _ column: KeyPath<OverAllForm, V>, isDistinct: Bool = false
    ) throws -> [V] {
        let reader = ColumnReader<V>(try description([column], isDistinct))
        return try reader.all(access) { try V(columnValue: $0[0]) }
    }

    /// The values of several columns, as tuples: `try people.select(\.name, \.age)`.
    /// - Parameters:
    ///   - first: a column.
    ///   - second: another.
    ///   - more: others.
    ///   - isDistinct: whether equal tuples come once.
    public func select<V: ColumnConvertible, W: ColumnConvertible, each More: ColumnConvertible>(
        _ first: KeyPath<OverAllForm, V>, _ second: KeyPath<OverAllForm, W>,
        _ more: repeat KeyPath<OverAllForm, each More>, isDistinct: Bool = false
    ) throws -> [(V, W, repeat each More)] {
        var columns: [AnyKeyPath] = [first, second]
        for column in repeat each more { columns.append(column) }
        let reader = ColumnReader<(V, W, repeat each More)>(try description(columns, isDistinct))
        return try reader.all(access) { values in
            var rest = values.dropFirst(2).makeIterator()
            return (
                try V(columnValue: values[0]), try W(columnValue: values[1]),
                repeat try (each More)(columnValue: rest.next() ?? .null)
            )
        }
    }

    /// The values of one column, waiting by suspending.
    public func select<V: ColumnConvertible & Sendable>(
        _ column: KeyPath<OverAllForm, V>, isDistinct: Bool = false
    ) async throws -> [V] {
        let reader = ColumnReader<V>(try description([column], isDistinct)), access = access
        return try await access.engine.perform { try reader.all(access) { try V(columnValue: $0[0]) } }
    }

    private func description(_ columns: [AnyKeyPath], _ isDistinct: Bool) throws -> QueryDescription {
        var description = try describe()
        description.query.columns = try columns.map { try $0.columnNumber() }
        description.query.isDistinct = isDistinct
        return description
    }
}

/// Reads single columns of a result.
private struct ColumnReader<Element>: Sendable {
    let description: QueryDescription

    init(_ description: QueryDescription) { self.description = description }

    func all(_ access: Access, _ make: ([ColumnValue]) throws -> Element) throws -> [Element] {
        CRUDLogging.logQuery("\(description.query)")
        let columns = description.query.columns ?? []
        return try access.read { session in
            let stream = try session.run(description.query)
            var elements: [Element] = []
            while let batch = try stream.next() {
                for row in 0..<batch.rows.count {
                    elements.append(
                        try batch.rows.withRow(row) { bytes in
                            try make(try batch.shape.values(columns, in: bytes))
                        })
                }
            }
            return elements
        }
    }
}
