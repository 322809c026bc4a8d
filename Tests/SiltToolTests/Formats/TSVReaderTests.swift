import Testing

@testable import SiltTool

struct TSVReaderTests {
    @Test(
        "A line is a key, a tab and a value, with escapes",
        arguments: [
            ("a\t1", "a", "1"),
            ("\t", "", ""),
            ("a\t", "a", ""),
            ("a\\tb\tc\\nd\\\\\\r", "a\tb", "c\nd\\\r"),
            ("\\x41\\x7e\t\\x00", "A~", "\u{0}"),
            ("a\t1\r", "a", "1"),
            ("a b\t\"c\"", "a b", "\"c\""),
        ])
    func accepts(_ line: String, _ key: String, _ value: String) {
        #expect(parse(Array(line.utf8), .tabSeparated) == .record(Pair(key, value)))
    }

    @Test("Bytes that are not UTF-8 are taken as they are")
    func rawBytes() {
        #expect(parse([0xff, 0x09, 0x80, 0x0d, 0x00], .tabSeparated) == .record(Pair([0xff], [0x80, 0x0d, 0x00])))
    }

    @Test("An empty line is no record", arguments: ["", "\r"])
    func empty(_ line: String) {
        #expect(parse(Array(line.utf8), .tabSeparated) == .nothing)
    }

    @Test(
        "A line that is no record is refused, with the column of what is wrong",
        arguments: [
            ("a", 2, "expected a tab"),
            ("a\tb\tc", 4, "second tab"),
            ("a\\\tb", 2, "\\\\"),
            ("a\tb\\", 4, "\\\\"),
            ("a\tb\\q", 4, "unknown escape"),
            ("\\n\\z\tb", 3, "unknown escape"),
            ("a\t\\x4", 3, "two hexadecimal digits"),
            ("a\tok\\\\\\xzz", 7, "two hexadecimal digits"),
        ])
    func refuses(_ line: String, _ column: Int, _ reason: String) {
        guard case .failure(let found, let message) = parse(Array(line.utf8), .tabSeparated) else {
            Issue.record("taken: \(line)")
            return
        }
        #expect(found == column)
        #expect(message.contains(reason), "\(message)")
    }
}
