extension Table {
    /// The object with a primary key of one column.
    /// - Parameter key: the key's value.
    /// - Returns: nil where there is none.
    /// - Throws: ``CRUDSQLGenError`` where the key has not one column.
    public func find<Key: ColumnConvertible>(_ key: Key) throws -> A? {
        try access.find(try keyed(1), [key.columnValue], A.self)
    }

    /// The object with a primary key of several columns, in the key's order.
    public func find<First: ColumnConvertible, each Next: ColumnConvertible>(
        _ first: First, _ next: repeat each Next
    ) throws -> A? {
        var key = [first.columnValue]
        for value in repeat each next { key.append(value.columnValue) }
        return try access.find(try keyed(key.count), key, A.self)
    }

    private func keyed(_ count: Int) throws -> TableStructure {
        let structure = try structure.get()
        guard structure.primaryKey.count == count else {
            throw CRUDSQLGenError(
                "The primary key has \(structure.primaryKey.count) columns, not \(count).", code: .argument,
                table: structure.name)
        }
        return structure
    }
}

extension Table where A: Sendable {
    /// The object with a primary key of one column.
    public func find<Key: ColumnConvertible>(_ key: Key) async throws -> A? {
        let structure = try keyed(1), value = key.columnValue, access = access
        return try await access.engine.perform { try access.find(structure, [value], A.self) }
    }
}
