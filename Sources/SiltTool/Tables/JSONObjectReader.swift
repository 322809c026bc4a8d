import Foundation
import TableKit

/// Reads rows from JSON lines: one object a line, with columns as members. Skips a byte order mark at the start.
struct JSONObjectReader: ~Copyable {
    private var lines: LineReader
    private let source: String

    init(_ lines: consuming LineReader, source: String) {
        self.lines = lines
        self.source = source
    }

    /// The number of the last line read, from 1.
    var lineNumber: Int { lines.lineNumber }

    /// The number of bytes read from the input.
    var bytesRead: Int { lines.bytesRead }

    /// The members of the next object; nil at the end.
    mutating func next() throws -> [(name: String, value: ImportedCell)]? {
        while let line = try lines.next() {
            let text = lines.lineNumber == 1 ? line.withoutByteOrderMark : line
            var cursor = JSONCursor(text, encodingHint: ImportedRows.encodingHint)
            cursor.skipSpace()
            if cursor.isAtEnd { continue }
            do throws(FormatError) { return try object(&cursor) } catch {
                throw ToolError(.usage, "\(source):\(lines.lineNumber):\(error.column): \(error.reason)")
            }
        }
        return nil
    }

    private func object(_ cursor: inout JSONCursor) throws(FormatError) -> [(name: String, value: ImportedCell)] {
        var members: [(name: String, value: ImportedCell)] = []
        var names: Set<String> = []
        var scratch = ByteBuffer()
        try cursor.expect(UInt8(ascii: "{"), "expected '{', one object a line")
        cursor.skipSpace()
        while cursor.peek != UInt8(ascii: "}") || !members.isEmpty {
            cursor.skipSpace()
            let start = cursor.offset
            guard cursor.peek == UInt8(ascii: "\"") else {
                throw FormatError("expected the name of a column, in quotes", at: cursor.offset)
            }
            let name = String(decoding: try cursor.string(&scratch), as: UTF8.self)
            if !names.insert(name).inserted { throw FormatError("the column '\(name)' is named twice", at: start) }
            cursor.skipSpace()
            try cursor.expect(UInt8(ascii: ":"), "expected ':' after the name of a column")
            cursor.skipSpace()
            members.append((name, try value(&cursor, &scratch)))
            guard cursor.skipComma() else { break }
        }
        try cursor.endLine(after: "object")
        return members
    }

    private func value(
        _ cursor: inout JSONCursor, _ scratch: inout ByteBuffer
    ) throws(FormatError) -> ImportedCell {
        let start = cursor.offset
        switch cursor.peek {
        case UInt8(ascii: "\""):
            let text = String(decoding: try cursor.string(&scratch), as: UTF8.self)
            let token = cursor.line.part(start..<cursor.offset)
            // Every escape is longer than its text.
            let hasEscapes = token.count != text.utf8.count + 2
            return ImportedCell(text, .string, token: hasEscapes ? String(decoding: token, as: UTF8.self) : nil)
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            try cursor.skipValue(&scratch)
            return ImportedCell(String(decoding: cursor.line.part(start..<cursor.offset), as: UTF8.self), .nested)
        default:
            let word = try cursor.word()
            return ImportedCell(word, word == "null" ? .null : .plain)
        }
    }
}
