/// Writes bytes as text with backslash escapes, for tab-separated lines and for people.
enum Escaping {
    /// The set of escaped characters.
    enum Style {
        /// Control characters below U+0020, backslashes and invalid UTF-8: ``TSVReader`` needs the escapes, and the
        /// file stays text.
        case tabSeparated
        /// Also the control characters U+007F to U+009F, which can drive a terminal.
        case terminal
    }

    /// Appends `bytes`, with control characters, backslashes and invalid UTF-8 escaped.
    static func write(_ bytes: Bytes, _ style: Style, to output: inout OutputBuffer) throws(SystemError) {
        var copied = 0
        var offset = firstSpecial(bytes, style, from: 0)
        while offset < bytes.count {
            let length = UTF8Scan.sequenceLength(bytes, at: offset)
            let byte = bytes[offset]
            // Lead byte 0xc2 and a byte below 0xa0 encode U+0080 to U+009F.
            let isPlain =
                length == 1
                ? byte >= 0x20 && byte != UInt8(ascii: "\\") && !(style == .terminal && byte == delete)
                : length > 1 && !(style == .terminal && byte == 0xc2 && bytes[offset + 1] < 0xa0)
            if isPlain {
                offset += length
            } else {
                try output.append(bytes.part(copied..<offset))
                for _ in 0..<max(length, 1) {
                    try escape(bytes[offset], &output)
                    offset += 1
                }
                copied = offset
            }
            offset = firstSpecial(bytes, style, from: offset)
        }
        try output.append(bytes.part(min(copied, bytes.count)...))
    }

    private static let delete: UInt8 = 0x7f

    /// The first offset of a byte that may need an escape.
    private static func firstSpecial(_ bytes: Bytes, _ style: Style, from offset: Int) -> Int {
        let special = UTF8Scan.firstSpecial(bytes, from: offset)
        guard style == .terminal, offset < special else { return special }
        return System.firstIndex(of: delete, in: bytes.part(offset..<special)).map { offset + $0 } ?? special
    }

    private static func escape(_ byte: UInt8, _ output: inout OutputBuffer) throws(SystemError) {
        switch byte {
        case UInt8(ascii: "\t"): try output.append("\\t")
        case UInt8(ascii: "\n"): try output.append("\\n")
        case UInt8(ascii: "\r"): try output.append("\\r")
        case UInt8(ascii: "\\"): try output.append("\\\\")
        default:
            let (high, low) = Hexadecimal.digits(of: byte)
            try output.append("\\x")
            try output.append(high)
            try output.append(low)
        }
    }

    /// The first `limit` bytes as text for a message, in one line.
    static func text(_ bytes: Bytes, limit: Int) -> String {
        let text = printable(String(decoding: bytes.part(..<min(limit, bytes.count)), as: UTF8.self))
        return bytes.count > limit ? text + "…" : text
    }

    /// A text in one line, with escapes for control characters, which could drive a terminal.
    static func printable(_ text: String) -> String {
        var printable = ""
        for scalar in text.unicodeScalars {
            let isControl = scalar.value < 0x20 || (0x7f...0x9f).contains(scalar.value)
            if isControl {
                printable += "\\x" + Hexadecimal.encode(CollectionOfOne(UInt8(scalar.value)))
            } else {
                printable.unicodeScalars.append(scalar)
            }
        }
        return printable
    }
}
