/// The entries of a map.
struct CompactKeyedDecodingContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let node: CompactDecodingNode

    var codingPath: [any CodingKey] { node.codingPath }

    var allKeys: [Key] { node.keys.compactMap(Key.init(stringValue:)) }

    func contains(_ key: Key) -> Bool { node.find(key.stringValue) != nil }

    /// The offset of a key's value.
    @inline(__always)
    private func offset(_ key: Key) throws -> Int {
        guard let offset = node.find(key.stringValue) else { throw node.missing(key) }
        return offset
    }

    /// Reads the value of a key. The next entry is expected behind it.
    @inline(__always)
    private func read<T>(_ key: Key, _ body: (inout Int) throws -> T) throws -> T {
        var offset = try offset(key)
        let value = try body(&offset)
        node.position = offset
        return value
    }

    /// Like `read`, for a value that may be missing or null.
    @inline(__always)
    private func readIfPresent<T>(_ key: Key, _ body: (inout Int) throws -> T) throws -> T? {
        guard var offset = node.find(key.stringValue) else { return nil }
        if node.isNull(at: offset) {
            node.position = offset + 1
            return nil
        }
        let value = try body(&offset)
        node.position = offset
        return value
    }

    func decodeNil(forKey key: Key) throws -> Bool {
        let offset = try offset(key)
        guard node.isNull(at: offset) else { return false }
        node.position = offset + 1
        return true
    }

    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool {
        try read(key) { try node.boolean(at: &$0, .key(key)) }
    }

    func decode(_ type: String.Type, forKey key: Key) throws -> String {
        try read(key) { try node.string(at: &$0, .key(key)) }
    }

    func decode(_ type: Double.Type, forKey key: Key) throws -> Double {
        try read(key) { try node.double(at: &$0, .key(key)) }
    }

    func decode(_ type: Float.Type, forKey key: Key) throws -> Float {
        try read(key) { try node.float(at: &$0, .key(key)) }
    }

    func decode(_ type: Int.Type, forKey key: Key) throws -> Int {
        try read(key) { try node.integer(type, at: &$0, .key(key)) }
    }

    func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 {
        try read(key) { try node.integer(type, at: &$0, .key(key)) }
    }

    func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 {
        try read(key) { try node.integer(type, at: &$0, .key(key)) }
    }

    func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 {
        try read(key) { try node.integer(type, at: &$0, .key(key)) }
    }

    func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 {
        try read(key) { try node.integer(type, at: &$0, .key(key)) }
    }

    func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 {
        try read(key) { try node.integer(type, at: &$0, .key(key)) }
    }

    func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt {
        try read(key) { try node.integer(type, at: &$0, .key(key)) }
    }

    func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 {
        try read(key) { try node.integer(type, at: &$0, .key(key)) }
    }

    func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 {
        try read(key) { try node.integer(type, at: &$0, .key(key)) }
    }

    func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 {
        try read(key) { try node.integer(type, at: &$0, .key(key)) }
    }

    func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 {
        try read(key) { try node.integer(type, at: &$0, .key(key)) }
    }

    func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 {
        try read(key) { try node.integer(type, at: &$0, .key(key)) }
    }

    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
        try read(key) { try node.value(type, at: &$0, .key(key)) }
    }

    func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? {
        try readIfPresent(key) { try node.boolean(at: &$0, .key(key)) }
    }

    func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
        try readIfPresent(key) { try node.string(at: &$0, .key(key)) }
    }

    func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? {
        try readIfPresent(key) { try node.double(at: &$0, .key(key)) }
    }

    func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? {
        try readIfPresent(key) { try node.integer(type, at: &$0, .key(key)) }
    }

    func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? {
        try readIfPresent(key) { try node.value(type, at: &$0, .key(key)) }
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try node.child(at: try offset(key), .key(key)).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try node.child(at: try offset(key), .key(key)).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder {
        let key = CompactIndexKey.super
        guard let offset = node.find(key.stringValue) else { throw node.missing(key) }
        return node.child(at: offset, .key(key))
    }

    func superDecoder(forKey key: Key) throws -> any Decoder {
        node.child(at: try offset(key), .key(key))
    }
}
