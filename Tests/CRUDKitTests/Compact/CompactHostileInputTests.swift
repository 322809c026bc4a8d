import CRUDKit
import Foundation
import Testing

struct CompactHostileInputTests {
    private struct Item: Codable {
        var id: Int, name: String, score: Double?, tags: [String], map: [String: [Int]], when: Date, uuid: UUID
        var data: Data, url: URL?, price: Decimal, kind: Kind, small: UInt8
        enum Kind: Codable { case plain, special(level: Int, [String]) }
    }

    private static func item(_ number: Int) throws -> Item {
        Item(
            id: number, name: "name \(number)", score: number.isMultiple(of: 2) ? 0.5 : nil, tags: ["a", "b"],
            map: ["k": [1, -2, 300_000]], when: Date(timeIntervalSinceReferenceDate: Double(number)), uuid: UUID(),
            data: Data([1, 2, 3]), url: URL(string: "https://example.com"), price: Decimal(number) / 3,
            kind: .special(level: number, ["x"]), small: 200)
    }

    /// Decodes as several types. Only a trap, or an error that is none of decoding, is wrong.
    private func decode(_ bytes: [UInt8]) throws {
        let data = Data(bytes)
        func attempt<T: Decodable>(_ type: T.Type) throws {
            do { _ = try CompactDecoder().decode(type, from: data) } catch is DecodingError {}
        }
        try attempt([Item].self)
        try attempt([String: [Int]].self)
        try attempt(String.self)
        try attempt([[UInt8]].self)
        try attempt([Double?].self)
        try attempt(Everything.self)
    }

    /// Asks for all that a decoder can give.
    private struct Everything: Decodable {
        struct Key: CodingKey {
            var stringValue: String
            var intValue: Int? { nil }
            init?(stringValue: String) { self.stringValue = stringValue }
            init?(intValue: Int) { nil }
        }

        init(from decoder: any Decoder) throws {
            do {
                let map = try decoder.container(keyedBy: Key.self)
                for key in map.allKeys.reversed() { _ = try map.decodeIfPresent(Everything.self, forKey: key) }
                return
            } catch DecodingError.typeMismatch {}
            do {
                var list = try decoder.unkeyedContainer()
                _ = list.count
                while !list.isAtEnd { _ = try list.decode(Everything.self) }
                return
            } catch DecodingError.typeMismatch {}
            let single = try decoder.singleValueContainer()
            if single.decodeNil() { return }
            for attempt: () throws -> Void in [
                { _ = try single.decode(String.self) }, { _ = try single.decode(Int128.self) },
                { _ = try single.decode(Double.self) }, { _ = try single.decode(Bool.self) },
                { _ = try single.decode(Data.self) }, { _ = try single.decode(UUID.self) },
            ] {
                do { try attempt() } catch is DecodingError {}
            }
        }
    }

    @Test("Every cut and every changed byte is an error or a value, and never a trap") func mutations() throws {
        let bytes = Array(try CompactEncoder().encode([Self.item(1), Self.item(2)]))
        #expect(try CompactDecoder().decode([Item].self, from: Data(bytes)).map(\.small) == [200, 200])
        for end in bytes.indices {
            #expect(throws: DecodingError.self) { try CompactDecoder().decode([Item].self, from: Data(bytes[..<end])) }
        }
        let values: [UInt8] = [
            0, 1, 0x7f, 0x80, 0xbf, 0xc0, 0xc3, 0xc4, 0xc5, 0xc6, 0xc7, 0xc8, 0xc9, 0xca, 0xcd, 0xff,
        ]
        var random = SplitMix64(seed: 1)
        for index in bytes.indices {
            for value in values.shuffled(using: &random).prefix(3) {
                var changed = bytes
                changed[index] = value
                try decode(changed)
            }
        }
    }

    @Test("Random bytes are errors or values, and never a trap", arguments: 1...8) func randomBytes(_ seed: UInt64)
        throws
    {
        var random = SplitMix64(seed: seed)
        for _ in 0..<300 {
            var bytes = [UInt8](
                (0..<Int.random(in: 0..<80, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) })
            // Tags of containers are one in eighty: more of them, and a beginning that is taken for a message.
            for index in bytes.indices where Bool.random(using: &random) {
                bytes[index] = [0, 1, 2, 0xc3, 0xc4, 0xc5, 0xc6, 0x81].randomElement(using: &random) ?? 0
            }
            try decode([1, 2, 1, UInt8(ascii: "a"), 1, 0xff] + bytes)
            try decode(bytes)
        }
    }

    @Test("Lengths that the bytes do not bear out are errors, and take no memory") func hugeLengths() throws {
        let huge: [UInt8] = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f]
        for tag: UInt8 in [0xc7, 0xc8] {
            #expect(throws: DecodingError.self) {
                try CompactDecoder().decode(Data.self, from: Data([1, 0, tag] + huge))
            }
        }
        #expect(throws: DecodingError.self) { try CompactDecoder().decode(Int.self, from: Data([1] + huge)) }
        #expect(throws: DecodingError.self) { try CompactDecoder().decode(Int.self, from: Data([1, 1] + huge)) }
        // A number of more than 64 bits.
        let long = [UInt8](repeating: 0xff, count: 9) + [2]
        #expect(throws: DecodingError.self) {
            try CompactDecoder().decode(UInt64.self, from: Data([1, 0, 0xc9] + long))
        }
    }

    @Test("Entries share a long key: memory stays proportional to the bytes") func sharedKeys() throws {
        let length = 10_000, maps = 50
        var bytes: [UInt8] = [1, 1, UInt8(length & 0x7f) | 0x80, UInt8(length >> 7)]
        bytes += Array(repeating: UInt8(ascii: "k"), count: length)
        bytes += [0xc4] + Array(repeatElement([0xc5, 1, 0, 0], count: maps).joined()) + [0xc3]
        let decoded = try CompactDecoder().decode([[String: Int]].self, from: Data(bytes))
        #expect(decoded.count == maps)
        let places = decoded.compactMap { map in
            map.keys.first?.utf8.withContiguousStorageIfAvailable { UInt(bitPattern: $0.baseAddress) }
        }
        #expect(places.count == maps)
        #expect(Set(places).count == 1)
    }

    @Test("Containers a hundred thousand deep are an error, and do not overflow the stack") func deepNesting()
        async throws
    {
        for tags: [UInt8] in [[0xc4], [0xc5, 1]] {
            let bytes = [1, 1, 0] + Array(repeatElement(tags, count: 100_000).joined())
            await #expect(throws: DecodingError.self) {
                try await Task.detached { try CompactDecoder().decode([Int].self, from: Data(bytes)) }.value
            }
        }
    }

    @Test("Bytes behind the value, an unknown version and no bytes at all are errors") func framing() {
        for bytes: [UInt8] in [
            [], [1], [1, 0], [1, 0, 5, 5], [2, 0, 5], [0x7b, 0x7d], [1, 0, 0xc3], [1, 0, 0xd0],
        ] {
            #expect(throws: DecodingError.self) { try CompactDecoder().decode(Int.self, from: Data(bytes)) }
        }
    }

    @Test("A string that is not UTF-8 is an error") func damagedUTF8() {
        for bytes: [UInt8] in [[0xff], [0xc3], [0xed, 0xa0, 0x80], [0xe2, 0x82], [0xf0, 0x9f, 0x99]] {
            let message: [UInt8] = [1, 0, 0x80 + UInt8(bytes.count)] + bytes
            #expect(throws: DecodingError.self) { try CompactDecoder().decode(String.self, from: Data(message)) }
        }
    }

    @Test("A key that is not UTF-8 is not found as its repaired text, in either kind of map", arguments: [0xc5, 0xc6])
    func damagedKey(_ map: UInt8) {
        let message: [UInt8] = [1, 1, 1, 0xff, map, 1, 5, 0]
        #expect(throws: DecodingError.self) { try CompactDecoder().decode([String: Int].self, from: Data(message)) }
    }
}

/// SplitMix64 (Steele, Lea and Flood, 2014): the same numbers for the same seed.
private struct SplitMix64: RandomNumberGenerator {
    var state: UInt64
    init(seed: UInt64) { state = seed }
    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var z = state
        z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
        return z ^ (z >> 31)
    }
}
