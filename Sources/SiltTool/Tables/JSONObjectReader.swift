import Foundation
import TableKit

/// Reads rows from JSON lines: one object a line, whose members are columns.
struct JSONObjectReader: ~Copyable {
    private var lines: LineReader
    private let source: String

    init(_ lines: consuming LineReader, source: String) {
        self.lines = lines
        self.source = source
    }

    /// The number of the line that was read last, from 1.
    var lineNumber: Int { lines.lineNumber }

    /// Bytes read from the input.
    var bytesRead: Int { lines.bytesRead }

    /// The members of the next object, values as text: NULL is nil, nested values are JSON. Nil at the end.
    mutating func next() throws -> [(name: String, text: String?)]? {
        while let line = try lines.next() {
            var cursor = JSONCursor(line)
            cursor.skipSpace()
            if cursor.isAtEnd { continue }
            do throws(FormatError) { return try object(&cursor) } catch {
                throw ToolError(.usage, "\(source):\(lines.lineNumber):\(error.column): \(error.reason)")
            }
        }
        return nil
    }

    private func object(_ cursor: inout JSONCursor) throws(FormatError) -> [(name: String, text: String?)] {
        var members: [(name: String, text: String?)] = []
        var scratch = ByteBuffer()
        try cursor.expect(UInt8(ascii: "{"), "expected '{', one object a line")
        cursor.skipSpace()
        while cursor.peek != UInt8(ascii: "}") {
            cursor.skipSpace()
            guard cursor.peek == UInt8(ascii: "\"") else {
                throw FormatError("expected the name of a column, in quotes", at: cursor.offset)
            }
            let name = String(decoding: try cursor.string(&scratch), as: UTF8.self)
            cursor.skipSpace()
            try cursor.expect(UInt8(ascii: ":"), "expected ':' after the name of a column")
            cursor.skipSpace()
            members.append((name, try value(&cursor, &scratch)))
            cursor.skipSpace()
            guard cursor.peek == UInt8(ascii: ",") else { break }
            cursor.offset += 1
        }
        try cursor.expect(UInt8(ascii: "}"), "expected ',' or '}'")
        cursor.skipSpace()
        if !cursor.isAtEnd { throw FormatError("text after the object", at: cursor.offset) }
        return members
    }

    private func value(_ cursor: inout JSONCursor, _ scratch: inout ByteBuffer) throws(FormatError) -> String? {
        let start = cursor.offset
        switch cursor.peek {
        case UInt8(ascii: "\""): return String(decoding: try cursor.string(&scratch), as: UTF8.self)
        case UInt8(ascii: "{"), UInt8(ascii: "["): try skipNested(&cursor, &scratch)
        default:
            while let byte = cursor.peek, byte > 0x20, byte != UInt8(ascii: ","), byte != UInt8(ascii: "}") {
                cursor.offset += 1
            }
        }
        let text = String(decoding: cursor.line[start..<cursor.offset], as: UTF8.self)
        switch text {
        case "null": return nil
        case "true", "false": return text
        case _ where text.hasPrefix("{") || text.hasPrefix("["): return text
        default:
            guard Double(text) != nil, text.utf8.allSatisfy({ !(UInt8(ascii: "A")...UInt8(ascii: "D")).contains($0) })
            else { throw FormatError("expected a value", at: start) }
            return text
        }
    }

    /// Steps over an object or an array, whose brackets must match.
    private func skipNested(_ cursor: inout JSONCursor, _ scratch: inout ByteBuffer) throws(FormatError) {
        var open: [UInt8] = []
        repeat {
            switch cursor.peek {
            case UInt8(ascii: "{"): open.append(UInt8(ascii: "}"))
            case UInt8(ascii: "["): open.append(UInt8(ascii: "]"))
            case UInt8(ascii: "\""):
                _ = try cursor.string(&scratch)
                continue
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                guard open.popLast() == cursor.peek else {
                    throw FormatError("brackets do not match", at: cursor.offset)
                }
            case nil: throw FormatError("a bracket is not closed", at: cursor.offset)
            default: break
            }
            cursor.offset += 1
        } while !open.isEmpty
    }
}
