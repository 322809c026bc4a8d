import TableKit

extension JSONCursor {
    /// Skips a value of any kind, as strictly as RFC 8259. Refuses a repeated name in an object, because readers differ
    /// in the value that counts.
    mutating func skipValue(_ scratch: inout ByteBuffer, depth: Int = 0) throws(FormatError) {
        guard depth < JSONGrammar.mostDepth else { throw FormatError("nested too deeply", at: offset) }
        switch peek {
        case UInt8(ascii: "\""): _ = try string(&scratch)
        case UInt8(ascii: "{"):
            var names: Set<String> = []
            try skipElements(until: UInt8(ascii: "}")) { cursor throws(FormatError) in
                let start = cursor.offset
                guard cursor.peek == UInt8(ascii: "\"") else {
                    throw FormatError("expected a name, in quotes", at: cursor.offset)
                }
                let name = String(decoding: try cursor.string(&scratch), as: UTF8.self)
                if !names.insert(name).inserted {
                    throw FormatError("the name '\(name)' stands twice in an object", at: start)
                }
                cursor.skipSpace()
                try cursor.expect(UInt8(ascii: ":"), "expected ':' after a name")
                cursor.skipSpace()
                try cursor.skipValue(&scratch, depth: depth + 1)
            }
        case UInt8(ascii: "["):
            try skipElements(until: UInt8(ascii: "]")) { cursor throws(FormatError) in
                try cursor.skipValue(&scratch, depth: depth + 1)
            }
        default: _ = try word()
        }
    }

    /// Skips a list up to its closing bracket. The opening bracket is here.
    private mutating func skipElements(
        until end: UInt8, _ element: (inout JSONCursor) throws(FormatError) -> Void
    ) throws(FormatError) {
        offset += 1
        skipSpace()
        if peek == end {
            offset += 1
            return
        }
        while true {
            try element(&self)
            skipSpace()
            guard peek == UInt8(ascii: ",") else { break }
            offset += 1
            skipSpace()
        }
        try expect(end, "expected ',' or '\(Character(Unicode.Scalar(end)))'")
    }

    /// Reads a number, `true`, `false` or `null`.
    mutating func word() throws(FormatError) -> String {
        let start = offset
        while let byte = peek, byte > 0x20, !Self.ends.contains(byte) { offset += 1 }
        let text = String(decoding: line.part(start..<offset), as: UTF8.self)
        if text == "true" || text == "false" || text == "null" || JSONGrammar.isNumber(text) { return text }
        throw FormatError("expected a value", at: start)
    }

    private static let ends: [UInt8] = Array(",}]".utf8)

    /// Whether a text is exactly one JSON value without repeated names, unlike `JSONGrammar.isValue`, which takes those.
    static func isValue(_ text: String) -> Bool {
        unsafe Array(text.utf8).withUnsafeBytes { bytes in
            var cursor = unsafe JSONCursor(Bytes(bytes))
            var scratch = ByteBuffer()
            cursor.skipSpace()
            do throws(FormatError) { try cursor.skipValue(&scratch) } catch { return false }
            cursor.skipSpace()
            return cursor.isAtEnd
        }
    }
}
