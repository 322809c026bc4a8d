#if PEER_SQLITE
import Foundation

/// Decodes the row that a statement stands on, as Perfect-CRUD does: a decoder for each row, columns found by the names of
/// their keys.
struct StatementDecoder: Decoder {
    let statement: SQLiteStatement
    /// The numbers of the columns.
    let columns: [String: CInt]
    /// Joined objects for the one property that is no column.
    var children: [Member]?
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(StatementRow(statement: statement, columns: columns, children: children))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw BenchmarkError("a row has names") }
    func singleValueContainer() throws -> any SingleValueDecodingContainer { throw BenchmarkError("a row has names") }
}

/// The columns of a row.
private final class StatementRow<Key: CodingKey>: KeyedDecodingContainerProtocol {
    private let statement: SQLiteStatement
    private let columns: [String: CInt]
    private let children: [Member]?
    var codingPath: [any CodingKey] { [] }
    var allKeys: [Key] { columns.keys.compactMap { Key(stringValue: $0) } }

    init(statement: SQLiteStatement, columns: [String: CInt], children: [Member]?) {
        self.statement = statement
        self.columns = columns
        self.children = children
    }

    private func position(_ key: Key) throws -> CInt {
        guard let position = columns[key.stringValue] else { throw BenchmarkError("no column \(key.stringValue)") }
        return position
    }

    func contains(_ key: Key) -> Bool { columns[key.stringValue] != nil || children != nil }

    func decodeNil(forKey key: Key) throws -> Bool {
        if columns[key.stringValue] == nil { return children == nil }
        return statement.isNull(try position(key))
    }

    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { statement.integer(try position(key)) == 1 }
    func decode(_ type: Int.Type, forKey key: Key) throws -> Int { statement.integer(try position(key)) }
    func decode(_ type: Double.Type, forKey key: Key) throws -> Double { statement.real(try position(key)) }
    func decode(_ type: String.Type, forKey key: Key) throws -> String { statement.text(try position(key)) }

    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
        let value: Any? = type == Date.self ? statement.date(try position(key)) : children
        guard let result = value as? T else { throw BenchmarkError("no columns of \(type)") }
        return result
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> { throw BenchmarkError("rows are flat") }
    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        throw BenchmarkError("rows are flat")
    }
    func superDecoder() throws -> any Decoder { throw BenchmarkError("rows are flat") }
    func superDecoder(forKey key: Key) throws -> any Decoder { throw BenchmarkError("rows are flat") }
}
#endif
