import CRUDKit
import Foundation
import Testing

@Suite struct DataTransformerTests {
    private struct Point: Codable, Equatable { var x = 1.5, y = -2, label = "p\u{e9}" }

    private func roundTrip<T: Codable & Equatable>(_ value: T, _ transformer: some DataTransformer) async throws {
        let data = try await transformer.encode(value)
        let decoded: T = try await transformer.decode(data: data)
        #expect(decoded == value, "by \(type(of: transformer))")
    }

    @Test("Every transformer takes fragments, arrays and structures", arguments: 0..<4)
    func fragments(_ index: Int) async throws {
        let transformer = RepositoryConformanceTests.transformers[index]
        func check(_ transformer: some DataTransformer) async throws {
            try await roundTrip(5, transformer)
            try await roundTrip("text", transformer)
            try await roundTrip("", transformer)
            try await roundTrip(true, transformer)
            try await roundTrip(2.5, transformer)
            try await roundTrip([1, 2, 3], transformer)
            try await roundTrip([String](), transformer)
            try await roundTrip(["a": 1], transformer)
            try await roundTrip(Point(), transformer)
            try await roundTrip([Point(), Point()], transformer)
            try await roundTrip(Data([0, 255]), transformer)
            try await roundTrip(Date(timeIntervalSinceReferenceDate: 1000), transformer)
            try await roundTrip(Int?.none, transformer)
            try await roundTrip(Int?.some(5), transformer)
            try await roundTrip(URL(string: "https://example.com/a?b"), transformer)
        }
        try await check(transformer)
    }

    @Test("XML is a property list with the fields at its top") func xmlIsPlain() async throws {
        let text = String(decoding: try await XMLDataTransformer().encode(["name": "Chill Client"]), as: UTF8.self)
        #expect(text.contains("<key>name</key>"))
        #expect(!text.contains("fragment"))
    }

    @Test("An item of another type is an error", arguments: 0..<4) func mismatch(_ index: Int) async throws {
        let transformer = RepositoryConformanceTests.transformers[index]
        let data = try await transformer.encode(["name": "Chill Client"])
        await #expect(throws: DecodingError.self) { let _: Int = try await transformer.decode(data: data) }
        await #expect(throws: DecodingError.self) { let _: [Int] = try await transformer.decode(data: data) }
    }
}
