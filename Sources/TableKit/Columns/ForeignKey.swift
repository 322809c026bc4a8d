/// Declares a property as a reference to the primary key of another table:
/// `@ForeignKey(Author.self, onDelete: cascade, onUpdate: cascade) var author: Int`.
///
/// An optional property is nil at first. One that is not optional reads as its type's empty value until it is set, and
/// encoding it before throws.
@propertyWrapper
public struct ForeignKey<
    Table: Codable, DeleteAction: ForeignKeyActionProvider, UpdateAction: ForeignKeyActionProvider, Value: Codable
>: Codable {
    /// True once ``wrappedValue`` was set. Before, it is the type's empty value.
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

    /// A reference to a row, in the order of Perfect-CRUD's arguments.
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

    /// A reference read from storage.
    init(stored value: Value) { wrappedValue = value }

    /// Decodes only the value.
    public init(from decoder: any Decoder) throws {
        wrappedValue = try decoder.singleValueContainer().decode(Value.self)
    }

    /// Encodes only the value.
    /// - Throws: ``CRUDEncoderError`` if it was never set.
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
    /// True if both refer to the same key.
    public static func == (left: Self, right: Self) -> Bool { left.wrappedValue == right.wrappedValue }
}

extension ForeignKey: Hashable where Value: Hashable {
    /// Hashes the key.
    public func hash(into hasher: inout Hasher) { hasher.combine(wrappedValue) }
}

// See `PrimaryKey`.
extension KeyedDecodingContainer {
    /// Decodes a wrapped optional property. A missing key is nil, as for optionals without a wrapper.
    public func decode<T, D, U, V>(
        _ type: ForeignKey<T, D, U, V?>.Type, forKey key: Key
    ) throws -> ForeignKey<T, D, U, V?> {
        try decodeIfPresent(type, forKey: key) ?? ForeignKey(stored: nil)
    }
}
