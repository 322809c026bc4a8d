import Foundation

/// Detects records, which have a fixed set of keys. Decodes none of their values, because a type may refer to itself.
final class RecordSniffer: Decoder {
    private struct Enough: Error {}

    /// Values of Foundation that decode as records do. An array of them is a nested value of its row.
    static let foundationValues: Set<ObjectIdentifier> = [
        ObjectIdentifier(Decimal.self), ObjectIdentifier(DateInterval.self), ObjectIdentifier(DateComponents.self),
        ObjectIdentifier(TimeZone.self), ObjectIdentifier(Locale.self), ObjectIdentifier(Calendar.self),
        ObjectIdentifier(URLComponents.self), ObjectIdentifier(PersonNameComponents.self),
        ObjectIdentifier(CharacterSet.self), ObjectIdentifier(IndexSet.self),
    ]

    private var asksForKeys = false
    private var isDynamic = false

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    /// True if a type requests keys by name. Dictionaries and enums with payloads request the list of keys instead.
    static func isRecord(_ type: any Decodable.Type) -> Bool {
        let sniffer = RecordSniffer()
        do { _ = try type.init(from: sniffer) } catch { return sniffer.asksForKeys && !sniffer.isDynamic }
        return sniffer.asksForKeys && !sniffer.isDynamic
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(Container<Key>(sniffer: self))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw Enough() }
    func singleValueContainer() throws -> any SingleValueDecodingContainer { throw Enough() }

    private struct Container<Key: CodingKey>: KeyedDecodingContainerProtocol {
        let sniffer: RecordSniffer

        var codingPath: [any CodingKey] { [] }

        var allKeys: [Key] {
            sniffer.isDynamic = true
            return []
        }

        func contains(_ key: Key) -> Bool {
            sniffer.asksForKeys = true
            return false
        }

        func decodeNil(forKey key: Key) throws -> Bool { throw asked() }
        func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T { throw asked() }

        func nestedContainer<Other: CodingKey>(
            keyedBy type: Other.Type, forKey key: Key
        ) throws -> KeyedDecodingContainer<Other> { throw asked() }

        func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer { throw asked() }
        func superDecoder() -> any Decoder { sniffer }
        func superDecoder(forKey key: Key) throws -> any Decoder { throw asked() }

        private func asked() -> Enough {
            sniffer.asksForKeys = true
            return Enough()
        }
    }
}
