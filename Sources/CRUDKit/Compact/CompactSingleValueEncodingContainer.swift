/// A value that is neither map nor array.
struct CompactSingleValueEncodingContainer: SingleValueEncodingContainer {
    let node: CompactEncodingNode

    var codingPath: [any CodingKey] { node.codingPath }

    @inline(__always)
    private func scalar() throws -> CompactOutput {
        try node.beginScalar()
        return node.output
    }

    func encodeNil() throws { try scalar().writeNull() }
    func encode(_ value: Bool) throws { try scalar().write(value) }
    func encode(_ value: String) throws { try scalar().write(value) }
    func encode(_ value: Double) throws { try scalar().write(value) }
    func encode(_ value: Float) throws { try scalar().write(value) }
    func encode(_ value: Int) throws { try scalar().write(value) }
    func encode(_ value: Int8) throws { try scalar().write(value) }
    func encode(_ value: Int16) throws { try scalar().write(value) }
    func encode(_ value: Int32) throws { try scalar().write(value) }
    func encode(_ value: Int64) throws { try scalar().write(value) }
    func encode(_ value: Int128) throws { try scalar().write(value) }
    func encode(_ value: UInt) throws { try scalar().write(value) }
    func encode(_ value: UInt8) throws { try scalar().write(value) }
    func encode(_ value: UInt16) throws { try scalar().write(value) }
    func encode(_ value: UInt32) throws { try scalar().write(value) }
    func encode(_ value: UInt64) throws { try scalar().write(value) }
    func encode(_ value: UInt128) throws { try scalar().write(value) }

    func encode<T: Encodable>(_ value: T) throws {
        try node.beginScalar()
        do {
            try node.attempt { try node.write(value, .root) }
        } catch {
            node.cancelScalar()
            throw error
        }
    }
}
