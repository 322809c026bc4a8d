/// The elements of an array.
struct CompactUnkeyedDecodingContainer: UnkeyedDecodingContainer {
    let node: CompactDecodingNode
    /// The offset of the next element.
    var offset: Int
    var currentIndex = 0

    var codingPath: [any CodingKey] { node.codingPath }

    /// - Complexity: O(*n*) in the size of the array, because the encoding does not store the count.
    var count: Int? { node.elementCount }

    var isAtEnd: Bool { node.input.bytes[offset] == CompactTag.end }

    /// Reads the next element.
    @inline(__always)
    private mutating func read<T>(_ body: (CompactDecodingNode, Int, inout Int) throws -> T) throws -> T {
        guard !isAtEnd else { throw node.atEnd(T.self, .index(currentIndex)) }
        var end = offset
        let value = try body(node, currentIndex, &end)
        advance(to: end)
        return value
    }

    @inline(__always)
    private mutating func advance(to end: Int) {
        offset = end
        currentIndex &+= 1
        node.position = end
    }

    mutating func decodeNil() throws -> Bool {
        guard !isAtEnd else { throw node.atEnd(Any?.self, .index(currentIndex)) }
        guard node.isNull(at: offset) else { return false }
        advance(to: offset + 1)
        return true
    }

    mutating func decode(_ type: Bool.Type) throws -> Bool {
        try read { try $0.boolean(at: &$2, .index($1)) }
    }

    mutating func decode(_ type: String.Type) throws -> String {
        try read { try $0.string(at: &$2, .index($1)) }
    }

    mutating func decode(_ type: Double.Type) throws -> Double {
        try read { try $0.double(at: &$2, .index($1)) }
    }

    mutating func decode(_ type: Float.Type) throws -> Float {
        try read { try $0.float(at: &$2, .index($1)) }
    }

    mutating func decode(_ type: Int.Type) throws -> Int {
        try read { try $0.integer(type, at: &$2, .index($1)) }
    }

    mutating func decode(_ type: Int8.Type) throws -> Int8 {
        try read { try $0.integer(type, at: &$2, .index($1)) }
    }

    mutating func decode(_ type: Int16.Type) throws -> Int16 {
        try read { try $0.integer(type, at: &$2, .index($1)) }
    }

    mutating func decode(_ type: Int32.Type) throws -> Int32 {
        try read { try $0.integer(type, at: &$2, .index($1)) }
    }

    mutating func decode(_ type: Int64.Type) throws -> Int64 {
        try read { try $0.integer(type, at: &$2, .index($1)) }
    }

    mutating func decode(_ type: Int128.Type) throws -> Int128 {
        try read { try $0.integer(type, at: &$2, .index($1)) }
    }

    mutating func decode(_ type: UInt.Type) throws -> UInt {
        try read { try $0.integer(type, at: &$2, .index($1)) }
    }

    mutating func decode(_ type: UInt8.Type) throws -> UInt8 {
        try read { try $0.integer(type, at: &$2, .index($1)) }
    }

    mutating func decode(_ type: UInt16.Type) throws -> UInt16 {
        try read { try $0.integer(type, at: &$2, .index($1)) }
    }

    mutating func decode(_ type: UInt32.Type) throws -> UInt32 {
        try read { try $0.integer(type, at: &$2, .index($1)) }
    }

    mutating func decode(_ type: UInt64.Type) throws -> UInt64 {
        try read { try $0.integer(type, at: &$2, .index($1)) }
    }

    mutating func decode(_ type: UInt128.Type) throws -> UInt128 {
        try read { try $0.integer(type, at: &$2, .index($1)) }
    }

    mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
        try read { try $0.value(type, at: &$2, .index($1)) }
    }

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try superNode().container(keyedBy: type)
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try superNode().unkeyedContainer()
    }

    mutating func superDecoder() throws -> any Decoder { try superNode() }

    /// A decoder for the next element. Advances behind it.
    private mutating func superNode() throws -> CompactDecodingNode {
        guard !isAtEnd else { throw node.atEnd((any Decoder).self, .index(currentIndex)) }
        let child = node.child(at: offset, .index(currentIndex))
        advance(to: node.input.end(of: offset))
        return child
    }
}
