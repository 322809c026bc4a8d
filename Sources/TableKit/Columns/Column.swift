/// One column of a table.
public struct Column: Sendable, Hashable {
    /// The name: that of the coding key.
    public var name: String
    /// The type, as rows store it.
    public var type: ColumnType
    /// Whether the column can be NULL.
    public var isOptional: Bool
    /// The value of rows that are inserted without one. Nil: NULL.
    public var defaultValue: ColumnValue?
    /// The reference to another table's key, if the column is a foreign key.
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

/// A reference of a column to the key of another table.
public struct ForeignKeyReference: Sendable, Hashable {
    /// The name of the table that is referred to. The column refers to its primary key.
    public var table: String
    /// What happens to the row when the row that it refers to is deleted.
    public var onDelete: ForeignKeyAction
    /// What happens to the row when the key that it refers to changes.
    public var onUpdate: ForeignKeyAction

    /// A reference.
    public init(table: String, onDelete: ForeignKeyAction = .ignore, onUpdate: ForeignKeyAction = .ignore) {
        self.table = table
        self.onDelete = onDelete
        self.onUpdate = onUpdate
    }
}

/// What happens to the rows that refer to a key when the key goes or changes.
public enum ForeignKeyAction: UInt8, Sendable, Hashable, Codable {
    /// SQL's NO ACTION: refused, if rows still refer to the key when the statement ends.
    case ignore
    /// Refused at once.
    case restrict
    /// The column becomes NULL.
    case setNull
    /// The column takes its default.
    case setDefault
    /// The rows are deleted, or take the new key.
    case cascade
}
