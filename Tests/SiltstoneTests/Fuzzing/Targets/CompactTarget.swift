import CRUDKit
import Foundation

/// The input is a message of the compact encoding. It is read as several types; what can be read can be written, and is
/// then read as the same.
enum CompactTarget {
    static func run(_ bytes: [UInt8]) throws {
        let data = Data(bytes)
        try attempt([Item].self, data)
        try attempt([String: [Int]].self, data)
        try attempt([Int: Double?].self, data)
        try attempt([[UInt8]].self, data)
        try attempt(String.self, data)
        try attempt(Decimal.self, data)
        try attempt(Int128.self, data)
        try attempt(Tree.self, data)
        do { _ = try CompactDecoder().decode(Anything.self, from: data) } catch is DecodingError {}
    }

    /// A type with all that the encoding treats as special.
    struct Item: Codable {
        var id: Int
        var name: String
        var score: Double?
        var ratio: Float
        var tags: [String]
        var map: [String: [Int]]
        var when: Date
        var uuid: UUID
        var data: Data
        var url: URL?
        var price: Decimal
        var kind: Kind
        var small: UInt8
        var huge: UInt128?

        enum Kind: Codable { case plain, special(level: Int, [String]) }
    }

    /// A type that nests in itself.
    final class Tree: Codable {
        var name: String?
        var children: [Tree]
    }

    private static func attempt<T: Codable>(_ type: T.Type, _ data: Data) throws {
        let value: T
        do { value = try CompactDecoder().decode(type, from: data) } catch is DecodingError { return }
        do {
            let once = try CompactEncoder().encode(value)
            let again = try CompactDecoder().decode(type, from: once)
            // Compared as messages, since NaN equals nothing; dictionaries have no order, so by length alone.
            try FuzzFailure.unless(
                try CompactEncoder().encode(again).count == once.count, "a \(type) is read as another one")
        } catch let error as DecodingError {
            throw FuzzFailure("a \(type) that was read and written cannot be read: \(error)")
        }
    }

    /// Asks for all that a decoder can give.
    private struct Anything: Decodable {
        private struct Key: CodingKey {
            var stringValue: String
            var intValue: Int? { nil }
            init?(stringValue: String) { self.stringValue = stringValue }
            init?(intValue: Int) { nil }
        }

        init(from decoder: any Decoder) throws {
            do {
                let map = try decoder.container(keyedBy: Key.self)
                for key in map.allKeys.reversed() {
                    _ = map.contains(key)
                    _ = try map.decodeIfPresent(Anything.self, forKey: key)
                }
                return
            } catch DecodingError.typeMismatch {}
            do {
                var list = try decoder.unkeyedContainer()
                _ = list.count
                while !list.isAtEnd { _ = try list.decode(Anything.self) }
                return
            } catch DecodingError.typeMismatch {}
            try Self.readAlone(try decoder.singleValueContainer())
        }

        private static func readAlone(_ single: any SingleValueDecodingContainer) throws {
            if single.decodeNil() { return }
            for attempt: () throws -> Void in [
                { _ = try single.decode(String.self) }, { _ = try single.decode(Int128.self) },
                { _ = try single.decode(Int8.self) }, { _ = try single.decode(UInt64.self) },
                { _ = try single.decode(Double.self) }, { _ = try single.decode(Float.self) },
                { _ = try single.decode(Bool.self) }, { _ = try single.decode(Data.self) },
                { _ = try single.decode(UUID.self) }, { _ = try single.decode(URL.self) },
                { _ = try single.decode(Decimal.self) }, { _ = try single.decode(Date.self) },
            ] {
                do { try attempt() } catch is DecodingError {}
            }
        }
    }
}
