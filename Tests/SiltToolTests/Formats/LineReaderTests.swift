import Foundation
import Testing

@testable import SiltTool

struct LineReaderTests {
    private func lines(_ bytes: [UInt8], copyingTo copy: Int32? = nil) throws -> (lines: [[UInt8]], numbers: [Int]) {
        let directory = try TemporaryDirectory()
        let path = try directory.write("input", bytes)
        let descriptor = try System.open(path)
        defer { close(descriptor) }
        var reader = LineReader(descriptor, name: path, copyingTo: copy)
        var lines: [[UInt8]] = []
        var numbers: [Int] = []
        while let line = try reader.next() {
            lines.append(Array(line))
            numbers.append(reader.lineNumber)
        }
        #expect(reader.bytesRead == bytes.count)
        return (lines, numbers)
    }

    @Test(
        "Lines end at line feeds, and the last one at the end",
        arguments: [
            ("", []), ("a", ["a"]), ("a\n", ["a"]), ("a\nb", ["a", "b"]), ("\n\n", ["", ""]),
            ("a\r\n\nb\n", ["a\r", "", "b"]),
        ])
    func splits(_ text: String, _ expected: [String]) throws {
        let (lines, numbers) = try lines(Array(text.utf8))
        #expect(lines == expected.map { Array($0.utf8) })
        #expect(numbers == Array(1..<(expected.count + 1)))
    }

    @Test("Lines across the borders of reads, and longer than any read, come whole")
    func crossesReads() throws {
        var expected: [[UInt8]] = []
        for (index, length) in [0, 1_048_575, 1, 3_000_000, 5, 700_000, 700_000, 12].enumerated() {
            expected.append([UInt8](repeating: UInt8(0x61 + index), count: length))
        }
        let (lines, _) = try lines(Array(expected.joined(separator: [UInt8(ascii: "\n")])))
        #expect(lines == expected)
    }

    @Test("A copy is all that was read, and can be read from its start")
    func copies() throws {
        let copy = try System.temporaryFile()
        defer { close(copy) }
        let text = Array("one\ntwo\n\nthree".utf8)
        let (first, _) = try lines(text, copyingTo: copy)
        try System.rewind(copy, by: text.count, name: "copy")
        var reader = LineReader(copy, name: "copy")
        var second: [[UInt8]] = []
        while let line = try reader.next() { second.append(Array(line)) }
        #expect(second == first)
    }
}
