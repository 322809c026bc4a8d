import CRUDKit
import Foundation
import Testing

struct CompactRoundTripTests {
    private func coded<T: Codable>(_ value: T) throws -> T {
        try CompactDecoder().decode(T.self, from: CompactEncoder().encode(value))
    }

    private func check<T: Codable & Equatable>(_ value: T, _ location: SourceLocation = #_sourceLocation) throws {
        #expect(try coded(value) == value, sourceLocation: location)
    }

    @Test("Integers of every width come back, at their bounds too") func integers() throws {
        func bounds<T: FixedWidthInteger & Codable>(_ type: T.Type) throws {
            for value in [T.min, T.max, 0, 1, 127, T.max - 1, T.max / 3, T.min / 3] {
                try check(value)
                try check([value, value])
                try check(["key": value])
            }
        }
        try bounds(Int.self)
        try bounds(Int8.self)
        try bounds(Int16.self)
        try bounds(Int32.self)
        try bounds(Int64.self)
        try bounds(Int128.self)
        try bounds(UInt.self)
        try bounds(UInt8.self)
        try bounds(UInt16.self)
        try bounds(UInt32.self)
        try bounds(UInt64.self)
        try bounds(UInt128.self)
    }

    @Test("Floating-point numbers come back bit by bit") func floatingPoint() throws {
        let doubles: [Double] = [
            0, -0.0, 1, -1.5, .pi, .infinity, -.infinity, .nan, .signalingNaN, .leastNonzeroMagnitude,
            .greatestFiniteMagnitude, Double(nan: 12345, signaling: false),
        ]
        for double in doubles {
            #expect(try coded(double).bitPattern == double.bitPattern)
            #expect(try coded([double])[0].bitPattern == double.bitPattern)
            #expect(try coded(["k": double])["k"]?.bitPattern == double.bitPattern)
        }
        let floats: [Float] = [0, -0.0, 0.1, .infinity, .nan, Float(nan: 77, signaling: false), .leastNonzeroMagnitude]
        for float in floats { #expect(try coded([float])[0].bitPattern == float.bitPattern) }
    }

    @Test("Strings come back byte by byte") func strings() throws {
        for text in [
            "", "a", "\0", "e\u{301}", "\u{e9}", "🙂👩‍👩‍👧", String(repeating: "x", count: 63),
            String(repeating: "é", count: 500),
        ] {
            #expect(Array(try coded(text).utf8) == Array(text.utf8))
            #expect(Array(try coded([text])[0].utf8) == Array(text.utf8))
        }
    }

    @Test("Types of Foundation come back") func foundationTypes() throws {
        try check(Date(timeIntervalSinceReferenceDate: 123_456.789))
        try check([Date.distantPast, .distantFuture])
        try check(UUID())
        try check(Data((0...255).map { UInt8($0) }))
        try check(Data((0...255).map { UInt8($0) })[100..<110])
        try check([UInt8](0...255))
        try check([[UInt8]()])
        try check(try #require(URL(string: "https://example.com/a%20b?c=d#e")))
        try check(try #require(URL(string: "b/c", relativeTo: URL(string: "https://example.com/a/"))))
        for text in ["0", "-0.1", "3.14159265358979323846264338327950288", "1e100", "-99999999999999999999"] {
            try check(try #require(Decimal(string: text)))
        }
        #expect(try coded(Decimal.nan).isNaN)
        try check(DateInterval(start: .init(timeIntervalSince1970: 0), duration: 5))
        try check(Locale(identifier: "de_DE"))
        try check(IndexSet([1, 2, 3, 70]))
        try check(DateComponents(year: 2026, month: 2))
        try check(Measurement(value: 3, unit: UnitLength.meters).value)
    }

    @Test("Data and arrays of bytes take little more than their length") func compactBytes() throws {
        #expect(try CompactEncoder().encode(Data(count: 1000)).count < 1010)
        #expect(try CompactEncoder().encode([UInt8](repeating: 200, count: 1000)).count < 1010)
    }

    private enum Shape: Codable, Equatable {
        case point
        case circle(radius: Double)
        case polygon([Int], closed: Bool)
        indirect case group(Shape, Shape)
    }

    private struct Everything: Codable, Equatable {
        var optional: Int?
        var missing: String?
        var array: [Int?] = [1, nil, 3]
        var matrix: [[Double]] = [[], [1], [1, 2]]
        var byName: [String: Shape] = ["a": .point, "b": .circle(radius: 2), "": .polygon([1, 2], closed: true)]
        var byNumber: [Int: String] = [1: "one", -5: "minus five"]
        var byOther: [UUID: Int] = [UUID(): 1]
        var set: Set<String> = ["x", "y"]
        var shape: Shape = .group(.point, .group(.circle(radius: 1), .point))
        var bytes: [UInt8] = [0, 255]
        var when = Date(timeIntervalSinceReferenceDate: 1)
        var empty = Empty()
        struct Empty: Codable, Equatable {}
    }

    @Test("Optionals, dictionaries, sets and enumerations come back") func everything() throws {
        try check(Everything(optional: 5))
        try check([Everything(), Everything(optional: nil, missing: "x")])
        try check(Int?.none)
        try check([Int?.none, 1])
        try check([String: Int?](dictionaryLiteral: ("a", nil), ("b", 1)))
        try check([String: Int]())
        try check([Int]())
        try check((0..<1000).map { Optional($0) })
    }

    @Test("Keys that are canonically equivalent are two") func equivalentKeys() throws {
        struct Pair: Codable, Equatable {
            var composed = 1, decomposed = 2
            enum CodingKeys: String, CodingKey { case composed = "\u{e9}", decomposed = "e\u{301}" }
        }
        try check(Pair())
    }

    @Test("The keys of a thousand structures are stored once") func keysAreStoredOnce() throws {
        struct Row: Codable { var aRatherLongNameOfAProperty = 1, anotherOneThatIsEvenLonger = 2 }
        #expect(try CompactEncoder().encode([Row](repeating: Row(), count: 1000)).count < 1000 * 6 + 100)
    }

    @Test("Many keys come back, in whatever order they are asked for") func manyKeys() throws {
        let dictionary = Dictionary(uniqueKeysWithValues: (0..<5000).map { ("key\($0)", $0) })
        try check(dictionary)
        try check([dictionary, dictionary])
    }

    @Test("What one encoder wrote, others can read: the bytes are those of the format's description") func bytes()
        throws
    {
        struct Client: Codable { var name = "Ann", age = 200, tags = ["x"] }
        let expected: [UInt8] =
            [1, 3, 4] + Array("name".utf8) + [3] + Array("age".utf8) + [4] + Array("tags".utf8)
            + [0xc5, 1, 0x83] + Array("Ann".utf8) + [2, 0xc9, 0xc8, 1, 3, 0xc4, 0x81] + Array("x".utf8) + [0xc3, 0]
        #expect(Array(try CompactEncoder().encode(Client())) == expected)
        #expect(Array(try CompactEncoder().encode(5)) == [1, 0, 5])
        #expect(Array(try CompactEncoder().encode(-1)) == [1, 0, 0xca, 0])
        #expect(Array(try CompactEncoder().encode(Int?.none)) == [1, 0, 0xc0])
        #expect(Array(try CompactEncoder().encode(Data([7]))) == [1, 0, 0xc8, 1, 7])
        #expect(Array(try CompactEncoder().encode(Float(1))) == [1, 0, 0xcb, 0, 0, 0x80, 0x3f])
    }
}
