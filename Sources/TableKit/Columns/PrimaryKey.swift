/// Makes a property the primary key: `@PrimaryKey var id: UUID`. Several make a key of several columns, in their order.
@propertyWrapper
public struct PrimaryKey<Value: Codable>: Codable {
    /// The value.
    public var wrappedValue: Value
    /// The value.
    public var projectedValue: Value { wrappedValue }

    /// A key.
    public init(wrappedValue: Value) { self.wrappedValue = wrappedValue }

    /// Decodes the value alone.
    public init(from decoder: any Decoder) throws {
        wrappedValue = try decoder.singleValueContainer().decode(Value.self)
    }

    /// Encodes the value alone.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(wrappedValue)
    }
}

extension PrimaryKey: Sendable where Value: Sendable {}
extension PrimaryKey: Equatable where Value: Equatable {}
extension PrimaryKey: Hashable where Value: Hashable {}

// Synthesized code finds these overloads before the generic ones: no decoder for the wrapper, and a missing optional is nil.
extension KeyedDecodingContainer {
    /// Decodes the value of a wrapped property.
    public func decode<V>(_ type: PrimaryKey<V>.Type, forKey key: Key) throws -> PrimaryKey<V> {
        PrimaryKey(wrappedValue: try decode(V.self, forKey: key))
    }

    /// Decodes the value of a wrapped optional property; nil where it is missing.
    public func decode<V>(_ type: PrimaryKey<V?>.Type, forKey key: Key) throws -> PrimaryKey<V?> {
        PrimaryKey(wrappedValue: try decodeIfPresent(V.self, forKey: key))
    }
}
