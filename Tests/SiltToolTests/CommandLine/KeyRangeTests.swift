import Testing

@testable import SiltTool

struct KeyRangeTests {
    private func range(_ options: [Option: String]) throws -> KeyRange {
        try KeyRange(Invocation(.dump, ParsedArguments(options: options.mapValues { [$0] }, operands: ["store"])))
    }

    @Test("Without options it is everything")
    func everything() throws {
        #expect(try range([:]) == KeyRange())
    }

    @Test("A prefix is a range, and narrows another")
    func prefixes() throws {
        #expect(try range([.prefix: "ab"]) == KeyRange(from: [0x61, 0x62], to: [0x61, 0x63]))
        #expect(try range([.prefix: "a", .from: "ab"]) == KeyRange(from: [0x61, 0x62], to: [0x62]))
        #expect(try range([.prefix: "a", .to: "ab"]) == KeyRange(from: [0x61], to: [0x61, 0x62]))
        #expect(try range([.prefix: "b", .from: "a", .to: "z"]) == KeyRange(from: [0x62], to: [0x63]))
        #expect(try range([.prefix: "", .from: "a"]) == KeyRange(from: [0x61]))
    }

    @Test("A prefix of greatest bytes carries over, and reaches the end where there is nothing to carry to")
    func successors() throws {
        #expect(KeyRange.successor(of: [0x61, 0xff, 0xff]) == [0x62])
        #expect(KeyRange.successor(of: [0xff]) == nil)
        #expect(try range([.prefix: "ff", .keyHex: ""]) == KeyRange(from: [0xff]))
    }

    @Test("Keys are read in the encoding that was asked for, and wrong ones refused")
    func encodings() throws {
        #expect(try range([.from: "00ff", .keyHex: ""]).from == [0x00, 0xff])
        #expect(try range([.from: "AP8=", .keyBase64: ""]).from == [0x00, 0xff])
        #expect(throws: ToolError.self) { try range([.from: "0x", .keyHex: ""]) }
        #expect(throws: ToolError.self) { try range([.from: "AP8", .keyBase64: ""]) }
        #expect(throws: ToolError.self) { try range([.from: "00", .keyHex: "", .keyBase64: ""]) }
    }

    @Test("A limit is a number that is not negative")
    func limits() throws {
        #expect(try range([.limit: "0"]).limit == 0)
        for text in ["-1", "x", "", "9999999999999999999"] {
            #expect(throws: ToolError.self) { try range([.limit: text]) }
        }
    }
}
