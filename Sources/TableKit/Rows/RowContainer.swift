import Foundation

/// The decoding container of a row.
///
/// The standard library copies a container for each value that it reads. Copying two addresses costs nothing. A class
/// lost: its reference counts took an eighth of decoding a row. ``RowReader/close()`` keeps both objects alive for
/// containers that a type has kept.
@safe struct RowContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    private let owner: Unmanaged<RowReader>
    private let keys: Unmanaged<PropertyNumbers>

    /// - Parameters:
    ///   - reader: the reader. It must outlive the container.
    ///   - numbers: the numbers of these keys. They must outlive the container, too.
    init(reader: RowReader, numbers: PropertyNumbers) {
        unsafe owner = .passUnretained(reader)
        unsafe keys = .passUnretained(numbers)
    }

    private var reader: RowReader { unsafe owner.takeUnretainedValue() }
    private var numbers: PropertyNumbers { unsafe keys.takeUnretainedValue() }

    /// Reads a value of a frequent type.
    @inline(__always)
    private func read<T: FastColumn>(_ type: T.Type, _ key: Key) throws -> T {
        try unsafe owner._withUnsafeGuaranteedRef { reader in
            try T.read(reader, unsafe keys._withUnsafeGuaranteedRef { $0.number(key) })
        }
    }

    /// As ``read(_:_:)``. Returns nil if the column is NULL or missing.
    @inline(__always)
    private func readIfPresent<T: FastColumn>(_ type: T.Type, _ key: Key) throws -> T? {
        try unsafe owner._withUnsafeGuaranteedRef { reader in
            try T.readIfPresent(reader, unsafe keys._withUnsafeGuaranteedRef { $0.number(key) })
        }
    }

    var codingPath: [any CodingKey] { [] }

    var allKeys: [Key] {
        reader.names.list.enumerated().compactMap { number, name in
            reader.presence(number) == .missing ? nil : Key(stringValue: name)
        }
    }

    func contains(_ key: Key) -> Bool {
        let number = numbers.number(key)
        switch reader.presence(number) {
        case .value, .null: return true
        case .missing: return false
        case .subTable: return reader.isJoined(number)
        }
    }

    func decodeNil(forKey key: Key) throws -> Bool {
        let number = numbers.number(key)
        switch reader.presence(number) {
        case .value: return false
        case .null: return true
        case .missing: throw reader.missing(number)
        case .subTable: return !reader.isJoined(number)
        }
    }

    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try read(type, key) }
    func decode(_ type: String.Type, forKey key: Key) throws -> String { try read(type, key) }
    func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try read(type, key) }
    func decode(_ type: Float.Type, forKey key: Key) throws -> Float { try read(type, key) }
    func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try read(type, key) }
    func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try read(type, key) }
    func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try read(type, key) }
    func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try read(type, key) }
    func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try read(type, key) }
    func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try read(type, key) }
    func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try read(type, key) }
    func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try read(type, key) }
    func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try read(type, key) }
    func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try read(type, key) }

    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
        try unsafe owner._withUnsafeGuaranteedRef { reader in
            try reader.value(type, unsafe keys._withUnsafeGuaranteedRef { $0.number(key) })
        }
    }

    func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? {
        try readIfPresent(type, key)
    }
    func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
        try readIfPresent(type, key)
    }
    func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? {
        try readIfPresent(type, key)
    }
    func decodeIfPresent(_ type: Float.Type, forKey key: Key) throws -> Float? {
        try readIfPresent(type, key)
    }
    func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? {
        try readIfPresent(type, key)
    }
    func decodeIfPresent(_ type: Int8.Type, forKey key: Key) throws -> Int8? {
        try readIfPresent(type, key)
    }
    func decodeIfPresent(_ type: Int16.Type, forKey key: Key) throws -> Int16? {
        try readIfPresent(type, key)
    }
    func decodeIfPresent(_ type: Int32.Type, forKey key: Key) throws -> Int32? {
        try readIfPresent(type, key)
    }
    func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? {
        try readIfPresent(type, key)
    }
    func decodeIfPresent(_ type: UInt.Type, forKey key: Key) throws -> UInt? {
        try readIfPresent(type, key)
    }
    func decodeIfPresent(_ type: UInt8.Type, forKey key: Key) throws -> UInt8? {
        try readIfPresent(type, key)
    }
    func decodeIfPresent(_ type: UInt16.Type, forKey key: Key) throws -> UInt16? {
        try readIfPresent(type, key)
    }
    func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) throws -> UInt32? {
        try readIfPresent(type, key)
    }
    func decodeIfPresent(_ type: UInt64.Type, forKey key: Key) throws -> UInt64? {
        try readIfPresent(type, key)
    }

    func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? {
        try unsafe owner._withUnsafeGuaranteedRef { reader in
            try reader.valueIfPresent(type, unsafe keys._withUnsafeGuaranteedRef { $0.number(key) })
        }
    }

    func nestedContainer<Other: CodingKey>(
        keyedBy type: Other.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Other> { throw reader.unsupported(numbers.number(key)) }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        throw reader.unsupported(numbers.number(key))
    }

    // The classes of a hierarchy share the row.
    func superDecoder() -> any Decoder { reader }
    func superDecoder(forKey key: Key) throws -> any Decoder { throw reader.unsupported(numbers.number(key)) }
}

extension RowReader {
    /// Reads a property of any type.
    func value<T>(_ type: T.Type, _ number: Int) throws -> T {
        // Compares metatypes first, for the most frequent types.
        if type == Date.self { return unsafe unsafeBitCast(try Date.read(self, number), to: type) }
        if type == UUID.self { return unsafe unsafeBitCast(try UUID.read(self, number), to: type) }
        return try otherValue(type, number)
    }

    /// As ``value(_:_:)``. A separate function: inlined, dates would look up the metadata of the reader, too.
    @inline(never)
    private func otherValue<T>(_ type: T.Type, _ number: Int) throws -> T {
        let property = readers.reader(type, number)
        switch presence(number) {
        case .value: return try property.read(self, number)
        case .null:
            if let value = property.nullValue { return value }
            throw null(number)
        case .subTable, .missing:
            if property.nullValue != nil { return try property.read(self, number) }
            throw missing(number)
        }
    }

    /// Reads a property of any type. Returns nil if the column is NULL or missing.
    func valueIfPresent<T>(_ type: T.Type, _ number: Int) throws -> T? {
        switch presence(number) {
        case .value: try readers.reader(type, number).read(self, number)
        case .null, .missing: nil
        case .subTable: try array(type, number)
        }
    }

    /// True if a join fills the array of a property.
    func isJoined(_ number: Int) -> Bool { arrays[number - columnCount] != nil }

    /// The array that a join fills for the row; nil if the query has no such join.
    func array<T>(_ type: T.Type, _ number: Int) throws -> T? {
        guard let reader = arrays[number - columnCount], reader.type == ObjectIdentifier(type) else { return nil }
        return try unsafe unsafeDowncast(reader, to: TypedReader<T>.self).read(self, number)
    }
}
