/// Declares a property as the primary key: `@PrimaryKey var id: UUID`. Several form a composite key, in their order.
@propertyWrapper
public struct PrimaryKey<Value: Codable>: Codable {
    /// The value.
    public var wrappedValue: Value
    /// The value.
    public var projectedValue: Value { wrappedValue }

    /// A key.
    public init(wrappedValue: Value) { self.wrappedValue = wrappedValue }

    /// Decodes only the value.
    public init(from decoder: any Decoder) throws {
        wrappedValue = try decoder.singleValueContainer().decode(Value.self)
    }

    /// Encodes only the value.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(wrappedValue)
    }
}

extension PrimaryKey: Sendable where Value: Sendable {}
extension PrimaryKey: Equatable where Value: Equatable {}
extension PrimaryKey: Hashable where Value: Hashable {}

// Synthesized code prefers this overload to the generic one.
extension KeyedDecodingContainer {
    /// Decodes a wrapped optional property. A missing key is nil, as for optionals without a wrapper.
    public func decode<V>(_ type: PrimaryKey<V?>.Type, forKey key: Key) throws -> PrimaryKey<V?> {
        try decodeIfPresent(type, forKey: key) ?? PrimaryKey(wrappedValue: nil)
    }
}
