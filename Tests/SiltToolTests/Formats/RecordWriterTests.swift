import Testing

@testable import SiltTool

struct RecordWriterTests {
    @Test(
        "Any bytes come back as they were", arguments: RecordFormat.allCases, [UInt64(1), 2])
    func roundTrip(_ format: RecordFormat, _ seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var reader = RecordReader(format)
        for _ in 0..<400 {
            let pair = Pair(generator.bytes(40), generator.bytes(100))
            let line = try line(pair, format)
            #expect(!line.contains(UInt8(ascii: "\n")))
            #expect(parse(line, &reader) == .record(pair))
        }
    }

    @Test("Every single byte comes back, as a key and between others", arguments: RecordFormat.allCases)
    func everyByte(_ format: RecordFormat) throws {
        for byte in UInt8.min...UInt8.max {
            let pair = Pair([byte], [0x61, byte, 0x62])
            #expect(parse(try line(pair, format), format) == .record(pair))
        }
    }

    @Test("A value larger than the output buffer comes back", arguments: RecordFormat.allCases)
    func largeValues(_ format: RecordFormat) throws {
        var generator = SeededGenerator(seed: 7)
        let words = (0..<OutputBuffer.capacity / 8 + 1).map { _ in generator.next() }
        let binary = words.withUnsafeBytes { [UInt8]($0) } + [1]
        let text = [UInt8](repeating: UInt8(ascii: "x"), count: OutputBuffer.capacity + 5)
        for value in [binary, text] {
            let pair = Pair(Array("k".utf8), value)
            #expect(parse(try line(pair, format), format) == .record(pair))
        }
    }

    @Test(
        "Text is dumped as text, the rest as base64",
        arguments: [
            (Pair("a", "1"), #"{"key":"a","value":"1"}"#),
            (Pair("\"\\/", "\u{8}\t\n\u{c}\r\u{1}"), #"{"key":"\"\\/","value":"\b\t\n\f\r\u0001"}"#),
            (Pair("é", "😀\u{7f}"), "{\"key\":\"é\",\"value\":\"😀\u{7f}\"}"),
            (Pair([0xff], [0, 0xfe]), #"{"key_base64":"/w==","value_base64":"AP4="}"#),
            (Pair([], []), #"{"key":"","value":""}"#),
        ])
    func jsonText(_ pair: Pair, _ text: String) throws {
        #expect(String(decoding: try line(pair, .jsonLines), as: UTF8.self) == text)
    }

    @Test("Tab-separated lines are text: what is not, is escaped")
    func tabSeparatedText() throws {
        let pair = Pair(Array("a\tb\\".utf8), [0x0a, 0x00, 0xff] + Array("é".utf8))
        #expect(String(decoding: try line(pair, .tabSeparated), as: UTF8.self) == "a\\tb\\\\\t\\n\\x00\\xffé")
    }
}
