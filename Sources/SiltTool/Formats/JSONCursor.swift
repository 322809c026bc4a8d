/// A position in a line of JSON.
struct JSONCursor {
    let line: Bytes
    var offset = 0
    /// Advice for text that is not UTF-8.
    private let encodingHint: StaticString

    init(_ line: Bytes, encodingHint: StaticString = "") {
        self.line = line
        self.encodingHint = encodingHint
    }

    var isAtEnd: Bool { offset >= line.count }

    /// The byte here; nil at the end of the line.
    @inline(__always)
    var peek: UInt8? { offset < line.count ? line[offset] : nil }

    /// Skips JSON's whitespace.
    @inline(__always)
    mutating func skipSpace() {
        while offset < line.count {
            let byte = line[offset]
            guard byte == 0x20 || byte == 0x09 || byte == 0x0d || byte == 0x0a else { return }
            offset &+= 1
        }
    }

    /// Skips `byte`, or throws if another byte is here.
    @inline(__always)
    mutating func expect(_ byte: UInt8, _ reason: @autoclosure () -> String) throws(FormatError) {
        guard peek == byte else { throw FormatError(reason(), at: offset) }
        offset &+= 1
    }

    /// Skips the whitespace and the comma behind a member of an object.
    /// - Returns: false if no comma is here: the object ends.
    @inline(__always)
    mutating func skipComma() -> Bool {
        skipSpace()
        guard peek == UInt8(ascii: ",") else { return false }
        offset &+= 1
        return true
    }

    /// Skips the end of the object that a line consists of, or throws if more text follows.
    /// - Parameter name: the object, for the error.
    @inline(__always)
    mutating func endLine(after name: StaticString) throws(FormatError) {
        try expect(UInt8(ascii: "}"), "expected ',' or '}'")
        skipSpace()
        if !isAtEnd { throw FormatError("text after the \(name)", at: offset) }
    }

    /// Reads the string whose opening quote is here.
    /// - Parameter scratch: holds the text if it has escapes.
    /// - Returns: the text as UTF-8, borrowed from the line or from `scratch`.
    @inline(__always)
    mutating func string(_ scratch: inout ByteBuffer) throws(FormatError) -> Bytes {
        let start = offset &+ 1
        let end = UTF8Scan.firstSpecial(line, from: start)
        if end < line.count, line[end] == UInt8(ascii: "\"") {
            offset = end &+ 1
            return line.part(start..<end)
        }
        return try stringWithSpecials(start, end, &scratch)
    }

    /// The slow path of ``string(_:)``: `special` is the first byte that is not plain ASCII.
    @inline(never)
    private mutating func stringWithSpecials(
        _ start: Int, _ special: Int, _ scratch: inout ByteBuffer
    ) throws(FormatError) -> Bytes {
        scratch.removeAll()
        var isEscaped = false
        var copied = start  // bytes before this are in `scratch`, if there was an escape
        offset = special
        while let byte = peek {
            switch byte {
            case UInt8(ascii: "\""):
                let rest = line.part(copied..<offset)
                offset += 1
                if !isEscaped { return rest }
                scratch.append(rest)
                return scratch.bytes
            case UInt8(ascii: "\\"):
                isEscaped = true
                scratch.append(line.part(copied..<offset))
                try escape(&scratch)
                copied = offset
            case 0x80...:
                let length = UTF8Scan.sequenceLength(line, at: offset)
                if length == 0 {
                    throw FormatError("not valid UTF-8\(encodingHint)", at: offset)
                }
                offset += length
            default:
                throw FormatError("a control character must be escaped, as \\u00" + hexadecimal(byte), at: offset)
            }
            offset = UTF8Scan.firstSpecial(line, from: offset)
        }
        throw FormatError("the string has no closing quote", at: start - 1)
    }

    private func hexadecimal(_ byte: UInt8) -> String { Hexadecimal.encode(CollectionOfOne(byte)) }

    /// Decodes the escape that is here.
    private mutating func escape(_ scratch: inout ByteBuffer) throws(FormatError) {
        let start = offset
        offset += 1
        guard let letter = peek else { throw FormatError("the line ends in an escape", at: start) }
        offset += 1
        switch letter {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): scratch.append(letter)
        case UInt8(ascii: "b"): scratch.append(0x08)
        case UInt8(ascii: "f"): scratch.append(0x0c)
        case UInt8(ascii: "n"): scratch.append(0x0a)
        case UInt8(ascii: "r"): scratch.append(0x0d)
        case UInt8(ascii: "t"): scratch.append(0x09)
        case UInt8(ascii: "u"): try scalar(&scratch, start)
        default: throw FormatError("unknown escape", at: start)
        }
    }

    /// Appends the scalar of `\uXXXX`, whose digits are here, or of the surrogate pair that starts with it.
    private mutating func scalar(_ scratch: inout ByteBuffer, _ start: Int) throws(FormatError) {
        var value = UInt32(try codeUnit(start))
        if (0xd800...0xdbff).contains(value) {
            guard offset + 1 < line.count, line[offset] == UInt8(ascii: "\\"),
                line[offset + 1] == UInt8(ascii: "u")
            else {
                throw FormatError("half a surrogate pair", at: start)
            }
            offset += 2
            let low = UInt32(try codeUnit(start))
            guard (0xdc00...0xdfff).contains(low) else { throw FormatError("half a surrogate pair", at: start) }
            value = 0x1_0000 + (value - 0xd800) << 10 + (low - 0xdc00)
        }
        // nil for a low surrogate without a high one
        guard let scalar = Unicode.Scalar(value) else { throw FormatError("half a surrogate pair", at: start) }
        for byte in UTF8.encode(scalar) ?? .init() { scratch.append(byte) }
    }

    /// Reads four hexadecimal digits.
    private mutating func codeUnit(_ start: Int) throws(FormatError) -> UInt16 {
        var value: UInt16 = 0
        for _ in 0..<4 {
            guard let byte = peek, let digit = Hexadecimal.value(of: byte) else {
                throw FormatError("\\u takes four hexadecimal digits", at: start)
            }
            value = value << 4 | UInt16(digit)
            offset += 1
        }
        return value
    }
}
