import CRUDKit
import Foundation
import Testing

struct DataTransformerTests {
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

    private struct Event: Codable, Equatable {
        var at = Date(timeIntervalSinceReferenceDate: 1000.75), days: [String: [Date]] = [:]
        var number = UInt64.max, flag = true, real = 0.1, whole = 5.0, none: Int?
        var data = Data([0, 255]), text = "<date>&CRUDKit.date"
    }

    @Test(
        "Every transformer keeps the fraction of a second of dates, and all that stands beside them", arguments: 0..<4)
    func dates(_ index: Int) async throws {
        let dates = [1000.75, -0.1, 7, 7.1, 1e9 / 3, 3e11].map(
            Date.init(timeIntervalSinceReferenceDate:))
        func check(_ transformer: some DataTransformer) async throws {
            for date in dates + [.distantPast, .distantFuture] { try await roundTrip(date, transformer) }
            try await roundTrip(Event(), transformer)
            try await roundTrip(Event(days: ["a": dates, "b": []]), transformer)
        }
        try await check(RepositoryConformanceTests.transformers[index])
    }

    @Test("XML shows dates of whole seconds as dates, and reads those of others") func xmlDates() async throws {
        let transformer = XMLDataTransformer()
        let date = Date(timeIntervalSinceReferenceDate: 1000)
        let text = String(decoding: try await transformer.encode([date]), as: UTF8.self)
        #expect(text.contains("<date>2001-01-01T00:16:40Z</date>"))
        let binary = try await BinaryPropertyListDataTransformer().encode([date + 0.5])
        #expect(try await transformer.decode(data: binary) == [date + 0.5])
    }

    @Test("Items that look like a stored date or fragment are kept by every transformer", arguments: 0..<4)
    func lookalikes(_ index: Int) async throws {
        func check(_ transformer: some DataTransformer) async throws {
            for key in ["CRUDKit.date", "CRUDKit.date!", "CRUDKit.date!!", "CRUDKit.dates", "CRUDKit.fragment"] {
                try await roundTrip([key: 1.5], transformer)
                try await roundTrip([key: 1], transformer)
                try await roundTrip([[key: 1.5], [:]], transformer)
                try await roundTrip([key: [key: 1.5]], transformer)
                try await roundTrip([key: Date(timeIntervalSinceReferenceDate: 0.5)], transformer)
                try await roundTrip([key: "a", "other": "b"], transformer)
            }
        }
        try await check(RepositoryConformanceTests.transformers[index])
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
