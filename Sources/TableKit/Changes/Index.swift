/// An index of a table.
public struct Index<OAF: Codable, A: TableProtocol>: FromTableProtocol, Sendable {
    /// The type of the previous link.
    public typealias FromTableType = A
    /// The type of the objects.
    public typealias OverAllForm = OAF

    /// The previous link.
    public let fromTable: A
    /// The table, the columns, and whether the index is unique.
    public let definition: IndexDefinition
}

extension Table {
    /// Creates an index of columns if there is none, and waits until queries can use it.
    /// - Parameters:
    ///   - unique: true if no two rows may have the same values. NULLs are distinct from each other. An existing index
    ///     of the columns becomes unique.
    ///   - keys: the columns, the most significant first.
    /// - Throws: an error of ``TableErrorCode/unique`` if rows already have the same values.
    @discardableResult
    public func index(unique: Bool = false, _ keys: PartialKeyPath<A>...) throws -> Index<A, Table> {
        let definition = try definition(keys, isUnique: unique)
        try access.buildIndex(definition)
        return Index(fromTable: self, definition: definition)
    }

    /// Creates an index of columns if there is none, and waits until queries can use it.
    @discardableResult
    public func index(unique: Bool = false, _ keys: PartialKeyPath<A>...) async throws -> Index<A, Table> {
        let definition = try definition(keys, isUnique: unique)
        try await access.buildIndex(definition)
        return Index(fromTable: self, definition: definition)
    }

    /// Drops the index of these columns.
    /// - Throws: an error of ``TableErrorCode/noIndex`` if there is none.
    public func dropIndex(_ keys: PartialKeyPath<A>...) throws {
        let definition = try definition(keys, isUnique: false)
        try access.change { try $0.alter(.dropIndex(table: definition.table, columns: definition.columns)) }
    }

    /// Drops the index of these columns, in a task.
    public func dropIndex(_ keys: PartialKeyPath<A>...) async throws {
        let definition = try definition(keys, isUnique: false)
        try await access.change { try $0.alter(.dropIndex(table: definition.table, columns: definition.columns)) }
    }

    private func definition(_ keys: [PartialKeyPath<A>], isUnique: Bool) throws -> IndexDefinition {
        let structure = try structure.get()
        if keys.isEmpty { throw CRUDSQLGenError("An index has columns.", code: .argument, table: structure.name) }
        let names = try keys.map { structure.columns[try $0.columnNumber()].name }
        return IndexDefinition(table: structure.name, columns: names, isUnique: isUnique)
    }
}
