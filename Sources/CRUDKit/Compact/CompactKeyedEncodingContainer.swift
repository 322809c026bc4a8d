/// The entries of a map.
struct CompactKeyedEncodingContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let node: CompactEncodingNode

    var codingPath: [any CodingKey] { node.codingPath }

    @inline(__always)
    private func entry(_ key: Key) -> CompactOutput {
        node.beginEntry(key)
        return node.output
    }

    func encodeNil(forKey key: Key) { entry(key).writeNull() }
    func encode(_ value: Bool, forKey key: Key) { entry(key).write(value) }
    func encode(_ value: String, forKey key: Key) { entry(key).write(value) }
    func encode(_ value: Double, forKey key: Key) { entry(key).write(value) }
    func encode(_ value: Float, forKey key: Key) { entry(key).write(value) }
    func encode(_ value: Int, forKey key: Key) { entry(key).write(value) }
    func encode(_ value: Int8, forKey key: Key) { entry(key).write(value) }
    func encode(_ value: Int16, forKey key: Key) { entry(key).write(value) }
    func encode(_ value: Int32, forKey key: Key) { entry(key).write(value) }
    func encode(_ value: Int64, forKey key: Key) { entry(key).write(value) }
    func encode(_ value: Int128, forKey key: Key) { entry(key).write(value) }
    func encode(_ value: UInt, forKey key: Key) { entry(key).write(value) }
    func encode(_ value: UInt8, forKey key: Key) { entry(key).write(value) }
    func encode(_ value: UInt16, forKey key: Key) { entry(key).write(value) }
    func encode(_ value: UInt32, forKey key: Key) { entry(key).write(value) }
    func encode(_ value: UInt64, forKey key: Key) { entry(key).write(value) }
    func encode(_ value: UInt128, forKey key: Key) { entry(key).write(value) }

    func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
        try node.attempt {
            node.beginEntry(key)
            try node.write(value, .key(key))
        }
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
        superEncoder(forKey: key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        superEncoder(forKey: key).unkeyedContainer()
    }

    func superEncoder() -> any Encoder {
        node.beginEntry(CompactIndexKey.super)
        return node.deferred(.key(CompactIndexKey.super))
    }

    func superEncoder(forKey key: Key) -> any Encoder {
        node.beginEntry(key)
        return node.deferred(.key(key))
    }
}
