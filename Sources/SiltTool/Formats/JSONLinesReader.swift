/// Reads records from JSON lines (one RFC 8259 value a line): `{"key":"k","value":"v"}`. `key_base64` and
/// `value_base64` carry bytes that are not UTF-8.
///
/// A parser for this shape only: it borrows strings without escapes from the line and allocates nothing for a record.
/// Members may come in any order, each once. Other members are refused, because a misspelt name would silently lose
/// data.
struct JSONLinesReader: ~Copyable {
    // Buffers for decoded strings and base64. Strings without escapes stay in their line.
    private var name = ByteBuffer(capacity: 64)
    private var keyText = ByteBuffer()
    private var valueText = ByteBuffer()
    private var keyBytes = ByteBuffer()
    private var valueBytes = ByteBuffer()

    /// The possible members of a record.
    private enum Member {
        case key, keyBase64, value, valueBase64
    }

    init() {}

    /// Parses a line.
    /// - Returns: borrowed bytes, valid until the next call and as long as `line`; nil for a blank line.
    /// - Throws: ``FormatError``.
    mutating func parse(_ line: Bytes) throws(FormatError) -> RawRecord? {
        var cursor = JSONCursor(line, encodingHint: "; bytes go into key_base64 and value_base64")
        cursor.skipSpace()
        if cursor.isAtEnd { return nil }
        try cursor.expect(UInt8(ascii: "{"), "expected '{', one object a line")
        var key: Bytes?
        var value: Bytes?
        cursor.skipSpace()
        if cursor.peek == UInt8(ascii: "}") {
            throw FormatError("the record has no key", at: cursor.offset)
        }
        while true {
            cursor.skipSpace()
            let start = cursor.offset
            let member = try self.member(&cursor)
            cursor.skipSpace()
            try cursor.expect(UInt8(ascii: ":"), "expected ':' after the name of a member")
            cursor.skipSpace()
            switch member {
            case .key, .keyBase64:
                if key != nil { throw FormatError("the record has a key already", at: start) }
                key = try Self.bytes(&cursor, member == .keyBase64, &keyText, &keyBytes)
            case .value, .valueBase64:
                if value != nil { throw FormatError("the record has a value already", at: start) }
                value = try Self.bytes(&cursor, member == .valueBase64, &valueText, &valueBytes)
            }
            guard cursor.skipComma() else { break }
        }
        try cursor.endLine(after: "record")
        guard let key else { throw FormatError("the record has no key", at: line.count) }
        guard let value else { throw FormatError("the record has no value", at: line.count) }
        return RawRecord(key: key, value: value)
    }

    private mutating func member(_ cursor: inout JSONCursor) throws(FormatError) -> Member {
        let start = cursor.offset
        if cursor.peek != UInt8(ascii: "\"") {
            throw FormatError("expected the name of a member, in quotes", at: start)
        }
        let text = try cursor.string(&name)
        if Self.equal(text, "key") { return .key }
        if Self.equal(text, "value") { return .value }
        if Self.equal(text, "key_base64") { return .keyBase64 }
        if Self.equal(text, "value_base64") { return .valueBase64 }
        throw FormatError(
            "unknown member '\(Escaping.text(text, limit: 40))'; key, value, key_base64 and value_base64 are known",
            at: start)
    }

    @inline(__always)
    private static func equal(_ bytes: Bytes, _ literal: StaticString) -> Bool {
        let name = Bytes(literal)
        guard bytes.count == name.count else { return false }
        for index in 0..<name.count where bytes[index] != name[index] { return false }
        return true
    }

    /// The bytes of a key or a value.
    private static func bytes(
        _ cursor: inout JSONCursor, _ isBase64: Bool, _ text: inout ByteBuffer, _ decoded: inout ByteBuffer
    ) throws(FormatError) -> Bytes {
        let start = cursor.offset
        if cursor.peek != UInt8(ascii: "\"") { throw FormatError("keys and values are strings, in quotes", at: start) }
        let string = try cursor.string(&text)
        guard isBase64 else { return string }
        decoded.removeAll()
        do {
            try Base64.decode(string, into: &decoded)
        } catch {
            throw FormatError(error.reason, at: start + error.column)
        }
        return decoded.bytes
    }
}
