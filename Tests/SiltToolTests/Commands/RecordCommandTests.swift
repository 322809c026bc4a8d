import Foundation
import Testing

@testable import SiltTool

struct RecordCommandTests {
    @Test("What is put is got, deleted once, and then not there")
    func putGetDelete() throws {
        let directory = try TemporaryDirectory()
        let store = directory.file("store")
        try Silt.run("put", store, "ada", "Ada Lovelace").expect(status: 0)
        let got = try Silt.run("get", store, "ada")
        got.expect(status: 0)
        #expect(got.text == "Ada Lovelace")
        try Silt.run("delete", store, "ada").expect(status: 0)
        try Silt.run("delete", store, "ada").expect(status: 1, error: "'ada'")
        let gone = try Silt.run("get", store, "ada")
        gone.expect(status: 1, error: "'ada'")
        #expect(gone.output.isEmpty)
    }

    @Test("A value from standard input is kept to the last byte")
    func standardInput() throws {
        let directory = try TemporaryDirectory()
        let store = directory.file("store")
        var generator = SeededGenerator(seed: 17)
        let value = (0..<200_000).map { _ in UInt8.random(in: 0...255, using: &generator) }
        try Silt.run("put", store, "k", input: value).expect(status: 0)
        #expect(try Silt.run("get", "--raw", store, "k").output == value)
        let hexadecimal = try Silt.run("get", "--hex", store, "k")
        #expect(hexadecimal.text == Hexadecimal.encode(value) + "\n")
    }

    @Test("A key that is too long is refused before the store is made")
    func tooLong() throws {
        let directory = try TemporaryDirectory()
        let key = String(repeating: "k", count: 65_537)
        try Silt.run("put", directory.file("store"), key, input: [1]).expect(status: 2, error: "65536 is the most")
        #expect(!FileManager.default.fileExists(atPath: directory.file("store")))
    }

    @Test("Keys and values come in hexadecimal and base64 too")
    func encodings() throws {
        let directory = try TemporaryDirectory()
        let store = directory.file("store")
        try Silt.run("put", "--key-hex", "--base64", store, "00ff", "AAEC").expect(status: 0)
        #expect(try Silt.run("get", "--key-base64", store, "AP8=").output == [0, 1, 2])
        #expect(try Silt.run("get", "--key-hex", "--base64", store, "00FF").text == "AAEC\n")
        #expect(
            try Silt.run("get", "--key-hex", "--json", store, "00ff").text
                == #"{"key_base64":"AP8=","value":"\u0000\u0001\u0002"}"# + "\n")
        try Silt.run("get", "--key-hex", store, "0").expect(status: 2, error: "not hexadecimal")
        try Silt.run("put", "--base64", store, "k", "A").expect(status: 2, error: "not base64")
        try Silt.run("get", "--raw", "--hex", store, "k").expect(status: 2, error: "exclude")
    }

    @Test("Keys that begin with a dash follow two dashes")
    func dashes() throws {
        let directory = try TemporaryDirectory()
        try Silt.run("put", "--", directory.file("store"), "-k", "--v").expect(status: 0)
        #expect(try Silt.run("get", "--", directory.file("store"), "-k").text == "--v")
    }

    @Test("A scan escapes every control character")
    func controlCharacters() throws {
        let directory = try TemporaryDirectory()
        let store = directory.file("s")
        try Silt.run("put", store, "k", "12345678901\u{7f}a\u{85}b\u{7f}").expect(status: 0)
        #expect(try Silt.run("scan", store).text == #"k = 12345678901\x7fa\xc2\x85b\x7f"# + "\n")
    }

    @Test("A scan shows keys in order, escaped, in the range that was asked for")
    func scan() throws {
        let directory = try TemporaryDirectory()
        let store = directory.file("store")
        let lines = "b\t2\na\t1\n\\x1b[2J\tesc\nc\t\\xff\\n\nlong\t" + String(repeating: "é", count: 60) + "\n"
        try Silt.run("load", "-q", "-f", "tsv", store, input: Array(lines.utf8)).expect(status: 0)
        let all = try Silt.run("scan", store)
        all.expect(status: 0)
        let shown = String(repeating: "é", count: 40)
        #expect(all.text == "\\x1b[2J = esc\na = 1\nb = 2\nc = \\xff\\n\nlong = \(shown)... (120 bytes)\n")
        #expect(
            try Silt.run("scan", "--full", "--prefix", "lo", store).text == "long = "
                + String(repeating: "é", count: 60) + "\n")
        #expect(try Silt.run("scan", "--keys-only", "--from", "a", "--to", "c", store).text == "a\nb\n")
        #expect(try Silt.run("scan", "-k", "--reverse", "--limit", "2", store).text == "long\nc\n")
        #expect(try Silt.run("scan", "--count", "--from", "a", store).text == "4\n")
        #expect(try Silt.run("scan", "--json", "--keys-only", "-p", "a", store).text == "{\"key\":\"a\"}\n")
    }
}
