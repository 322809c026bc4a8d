/// Makes a property refer to the primary key of another table:
/// `@ForeignKey(Author.self, onDelete: cascade, onUpdate: cascade) var author: Int`.
///
/// An optional property can be nil, and is at first. One that is not optional reads as its type's empty value until it is
/// set, and does not encode before.
@propertyWrapper
public struct ForeignKey<
    Table: Codable, DeleteAction: ForeignKeyActionProvider, UpdateAction: ForeignKeyActionProvider, Value: Codable
>: Codable {
    /// Whether ``wrappedValue`` was ever set. Until then it is the type's empty value.
    private var isSet = true

    /// The value.
    public var wrappedValue: Value {
        didSet { isSet = true }
    }

    /// The value, or nil if it was never set.
    public var projectedValue: Value? {
        get { isSet ? wrappedValue : nil }
        set { if let newValue { wrappedValue = newValue } }
    }

    /// A reference to a row.
    public init(
        wrappedValue: Value, _ parent: Table.Type, onDelete: DeleteAction = ignore,
        onUpdate: UpdateAction = ignore
    ) {
        self.wrappedValue = wrappedValue
    }

    /// A reference to a row, written as Perfect-CRUD does.
    public init(
        _ parent: Table.Type, onDelete: DeleteAction = ignore,
        onUpdate: UpdateAction = ignore, wrappedValue: Value
    ) {
        self.wrappedValue = wrappedValue
    }

    /// A reference that is not set yet.
    public init(
        _ parent: Table.Type, onDelete: DeleteAction = ignore,
        onUpdate: UpdateAction = ignore
    ) where Value: DefaultableColumn {
        wrappedValue = Value.emptyColumn
        isSet = false
    }

    /// A reference that is not set yet: nil.
    public init<Wrapped>(
        _ parent: Table.Type, onDelete: DeleteAction = ignore,
        onUpdate: UpdateAction = ignore
    ) where Value == Wrapped? {
        wrappedValue = nil
    }

    /// A reference as it was stored.
    init(stored value: Value) { wrappedValue = value }

    /// Decodes the value alone.
    public init(from decoder: any Decoder) throws {
        wrappedValue = try decoder.singleValueContainer().decode(Value.self)
    }

    /// Encodes the value alone.
    /// - Throws: ``CRUDEncoderError`` where it was never set.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(try setValue())
    }

    func setValue() throws(CRUDEncoderError) -> Value {
        guard isSet else {
            throw CRUDEncoderError("A foreign key to \(Table.CRUDTableName) was never set.", code: .notNull)
        }
        return wrappedValue
    }
}

extension ForeignKey: Sendable where Value: Sendable {}

extension ForeignKey: Equatable where Value: Equatable {
    /// Whether both refer to the same.
    public static func == (left: Self, right: Self) -> Bool { left.wrappedValue == right.wrappedValue }
}

extension ForeignKey: Hashable where Value: Hashable {
    /// Hashes the value.
    public func hash(into hasher: inout Hasher) { hasher.combine(wrappedValue) }
}

// As for `PrimaryKey`.
extension KeyedDecodingContainer {
    /// Decodes a wrapped optional property: nil where it is missing, as optionals without a wrapper are.
    public func decode<T, D, U, V>(
        _ type: ForeignKey<T, D, U, V?>.Type, forKey key: Key
    ) throws -> ForeignKey<T, D, U, V?> {
        try decodeIfPresent(type, forKey: key) ?? ForeignKey(stored: nil)
    }
}
