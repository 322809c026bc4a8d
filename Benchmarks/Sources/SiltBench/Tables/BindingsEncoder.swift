import Foundation

/// A value for a parameter of a statement.
enum Binding {
    case integer(Int)
    case real(Double)
    case text(String)
    case null
}

/// Takes the columns of an object, as Perfect-CRUD does: an encoder for each object, a value by the name of each key.
final class BindingsEncoder: Encoder {
    private var bindings: [(column: String, value: Binding)] = []
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    /// The values of these columns, in their order; NULL where the object has left one out.
    func values(of columns: [String]) -> [Binding] {
        let values = Dictionary(bindings.map { ($0.column, $0.value) }) { $1 }
        return columns.map { values[$0] ?? .null }
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(Columns<Key>(encoder: self))
    }

    // Objects have columns: nothing else is asked for.
    func unkeyedContainer() -> any UnkeyedEncodingContainer { preconditionFailure("a row has names") }
    func singleValueContainer() -> any SingleValueEncodingContainer { preconditionFailure("a row has names") }

    private struct Columns<Key: CodingKey>: KeyedEncodingContainerProtocol {
        let encoder: BindingsEncoder
        var codingPath: [any CodingKey] { [] }

        private func add(_ key: Key, _ value: Binding) { encoder.bindings.append((key.stringValue, value)) }

        func encodeNil(forKey key: Key) { add(key, .null) }
        func encode(_ value: Bool, forKey key: Key) { add(key, .integer(value ? 1 : 0)) }
        func encode(_ value: Int, forKey key: Key) { add(key, .integer(value)) }
        func encode(_ value: Double, forKey key: Key) { add(key, .real(value)) }
        func encode(_ value: String, forKey key: Key) { add(key, .text(value)) }

        func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
            guard let date = value as? Date else { throw BenchmarkError("no column of \(T.self)") }
            add(key, .real(date.timeIntervalSinceReferenceDate))
        }

        func nestedContainer<Nested: CodingKey>(
            keyedBy type: Nested.Type, forKey key: Key
        ) -> KeyedEncodingContainer<Nested> { preconditionFailure("rows are flat") }
        func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
            preconditionFailure("rows are flat")
        }
        func superEncoder() -> any Encoder { preconditionFailure("rows are flat") }
        func superEncoder(forKey key: Key) -> any Encoder { preconditionFailure("rows are flat") }
    }
}
