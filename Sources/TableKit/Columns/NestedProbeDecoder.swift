/// Decodes a nested value from probes: either all first or all second ones.
struct NestedProbeDecoder: Decoder, SingleValueDecodingContainer {
    let second: Bool
    let depth: Int

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    /// True at the depth limit: optionals are nil and arrays are empty there.
    var isDeepest: Bool { depth >= Probe.deepest }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(NestedProbeContainer<Key>(decoder: self))
    }

    func unkeyedContainer() -> any UnkeyedDecodingContainer { NestedProbeArray(decoder: self) }
    func singleValueContainer() -> any SingleValueDecodingContainer { self }
    func decodeNil() -> Bool { isDeepest }
    func decode<T: Decodable>(_ type: T.Type) throws -> T {
        try Probe.value(type, second: second, depth: depth)
    }
}

/// A keyed container that contains every key.
struct NestedProbeContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let decoder: NestedProbeDecoder

    var codingPath: [any CodingKey] { [] }

    /// No key or one key, for a dictionary.
    var allKeys: [Key] {
        decoder.second && !decoder.isDeepest ? [Key(intValue: 1) ?? Key(stringValue: "a")].compactMap { $0 } : []
    }

    func contains(_ key: Key) -> Bool { true }
    func decodeNil(forKey key: Key) -> Bool { decoder.isDeepest }
    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T { try decoder.decode(type) }

    func nestedContainer<Other: CodingKey>(
        keyedBy type: Other.Type, forKey key: Key
    ) -> KeyedDecodingContainer<Other> { decoder.container(keyedBy: type) }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedDecodingContainer { decoder.unkeyedContainer() }
    func superDecoder() -> any Decoder { decoder }
    func superDecoder(forKey key: Key) -> any Decoder { decoder }
}

/// An array of no element or one. A type that decodes a fixed number of elements gets as many as it requests.
struct NestedProbeArray: UnkeyedDecodingContainer {
    let decoder: NestedProbeDecoder
    var currentIndex = 0

    init(decoder: NestedProbeDecoder) { self.decoder = decoder }

    var codingPath: [any CodingKey] { [] }
    var count: Int? { decoder.second && !decoder.isDeepest ? 1 : 0 }
    var isAtEnd: Bool { currentIndex >= count ?? 0 }

    mutating func decodeNil() -> Bool { decoder.isDeepest }

    mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
        currentIndex += 1
        return try decoder.decode(type)
    }

    mutating func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
        currentIndex += 1
        return decoder.container(keyedBy: type)
    }

    mutating func nestedUnkeyedContainer() -> any UnkeyedDecodingContainer {
        currentIndex += 1
        return decoder.unkeyedContainer()
    }

    mutating func superDecoder() -> any Decoder { decoder }
}
