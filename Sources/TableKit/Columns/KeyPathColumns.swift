/// What a key path names in a table.
public enum KeyPathTarget: Sendable, Hashable {
    /// The column of this number in ``TableStructure/columns``.
    case column(Int)
    /// The array property of this number in ``TableStructure/subTables``.
    case subTable(Int)
}

/// From key paths to columns.
public enum KeyPathColumns {
    /// What a key path names in the structure of its root type. Found once, then looked up.
    /// - Throws: ``CRUDSQLGenError`` that names type and path, where it is no stored property with a column: a computed
    ///   property, a path into a nested value, the path of a type that is no table.
    public static func target(of path: AnyKeyPath) throws -> KeyPathTarget {
        throw CRUDSQLGenError("Key paths are not found yet.")
    }
}
