extension Table {
    /// Looks up an object by a one-column primary key.
    /// - Parameter key: the key's value.
    /// - Returns: the object, or nil if there is none.
    /// - Throws: ``CRUDSQLGenError`` if the primary key has several columns, or a type that the value does not fit.
    public func find<Key: ColumnConvertible>(_ key: Key) throws -> A? {
        let (structure, values) = try keyed([key.columnValue])
        return try access.find(structure, values, A.self)
    }

    /// Looks up an object by a primary key of several columns, in the key's order.
    /// - Returns: the object, or nil if there is none.
    /// - Throws: ``CRUDSQLGenError`` if the number of values is wrong, or a value does not fit its column's type.
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

    /// Returns the structure, with the key's values converted to the types of its columns.
    private func keyed(_ values: consuming [ColumnValue]) throws -> (TableStructure, [ColumnValue]) {
        let structure = try structure.get()
        // The usual key needs no conversion.
        if structure.primaryKey.count == 1, values.count == 1, case .integer = values[0],
            structure.columns[structure.primaryKey[0]].type == .int64
        {
            return (structure, values)
        }
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
            // Keeps a number out of the column's range: it equals no stored value.
        }
        return (structure, key)
    }
}

extension Table where A: Sendable {
    /// Looks up an object by a one-column primary key.
    public func find<Key: ColumnConvertible>(_ key: Key) async throws -> A? {
        try await find(keyed([key.columnValue]))
    }

    /// Looks up an object by a primary key of several columns, in the key's order.
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
