extension TableStructure {
    /// The structure of a type's table: one object for each type and key, for the life of the process.
    /// - Parameters:
    ///   - type: the type. It is decoded once from made-up values, see ``ProbeValues``.
    ///   - primaryKey: the properties of the key. Empty: the `@PrimaryKey` properties, else the column named `id`, else
    ///     none.
    /// - Throws: ``CRUDSQLGenError`` where the type does not decode, or a path is no column.
    public static func of<T: Codable>(
        _ type: T.Type, primaryKey: [PartialKeyPath<T>] = []
    ) throws -> TableStructure {
        throw CRUDSQLGenError("Structures are not found yet.")
    }

    /// As ``of(_:primaryKey:)`` for a type that is known at run time only: that of a ``SubTable``.
    public static func of(any type: any Codable.Type) throws -> TableStructure {
        func opened<T: Codable>(_ type: T.Type) throws -> TableStructure { try of(type, primaryKey: []) }
        return try opened(type)
    }
}
