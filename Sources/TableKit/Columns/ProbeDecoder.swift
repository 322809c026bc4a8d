/// Decodes a table's type from probes, and records the columns that it requests.
final class ProbeDecoder: Decoder {
    /// A property that the type decodes.
    struct Property {
        let name: String
        let type: any Decodable.Type
        let isOptional: Bool
        /// The element type of an array that joins fill.
        let element: (any Codable.Type)?
    }

    /// The type that is decoded, for error messages.
    let table: any Decodable.Type
    /// True if the property of this name gets its second probe.
    private let isSecond: (String) -> Bool
    /// The odd probe that the property of this name gets instead; nil for a usual one.
    private let odd: (String) -> OddProbe?
    /// Probes that the type itself provides, by property: the first and the second.
    private let given: [[String: any Encodable]]
    /// The properties, in the order of their first request.
    private(set) var properties: [Property] = []
    /// The column value of each property's probe.
    private(set) var values: [String: ColumnValue] = [:]

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    init(
        _ table: any Decodable.Type, given: [[String: any Encodable]],
        odd: @escaping (String) -> OddProbe? = { _ in nil },
        isSecond: @escaping (String) -> Bool
    ) {
        self.table = table
        self.given = given
        self.odd = odd
        self.isSecond = isSecond
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(ProbeContainer<Key>(decoder: self))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw noTable() }
    func singleValueContainer() throws -> any SingleValueDecodingContainer { throw noTable() }

    private func noTable() -> CRUDSQLGenError {
        CRUDSQLGenError("\(table) is no table: it has no properties with names.", code: .unsupported)
    }

    func unsupported(_ name: String) -> CRUDSQLGenError {
        CRUDSQLGenError(
            "Property \(name) of \(table) decodes its content from containers of its own; a column is one value.",
            code: .unsupported)
    }

    /// Returns the probe of a property, and records the property.
    func value<T: Decodable>(_ type: T.Type, _ name: String, isOptional: Bool) throws -> T {
        let second = isSecond(name)
        note(Property(name: name, type: type, isOptional: isOptional, element: nil))
        let value = try given(name, second: second) ?? odd(name)?.value(type) ?? made(type, name, second: second)
        values[name] = try Probe.columnValue(of: value)
        return value
    }

    /// As `value`, for a property that may be missing.
    func optionalValue<T: Decodable>(_ type: T.Type, _ name: String) throws -> T? {
        guard given.isEmpty, odd(name) == .absent else { return try value(type, name, isOptional: true) }
        note(Property(name: name, type: type, isOptional: true, element: nil))
        values[name] = .null
        return nil
    }

    /// Returns the probe of an array property that joins fill: nil, or an empty array as the second one.
    func subTable<T: Decodable>(_ type: T.Type, _ name: String, of element: any Codable.Type) -> T? {
        note(Property(name: name, type: type, isOptional: true, element: element))
        return isSecond(name) ? (type as? any AnyArray.Type)?.empty as? T : nil
    }

    private func note(_ property: Property) {
        if !properties.contains(where: { $0.name == property.name }) { properties.append(property) }
    }

    private func given<T>(_ name: String, second: Bool) -> T? {
        // Unwraps first: nil casts to every optional type.
        guard given.count == 2, let value = given[second ? 1 : 0][name] else { return nil }
        return value as? T
    }

    private func made<T: Decodable>(_ type: T.Type, _ name: String, second: Bool) throws -> T {
        do {
            return try Probe.value(type, second: second)
        } catch {
            throw CRUDSQLGenError(
                """
                Property \(name) of \(table) cannot be decoded from made-up values: let \(type) conform to ProbeValues. \
                (\(error))
                """, code: .unsupported, table: table.CRUDTableName, column: name)
        }
    }
}

/// An array of any element type.
protocol AnyArray {
    static var element: Any.Type { get }
    static var empty: Self { get }
}

extension Array: AnyArray {
    static var element: Any.Type { Element.self }
    static var empty: Self { [] }
}

extension AnyArray {
    /// The element type if it is a record, whose values are rows of a table; nil for scalars and Foundation's values.
    static var recordElement: (any Codable.Type)? {
        guard let type = element as? any Codable.Type, case .nested = ValueKind(type) else { return nil }
        if RecordSniffer.foundationValues.contains(ObjectIdentifier(type)) { return nil }
        return RecordSniffer.isRecord(type) ? type : nil
    }
}

/// The keyed container of a table's type.
private struct ProbeContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let decoder: ProbeDecoder

    var codingPath: [any CodingKey] { [] }
    var allKeys: [Key] { [] }

    func contains(_ key: Key) -> Bool { true }
    func decodeNil(forKey key: Key) -> Bool { false }

    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
        if let optional = type as? any OptionalProtocol.Type, let array = optional.wrapped as? any AnyArray.Type,
            let element = array.recordElement,
            let value = optional.some(any: array.empty) as? T
        {
            // The type requested the optional array itself. It may not accept nil, so it gets an array.
            _ = decoder.subTable(type, key.stringValue, of: element)
            return value
        }
        return try decoder.value(type, key.stringValue, isOptional: false)
    }

    func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? {
        if let element = (type as? any AnyArray.Type)?.recordElement {
            return decoder.subTable(type, key.stringValue, of: element)
        }
        return try decoder.optionalValue(type, key.stringValue)
    }

    func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? { try optional(type, key) }
    func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? { try optional(type, key) }
    func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? { try optional(type, key) }
    func decodeIfPresent(_ type: Float.Type, forKey key: Key) throws -> Float? { try optional(type, key) }
    func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? { try optional(type, key) }
    func decodeIfPresent(_ type: Int8.Type, forKey key: Key) throws -> Int8? { try optional(type, key) }
    func decodeIfPresent(_ type: Int16.Type, forKey key: Key) throws -> Int16? { try optional(type, key) }
    func decodeIfPresent(_ type: Int32.Type, forKey key: Key) throws -> Int32? { try optional(type, key) }
    func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? { try optional(type, key) }
    func decodeIfPresent(_ type: UInt.Type, forKey key: Key) throws -> UInt? { try optional(type, key) }
    func decodeIfPresent(_ type: UInt8.Type, forKey key: Key) throws -> UInt8? { try optional(type, key) }
    func decodeIfPresent(_ type: UInt16.Type, forKey key: Key) throws -> UInt16? { try optional(type, key) }
    func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) throws -> UInt32? { try optional(type, key) }
    func decodeIfPresent(_ type: UInt64.Type, forKey key: Key) throws -> UInt64? { try optional(type, key) }

    private func optional<T: Decodable>(_ type: T.Type, _ key: Key) throws -> T? {
        try decoder.optionalValue(type, key.stringValue)
    }

    func nestedContainer<Other: CodingKey>(
        keyedBy type: Other.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Other> { throw decoder.unsupported(key.stringValue) }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        throw decoder.unsupported(key.stringValue)
    }

    // The classes of a hierarchy share the row.
    func superDecoder() -> any Decoder { decoder }
    func superDecoder(forKey key: Key) throws -> any Decoder { throw decoder.unsupported(key.stringValue) }
}
