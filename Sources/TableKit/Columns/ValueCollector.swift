/// An encoder that records the values of a type by key, unencoded.
final class ValueCollector: Encoder {
    private(set) var values: [String: any Encodable] = [:]

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    /// The values of an item's properties.
    static func values(of item: some Encodable) throws -> [String: any Encodable] {
        let collector = ValueCollector()
        try item.encode(to: collector)
        return collector.values
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(Container<Key>(collector: self))
    }

    // Discards values written to these containers: the decoding that follows rejects the type.
    func unkeyedContainer() -> any UnkeyedEncodingContainer { UnnotedValues() }
    func singleValueContainer() -> any SingleValueEncodingContainer { UnnotedValues() }

    private struct Container<Key: CodingKey>: KeyedEncodingContainerProtocol {
        let collector: ValueCollector

        var codingPath: [any CodingKey] { [] }

        mutating func encodeNil(forKey key: Key) {}
        mutating func encode<T: Encodable>(_ value: T, forKey key: Key) {
            collector.values[key.stringValue] = value
        }

        mutating func nestedContainer<Other: CodingKey>(
            keyedBy keyType: Other.Type, forKey key: Key
        ) -> KeyedEncodingContainer<Other> { KeyedEncodingContainer(Container<Other>(collector: ValueCollector())) }

        mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { UnnotedValues() }
        mutating func superEncoder() -> any Encoder { collector }
        mutating func superEncoder(forKey key: Key) -> any Encoder { ValueCollector() }
    }
}

/// A container that discards all values.
struct UnnotedValues: UnkeyedEncodingContainer, SingleValueEncodingContainer {
    var codingPath: [any CodingKey] { [] }
    var count: Int { 0 }

    mutating func encodeNil() {}
    mutating func encode<T: Encodable>(_ value: T) {}
    mutating func nestedContainer<Key: CodingKey>(keyedBy keyType: Key.Type) -> KeyedEncodingContainer<Key> {
        ValueCollector().container(keyedBy: keyType)
    }
    mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { self }
    mutating func superEncoder() -> any Encoder { ValueCollector() }
}
