/// The encoding container of a row.
final class RowEncodingContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let writer: RowWriter
    let numbers: PropertyNumbers

    init(writer: RowWriter) {
        self.writer = writer
        numbers = PropertyNumbers(writer.names, isByte: PropertyNumbers.isByte(Key.self))
    }

    var codingPath: [any CodingKey] { [] }

    func encodeNil(forKey key: Key) throws { try writer.setNull(numbers.number(key)) }

    func encode(_ value: Bool, forKey key: Key) throws { try value.write(writer, numbers.number(key)) }
    func encode(_ value: String, forKey key: Key) throws { try value.write(writer, numbers.number(key)) }
    func encode(_ value: Double, forKey key: Key) throws { try value.write(writer, numbers.number(key)) }
    func encode(_ value: Float, forKey key: Key) throws { try value.write(writer, numbers.number(key)) }
    func encode(_ value: Int, forKey key: Key) throws { try value.write(writer, numbers.number(key)) }
    func encode(_ value: Int8, forKey key: Key) throws { try value.write(writer, numbers.number(key)) }
    func encode(_ value: Int16, forKey key: Key) throws { try value.write(writer, numbers.number(key)) }
    func encode(_ value: Int32, forKey key: Key) throws { try value.write(writer, numbers.number(key)) }
    func encode(_ value: Int64, forKey key: Key) throws { try value.write(writer, numbers.number(key)) }
    func encode(_ value: UInt, forKey key: Key) throws { try value.write(writer, numbers.number(key)) }
    func encode(_ value: UInt8, forKey key: Key) throws { try value.write(writer, numbers.number(key)) }
    func encode(_ value: UInt16, forKey key: Key) throws { try value.write(writer, numbers.number(key)) }
    func encode(_ value: UInt32, forKey key: Key) throws { try value.write(writer, numbers.number(key)) }
    func encode(_ value: UInt64, forKey key: Key) throws { try value.write(writer, numbers.number(key)) }

    func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
        let number = numbers.number(key)
        if writer.isSubTable(number) { return }
        try writer.writers.writer(T.self, number).write(value, writer, number)
    }

    func nestedContainer<Other: CodingKey>(
        keyedBy type: Other.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Other> {
        RefusedValues(error: writer.unsupported(numbers.number(key))).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        RefusedValues(error: writer.unsupported(numbers.number(key)))
    }

    // The classes of a hierarchy share the row.
    func superEncoder() -> any Encoder { writer }
    func superEncoder(forKey key: Key) -> any Encoder { RefusedValues(error: writer.unsupported(numbers.number(key))) }
}
