/// Writes records as lines that ``RecordReader`` reads back to the same bytes. The output is deterministic, so two
/// dumps of the same records are equal.
struct RecordWriter: Sendable {
    let format: RecordFormat
    /// Whether to leave out the values.
    let keysOnly: Bool

    init(_ format: RecordFormat, keysOnly: Bool = false) {
        self.format = format
        self.keysOnly = keysOnly
    }

    /// Appends one line. O(*n*) in the bytes of the record.
    @inline(__always)
    func write(_ record: RawRecord, to output: inout OutputBuffer) throws(SystemError) {
        switch format {
        case .jsonLines:
            try JSONLinesWriter.member("{\"key", record.key, &output)
            if !keysOnly { try JSONLinesWriter.member(",\"value", record.value, &output) }
            try output.append("}\n")
        case .tabSeparated:
            try Escaping.write(record.key, .tabSeparated, to: &output)
            if !keysOnly {
                try output.append("\t")
                try Escaping.write(record.value, .tabSeparated, to: &output)
            }
            try output.append("\n")
        }
    }
}

/// Writes strings of JSON; see ``JSONLinesReader``.
enum JSONLinesWriter {
    /// The bytes encoded to base64 at a time. A multiple of 3, so that only the last part is padded.
    private static let base64Part = 3 << 12

    /// Appends `start`, the rest of a member's name, and `bytes` as a string.
    @inline(__always)
    static func member(_ start: StaticString, _ bytes: Bytes, _ output: inout OutputBuffer) throws(SystemError) {
        try output.append(start)
        let special = UTF8Scan.firstSpecial(bytes, from: 0)
        if special == bytes.count {
            try output.append("\":\"")
            try output.append(bytes)
            try output.append("\"")
        } else {
            try memberWithSpecials(bytes, special, &output)
        }
    }

    @inline(never)
    private static func memberWithSpecials(
        _ bytes: Bytes, _ special: Int, _ output: inout OutputBuffer
    ) throws(SystemError) {
        guard UTF8Scan.isValid(bytes) else {
            try output.append("_base64\":\"")
            var start = 0
            while start < bytes.count {
                let part = bytes.part(start..<min(start + base64Part, bytes.count))
                try output.append(base64: part)
                start += part.count
            }
            try output.append("\"")
            return
        }
        try output.append("\":\"")
        var copied = 0
        var offset = special
        while offset < bytes.count {
            let byte = bytes[offset]
            if byte >= 0x80 {
                offset += UTF8Scan.sequenceLength(bytes, at: offset)
            } else {
                try output.append(bytes.part(copied..<offset))
                try escape(byte, &output)
                offset += 1
                copied = offset
            }
            offset = UTF8Scan.firstSpecial(bytes, from: offset)
        }
        try output.append(bytes.part(copied...))
        try output.append("\"")
    }

    private static func escape(_ byte: UInt8, _ output: inout OutputBuffer) throws(SystemError) {
        switch byte {
        case UInt8(ascii: "\""): try output.append("\\\"")
        case UInt8(ascii: "\\"): try output.append("\\\\")
        case 0x08: try output.append("\\b")
        case 0x09: try output.append("\\t")
        case 0x0a: try output.append("\\n")
        case 0x0c: try output.append("\\f")
        case 0x0d: try output.append("\\r")
        default:
            let (high, low) = Hexadecimal.digits(of: byte)
            try output.append("\\u00")
            try output.append(high)
            try output.append(low)
        }
    }
}
