/// The elements of an array.
struct CompactUnkeyedEncodingContainer: UnkeyedEncodingContainer {
    let node: CompactEncodingNode

    var codingPath: [any CodingKey] { node.codingPath }

    var count: Int { node.count }

    @inline(__always)
    private func element() -> CompactOutput {
        node.beginElement()
        return node.output
    }

    func encodeNil() { element().writeNull() }
    func encode(_ value: Bool) { element().write(value) }
    func encode(_ value: String) { element().write(value) }
    func encode(_ value: Double) { element().write(value) }
    func encode(_ value: Float) { element().write(value) }
    func encode(_ value: Int) { element().write(value) }
    func encode(_ value: Int8) { element().write(value) }
    func encode(_ value: Int16) { element().write(value) }
    func encode(_ value: Int32) { element().write(value) }
    func encode(_ value: Int64) { element().write(value) }
    func encode(_ value: Int128) { element().write(value) }
    func encode(_ value: UInt) { element().write(value) }
    func encode(_ value: UInt8) { element().write(value) }
    func encode(_ value: UInt16) { element().write(value) }
    func encode(_ value: UInt32) { element().write(value) }
    func encode(_ value: UInt64) { element().write(value) }
    func encode(_ value: UInt128) { element().write(value) }

    func encode<T: Encodable>(_ value: T) throws {
        try node.attempt {
            let index = node.count
            node.beginElement()
            try node.write(value, .index(index))
        }
    }

    func nestedContainer<NestedKey: CodingKey>(keyedBy type: NestedKey.Type) -> KeyedEncodingContainer<NestedKey> {
        superEncoder().container(keyedBy: type)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { superEncoder().unkeyedContainer() }

    func superEncoder() -> any Encoder {
        let index = node.count
        node.beginElement()
        return node.deferred(.index(index))
    }
}
