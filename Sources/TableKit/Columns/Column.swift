/// A column of a table.
public struct Column: Sendable, Hashable {
    /// The name, which is that of the coding key.
    public var name: String
    /// The storage type.
    public var type: ColumnType
    /// True if the column can be NULL.
    public var isOptional: Bool
    /// The value for rows inserted without one. Nil: NULL.
    public var defaultValue: ColumnValue?
    /// The reference of a foreign key; nil for all other columns.
    public var foreignKey: ForeignKeyReference?

    /// A column.
    public init(
        _ name: String, _ type: ColumnType, isOptional: Bool = false, defaultValue: ColumnValue? = nil,
        foreignKey: ForeignKeyReference? = nil
    ) {
        self.name = name
        self.type = type
        self.isOptional = isOptional
        self.defaultValue = defaultValue
        self.foreignKey = foreignKey
    }
}

/// A reference of a column to the primary key of another table.
public struct ForeignKeyReference: Sendable, Hashable {
    /// The name of the referenced table.
    public var table: String
    /// The action on this row when the referenced row is deleted.
    public var onDelete: ForeignKeyAction
    /// The action on this row when the referenced key changes.
    public var onUpdate: ForeignKeyAction

    /// A reference.
    public init(table: String, onDelete: ForeignKeyAction = .ignore, onUpdate: ForeignKeyAction = .ignore) {
        self.table = table
        self.onDelete = onDelete
        self.onUpdate = onUpdate
    }
}

/// The action on referring rows when the referenced key is deleted or changes.
public enum ForeignKeyAction: UInt8, Sendable, Hashable, Codable {
    /// SQL's NO ACTION: the statement fails if rows still refer to the key at its end.
    case ignore
    /// The statement fails at once.
    case restrict
    /// The column becomes NULL.
    case setNull
    /// The column gets its default.
    case setDefault
    /// The referring rows are deleted, or get the new key.
    case cascade

    /// SQL's name of the action.
    package var sql: String {
        switch self {
        case .ignore: "NO ACTION"
        case .restrict: "RESTRICT"
        case .setNull: "SET NULL"
        case .setDefault: "SET DEFAULT"
        case .cascade: "CASCADE"
        }
    }
}
