import Testing

@testable import SiltTool

struct JSONLinesReaderTests {
    @Test(
        "A record is read whatever its escapes, its spaces and the order of its members",
        arguments: [
            (#"{"key":"a","value":"1"}"#, "a", "1"),
            (#"{"value":"1","key":"a"}"#, "a", "1"),
            ("\t { \"key\" : \"a\" , \"value\" : \"1\" } \r", "a", "1"),
            (#"{"key":"","value":""}"#, "", ""),
            (#"{"key":"\"\\\/\b\f\n\r\t","value":"\u0000\u001f"}"#, "\"\\/\u{8}\u{c}\n\r\t", "\u{0}\u{1f}"),
            (#"{"key":"\u00e9\u20AC","value":"\ud83d\ude00!\uD83D\uDE00"}"#, "é€", "😀!😀"),
            (#"{"key":"é€😀","value":"x\\y€\"z"}"#, "é€😀", "x\\y€\"z"),
            (
                #"{"key":"a long key without anything special in it","value":"at byte nine:\n"}"#,
                "a long key without anything special in it", "at byte nine:\n"
            ),
            (#"{"key_base64":"YQ==","value_base64":"AAEC"}"#, "a", "\u{0}\u{1}\u{2}"),
            (#"{"key_base64":"","value":"v"}"#, "", "v"),
            (#"{"k\u0065y":"a","\u0076alue":"1"}"#, "a", "1"),
            ("{\"key\":\"\u{7f}\",\"value\":\"\u{ffff}\"}", "\u{7f}", "\u{ffff}"),
        ])
    func accepts(_ line: String, _ key: String, _ value: String) {
        #expect(parse(Array(line.utf8), .jsonLines) == .record(Pair(key, value)))
    }

    @Test("A blank line is no record", arguments: ["", " ", "\t\r"])
    func blank(_ line: String) {
        #expect(parse(Array(line.utf8), .jsonLines) == .nothing)
    }

    @Test(
        "A line that is no record is refused, with the column of what is wrong",
        arguments: [
            ("x", 1, "'{'"),
            ("[]", 1, "'{'"),
            ("{", 2, "name of a member"),
            ("{}", 2, "no key"),
            (#"{"key":"a"}"#, 12, "no value"),
            (#"{"value":"a"}"#, 14, "no key"),
            (#"{"key":"a","value":"1""#, 23, "'}'"),
            (#"{"key":"a","value":"1",}"#, 24, "name of a member"),
            (#"{"key":"a" "value":"1"}"#, 12, "','"),
            (#"{"key" "a","value":"1"}"#, 8, "':'"),
            (#"{key:"a","value":"1"}"#, 2, "in quotes"),
            (#"{"key":"a","value":"1"} {}"#, 25, "after the record"),
            (#"{"key":"a","key":"b","value":"1"}"#, 12, "key already"),
            (#"{"key":"a","key_base64":"YQ==","value":"1"}"#, 12, "key already"),
            (#"{"key":"a","value":"1","value_base64":""}"#, 24, "value already"),
            (#"{"key":"a","ttl":"1","value":"1"}"#, 12, "unknown member 'ttl'"),
            (#"{"Key":"a","value":"1"}"#, 2, "unknown member"),
            (#"{"key":1,"value":"1"}"#, 8, "strings"),
            (#"{"key":"a","value":null}"#, 20, "strings"),
            (#"{"key":"a","value":{}}"#, 20, "strings"),
            (#"{"key":"a","value":"1}"#, 20, "closing quote"),
            (#"{"key":"a\"#, 10, "ends in an escape"),
            (#"{"key":"a\x41","value":"1"}"#, 10, "unknown escape"),
            (#"{"key":"\u12","value":"1"}"#, 9, "four hexadecimal digits"),
            (#"{"key":"\u12"#, 9, "four hexadecimal digits"),
            (#"{"key":"\ud800","value":"1"}"#, 9, "surrogate"),
            (#"{"key":"\ud800\u0041","value":"1"}"#, 9, "surrogate"),
            (#"{"key":"\ud800\n","value":"1"}"#, 9, "surrogate"),
            (#"{"key":"\udc00","value":"1"}"#, 9, "surrogate"),
            ("{\"key\":\"a\tb\",\"value\":\"1\"}", 10, "\\u0009"),
            ("{\"key\":\"a\u{0}b\",\"value\":\"1\"}", 10, "\\u0000"),
            (#"{"key_base64":"YQ=","value":"1"}"#, 19, "groups of four"),
            (#"{"key_base64":"Y?==","value":"1"}"#, 17, "not a base64 digit"),
            (#"{"key_base64":"YR==","value":"1"}"#, 17, "not zero"),
            (" \u{feff}{\"key\":\"a\",\"value\":\"1\"}", 2, "'{'"),
        ])
    func refuses(_ line: String, _ column: Int, _ reason: String) {
        guard case .failure(let found, let message) = parse(Array(line.utf8), .jsonLines) else {
            Issue.record("taken: \(line)")
            return
        }
        #expect(found == column)
        #expect(message.contains(reason), "\(message)")
    }

    @Test("Bytes that are not UTF-8 are refused in a string", arguments: [[0x80], [0xc3], [0xed, 0xa0, 0x80], [0xff]])
    func refusesInvalidUTF8(_ bytes: [UInt8]) {
        let line = Array(#"{"key":"a"#.utf8) + bytes + Array(#"","value":"1"}"#.utf8)
        guard case .failure(let column, let reason) = parse(line, .jsonLines) else {
            Issue.record("taken: \(line)")
            return
        }
        #expect(column == 10)
        #expect(reason.contains("UTF-8"))
    }

    @Test("No beginning of a line, and no line with a byte changed, traps")
    func survivesDamage() {
        var generator = SeededGenerator(seed: 3)
        var reader = RecordReader(.jsonLines)
        let good = Array(#"{"key":"a\u00e9\ud83d\ude00\n€","value_base64":"AAECAw==","x":"y"}"#.utf8)
        for length in 0...good.count { _ = parse(Array(good.prefix(length)), &reader) }
        for _ in 0..<5_000 {
            var line = good
            for _ in 0...Int.random(in: 0...3, using: &generator) {
                line[Int.random(in: line.indices, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
            }
            if case .failure(let column, _) = parse(line, &reader) { #expect((1...line.count + 1).contains(column)) }
        }
    }
}
