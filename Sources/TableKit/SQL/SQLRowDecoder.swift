/// Decodes the rows of a result by the names of its columns.
struct SQLRowDecoder {
    private let numbers: [String: Int]

    /// - Parameter columns: the names. The first of equal names wins.
    init(_ columns: [String]) {
        numbers = Dictionary(columns.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// Decodes a row. A type without properties, such as `Int`, decodes from the first column.
    func decode<T: Decodable>(_ type: T.Type, _ row: [ColumnValue]) throws -> T {
        if let column = type as? any ColumnConvertible.Type, let first = row.first {
            guard let value = try column.init(columnValue: first) as? T else { throw column.misfit(first) }
            return value
        }
        return try T(from: RowItemDecoder(numbers: numbers, row: row))
    }
}

/// The decoder of one row.
private struct RowItemDecoder: Decoder {
    let numbers: [String: Int]
    let row: [ColumnValue]
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    static var isFlat: CRUDDecoderError {
        CRUDDecoderError("A row holds values, no rows or arrays.", code: .unsupported)
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(RowItemContainer(row: self))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        throw RowItemDecoder.isFlat
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer {
        ColumnValueDecoder(value: row.first ?? .null, column: nil)
    }
}

private struct RowItemContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let row: RowItemDecoder
    var codingPath: [any CodingKey] { [] }
    var allKeys: [Key] { row.numbers.keys.compactMap { Key(stringValue: $0) } }

    func contains(_ key: Key) -> Bool { row.numbers[key.stringValue] != nil }

    private func value(_ key: Key) throws -> ColumnValueDecoder {
        guard let number = row.numbers[key.stringValue] else {
            throw CRUDDecoderError("The result has no such column.", code: .noColumn, column: key.stringValue)
        }
        return ColumnValueDecoder(value: row.row[number], column: key.stringValue)
    }

    func decodeNil(forKey key: Key) throws -> Bool {
        contains(key) ? try value(key).value.isNull : true
    }

    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T { try value(key).decode(type) }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> { throw RowItemDecoder.isFlat }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer { throw RowItemDecoder.isFlat }

    func superDecoder() throws -> any Decoder { row }
    func superDecoder(forKey key: Key) throws -> any Decoder { row }
}
