extension Table {
    /// The object with a primary key of one column.
    /// - Parameter key: the key's value.
    /// - Returns: nil where there is none.
    /// - Throws: ``CRUDSQLGenError`` where the key has not one column, or one of another kind than the value.
    public func find<Key: ColumnConvertible>(_ key: Key) throws -> A? {
        let (structure, values) = try keyed([key.columnValue])
        return try access.find(structure, values, A.self)
    }

    /// The object with a primary key of several columns, in the key's order.
    /// - Returns: nil where there is none.
    /// - Throws: ``CRUDSQLGenError`` where the key has another number of columns, or one of another kind than its value.
    public func find<First: ColumnConvertible, each Next: ColumnConvertible>(
        _ first: First, _ next: repeat each Next
    ) throws -> A? {
        let (structure, values) = try keyed(Self.values(first, repeat each next))
        return try access.find(structure, values, A.self)
    }

    private static func values<First: ColumnConvertible, each Next: ColumnConvertible>(
        _ first: First, _ next: repeat each Next
    ) -> [ColumnValue] {
        var key = [first.columnValue]
        for value in repeat each next { key.append(value.columnValue) }
        return key
    }

    /// The table with a key as its columns keep it.
    private func keyed(_ values: consuming [ColumnValue]) throws -> (TableStructure, [ColumnValue]) {
        let structure = try structure.get()
        guard structure.primaryKey.count == values.count else {
            throw CRUDSQLGenError(
                "The primary key has \(structure.primaryKey.count) columns, not \(values.count).", code: .argument,
                table: structure.name)
        }
        var key = values
        for (place, number) in structure.primaryKey.enumerated() {
            let column = structure.columns[number], value = key[place]
            if let fitting = value.fitting(column.type) {
                key[place] = fitting
            } else if !value.isNumber || !column.type.isNumber {
                throw CRUDSQLGenError(
                    "The key is of type \(column.type), and \(value) is none.", code: .type, table: structure.name,
                    column: column.name)
            }
            // A number out of the column's range equals none of its values.
        }
        return (structure, key)
    }
}

extension Table where A: Sendable {
    /// The object with a primary key of one column.
    public func find<Key: ColumnConvertible>(_ key: Key) async throws -> A? {
        try await find(keyed([key.columnValue]))
    }

    /// The object with a primary key of several columns, in the key's order.
    public func find<First: ColumnConvertible, each Next: ColumnConvertible>(
        _ first: First, _ next: repeat each Next
    ) async throws -> A? {
        try await find(keyed(Self.values(first, repeat each next)))
    }

    private func find(_ key: (TableStructure, [ColumnValue])) async throws -> A? {
        let access = access
        return try await access.engine.perform { try access.find(key.0, key.1, A.self) }
    }
}

extension ColumnValue {
    fileprivate var isNumber: Bool {
        switch self {
        case .integer, .unsigned, .real: true
        default: false
        }
    }
}

extension ColumnType {
    fileprivate var isNumber: Bool { isInteger || isFloatingPoint }
}
