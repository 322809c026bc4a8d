extension DatabaseProtocol {
    /// Creates the table of a type and, recursively, those of its array properties, all or none.
    ///
    /// The primary key is the `@PrimaryKey` property, else the column named `id`, else there is none.
    /// - Parameters:
    ///   - type: the type.
    ///   - policy: the treatment of existing tables.
    /// - Returns: the table.
    /// - Throws: ``CRUDSQLGenError`` for a type that cannot be a table, and the errors of schema changes: for a new
    ///   column that is not optional on a table with rows, and for a key column to be dropped.
    @discardableResult
    public func create<A: Codable>(_ type: A.Type, policy: TableCreatePolicy = .defaultPolicy) throws -> Table<A, Self>
    {
        try run(Create(type, policy: policy))
        return Table(database: self)
    }

    /// Creates the table of a type with this primary key, and the tables of its array properties with their own.
    @discardableResult
    public func create<A: Codable, V>(
        _ type: A.Type, primaryKey: KeyPath<A, V>, policy: TableCreatePolicy = .defaultPolicy
    ) throws -> Table<A, Self> {
        try run(Create(type, primaryKey: [primaryKey], policy: policy))
        return Table(database: self)
    }

    /// Creates the table of a type and, recursively, those of its array properties.
    @discardableResult
    public func create<A: Codable>(
        _ type: A.Type, policy: TableCreatePolicy = .defaultPolicy
    ) async throws -> Table<A, Self> {
        try await run(Create(type, policy: policy))
        return Table(database: self)
    }

    /// Creates the table of a type with this primary key, and the tables of its array properties with their own.
    @discardableResult
    public func create<A: Codable, V>(
        _ type: A.Type, primaryKey: KeyPath<A, V>, policy: TableCreatePolicy = .defaultPolicy
    ) async throws -> Table<A, Self> {
        try await run(Create(type, primaryKey: [primaryKey], policy: policy))
        return Table(database: self)
    }

    private func run(_ creation: Create) throws { try access.changeAll { try creation.run(in: $0) } }

    private func run(_ creation: Create) async throws { try await access.changeAll { try creation.run(in: $0) } }
}
