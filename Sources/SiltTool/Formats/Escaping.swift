/// Writes bytes as text with backslash escapes, for tab-separated lines and for people.
enum Escaping {
    /// The set of escaped characters.
    enum Style {
        /// Control characters below U+0020, backslashes and invalid UTF-8: ``TSVReader`` needs the escapes, and the
        /// file stays text.
        case tabSeparated
        /// Also the control characters U+0080 to U+009F, which can drive a terminal.
        case terminal
    }

    /// Appends `bytes`, with control characters, backslashes and invalid UTF-8 escaped.
    static func write(_ bytes: Bytes, _ style: Style, to output: inout OutputBuffer) throws(SystemError) {
        var copied = 0
        var offset = UTF8Scan.firstSpecial(bytes, from: 0)
        while offset < bytes.count {
            let length = UTF8Scan.sequenceLength(bytes, at: offset)
            let byte = bytes[offset]
            // Lead byte 0xc2 and a byte below 0xa0 encode U+0080 to U+009F.
            let isPlain =
                length == 1
                ? byte >= 0x20 && byte != UInt8(ascii: "\\")
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
            offset = UTF8Scan.firstSpecial(bytes, from: offset)
        }
        try output.append(bytes.part(min(copied, bytes.count)...))
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
        var text = ""
        for scalar in String(decoding: bytes.part(..<min(limit, bytes.count)), as: UTF8.self).unicodeScalars {
            let isControl = scalar.value < 0x20 || (0x7f...0x9f).contains(scalar.value)
            if isControl {
                text += "\\x" + Hexadecimal.encode(CollectionOfOne(UInt8(scalar.value)))
            } else {
                text.unicodeScalars.append(scalar)
            }
        }
        return bytes.count > limit ? text + "…" : text
    }
}
