/// An encoder and its containers that throw for every value, where an encoder supports no container of their kind.
struct RefusedValues: UnkeyedEncodingContainer, SingleValueEncodingContainer, Encoder {
    let error: CRUDEncoderError

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }
    var count: Int { 0 }

    func encodeNil() throws { throw error }
    func encode<T: Encodable>(_ value: T) throws { throw error }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(Keyed<Key>(error: error))
    }

    func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        container(keyedBy: type)
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer { self }
    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { self }
    func singleValueContainer() -> any SingleValueEncodingContainer { self }
    func superEncoder() -> any Encoder { self }

    private struct Keyed<Key: CodingKey>: KeyedEncodingContainerProtocol {
        let error: CRUDEncoderError

        var codingPath: [any CodingKey] { [] }

        func encodeNil(forKey key: Key) throws { throw error }
        func encode<T: Encodable>(_ value: T, forKey key: Key) throws { throw error }

        func nestedContainer<Other: CodingKey>(
            keyedBy type: Other.Type, forKey key: Key
        ) -> KeyedEncodingContainer<Other> { KeyedEncodingContainer(Keyed<Other>(error: error)) }

        func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { RefusedValues(error: error) }
        func superEncoder() -> any Encoder { RefusedValues(error: error) }
        func superEncoder(forKey key: Key) -> any Encoder { RefusedValues(error: error) }
    }
}
