/// Reads records from lines of key, tab, value. `\t`, `\n`, `\r`, `\\` and `\xHH` are escapes; all other bytes are
/// literal, valid UTF-8 or not.
///
/// A carriage return before the line feed belongs to the line's end, as in files from Windows.
struct TSVReader: ~Copyable {
    private var key = ByteBuffer()
    private var value = ByteBuffer()

    init() {}

    /// Parses a line.
    /// - Returns: borrowed bytes, valid until the next call and as long as `line`; nil for an empty line.
    /// - Throws: ``FormatError``.
    mutating func parse(_ line: Bytes) throws(FormatError) -> RawRecord? {
        var line = line
        if line.last == UInt8(ascii: "\r") { line = line.part(..<(line.count - 1)) }
        if line.isEmpty { return nil }
        guard let tab = System.firstIndex(of: UInt8(ascii: "\t"), in: line) else {
            throw FormatError("expected a tab between key and value", at: line.count)
        }
        let rest = line.part((tab + 1)...)
        if let second = System.firstIndex(of: UInt8(ascii: "\t"), in: rest) {
            throw FormatError("a second tab; within a key or a value it is written \\t", at: tab + 1 + second)
        }
        return RawRecord(
            key: try Self.unescaped(line.part(..<tab), &key, at: 0),
            value: try Self.unescaped(rest, &value, at: tab + 1))
    }

    /// The bytes of a field; the field itself if it has no escape.
    private static func unescaped(
        _ field: Bytes, _ scratch: inout ByteBuffer, at start: Int
    ) throws(FormatError) -> Bytes {
        guard var backslash = System.firstIndex(of: UInt8(ascii: "\\"), in: field) else { return field }
        scratch.removeAll()
        var rest = field
        var offset = start
        while true {
            scratch.append(rest.part(..<backslash))
            let length = try escape(rest, backslash, &scratch, at: offset + backslash)
            offset += backslash + length
            rest = rest.part((backslash + length)...)
            guard let next = System.firstIndex(of: UInt8(ascii: "\\"), in: rest) else { break }
            backslash = next
        }
        scratch.append(rest)
        return scratch.bytes
    }

    /// Decodes the escape at `index`.
    /// - Returns: the length of the escape.
    private static func escape(
        _ field: Bytes, _ index: Int, _ scratch: inout ByteBuffer, at offset: Int
    ) throws(FormatError) -> Int {
        guard index + 1 < field.count else { throw FormatError("a backslash is written \\\\", at: offset) }
        switch field[index + 1] {
        case UInt8(ascii: "t"): scratch.append(UInt8(ascii: "\t"))
        case UInt8(ascii: "n"): scratch.append(UInt8(ascii: "\n"))
        case UInt8(ascii: "r"): scratch.append(UInt8(ascii: "\r"))
        case UInt8(ascii: "\\"): scratch.append(UInt8(ascii: "\\"))
        case UInt8(ascii: "x"):
            guard index + 3 < field.count, let high = Hexadecimal.value(of: field[index + 2]),
                let low = Hexadecimal.value(of: field[index + 3])
            else { throw FormatError("\\x takes two hexadecimal digits", at: offset) }
            scratch.append(high << 4 | low)
            return 4
        default:
            throw FormatError("unknown escape; \\t, \\n, \\r, \\\\ and \\xHH are known", at: offset)
        }
        return 2
    }
}
