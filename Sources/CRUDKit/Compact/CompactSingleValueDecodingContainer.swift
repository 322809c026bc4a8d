/// A value of any kind.
struct CompactSingleValueDecodingContainer: SingleValueDecodingContainer {
    let node: CompactDecodingNode
    /// The offset of the value.
    let offset: Int

    var codingPath: [any CodingKey] { node.codingPath }

    func decodeNil() -> Bool { node.isNull(at: offset) }

    /// Reads the value without advancing, so that it can be read again as another type.
    @inline(__always)
    private func read<T>(_ body: (inout Int) throws -> T) throws -> T {
        var end = offset
        return try body(&end)
    }

    func decode(_ type: Bool.Type) throws -> Bool { try read { try node.boolean(at: &$0, .root) } }

    func decode(_ type: String.Type) throws -> String { try read { try node.string(at: &$0, .root) } }

    func decode(_ type: Double.Type) throws -> Double { try read { try node.double(at: &$0, .root) } }

    func decode(_ type: Float.Type) throws -> Float { try read { try node.float(at: &$0, .root) } }

    func decode(_ type: Int.Type) throws -> Int { try read { try node.integer(type, at: &$0, .root) } }

    func decode(_ type: Int8.Type) throws -> Int8 { try read { try node.integer(type, at: &$0, .root) } }

    func decode(_ type: Int16.Type) throws -> Int16 { try read { try node.integer(type, at: &$0, .root) } }

    func decode(_ type: Int32.Type) throws -> Int32 { try read { try node.integer(type, at: &$0, .root) } }

    func decode(_ type: Int64.Type) throws -> Int64 { try read { try node.integer(type, at: &$0, .root) } }

    func decode(_ type: Int128.Type) throws -> Int128 { try read { try node.integer(type, at: &$0, .root) } }

    func decode(_ type: UInt.Type) throws -> UInt { try read { try node.integer(type, at: &$0, .root) } }

    func decode(_ type: UInt8.Type) throws -> UInt8 { try read { try node.integer(type, at: &$0, .root) } }

    func decode(_ type: UInt16.Type) throws -> UInt16 { try read { try node.integer(type, at: &$0, .root) } }

    func decode(_ type: UInt32.Type) throws -> UInt32 { try read { try node.integer(type, at: &$0, .root) } }

    func decode(_ type: UInt64.Type) throws -> UInt64 { try read { try node.integer(type, at: &$0, .root) } }

    func decode(_ type: UInt128.Type) throws -> UInt128 { try read { try node.integer(type, at: &$0, .root) } }

    func decode<T: Decodable>(_ type: T.Type) throws -> T { try read { try node.value(type, at: &$0, .root) } }
}
