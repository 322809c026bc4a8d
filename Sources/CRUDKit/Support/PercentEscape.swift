/// Reversible percent-encoding (RFC 3986, section 2.1) of a string's UTF-8, with a choice of literal characters. Every
/// string becomes a distinct name that a file system or a property list can hold.
struct PercentEscape: Sendable {
    private let isLiteral: @Sendable (UInt8) -> Bool

    /// Lower-case letters, digits, `-` and `_`. Capitals are escaped, because some file systems ignore case.
    static let fileName = PercentEscape { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
            UInt8(ascii: "_"):
            true
        default: false
        }
    }

    /// Printable ASCII except `%`, and except `_`, which separates the parts of a key.
    static let keyPart = PercentEscape { byte in
        (0x20..<0x7f).contains(byte) && byte != UInt8(ascii: "%") && byte != UInt8(ascii: "_")
    }

    /// Printable ASCII except `%`.
    static let keyEnd = PercentEscape { byte in (0x20..<0x7f).contains(byte) && byte != UInt8(ascii: "%") }

    /// Usual characters of directory names: letters, digits, spaces, `-`, `_` and `.`.
    static let directoryName = PercentEscape { byte in
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: " "), UInt8(ascii: "."): true
        default: fileName.isLiteral(byte)
        }
    }

    private static let digits = Array("0123456789abcdef".utf8)

    /// The escaped string.
    func escape(_ string: String) -> String {
        var escaped: [UInt8] = []
        escaped.reserveCapacity(string.utf8.count)
        for byte in string.utf8 {
            if isLiteral(byte) { escaped.append(byte) } else { Self.append(byte, to: &escaped) }
        }
        return String(decoding: escaped, as: UTF8.self)
    }

    private static func append(_ byte: UInt8, to escaped: inout [UInt8]) {
        escaped += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }

    /// Reverses ``escape(_:)``; nil for other strings.
    func unescape(_ escaped: some StringProtocol) -> String? {
        var bytes: [UInt8] = []
        var rest = Array(escaped.utf8)[...]
        while let byte = rest.popFirst() {
            if byte != UInt8(ascii: "%") {
                guard isLiteral(byte) else { return nil }
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst().flatMap(Self.digits.firstIndex),
                let low = rest.popFirst().flatMap(Self.digits.firstIndex)
            else { return nil }
            let value = UInt8(high << 4 | low)
            guard !isLiteral(value) else { return nil }
            bytes.append(value)
        }
        return String(validating: bytes, as: UTF8.self)
    }

    /// A name as one path component that is never empty, hidden, `.` or `..`.
    static func directory(named name: String) -> String {
        if name.isEmpty { return "%" }
        var escaped = Array(directoryName.escape(name).utf8)
        // A leading dot hides a file or means a parent directory. Some systems drop a trailing dot or space.
        if let last = escaped.last, last == UInt8(ascii: ".") || last == UInt8(ascii: " ") {
            escaped.removeLast()
            append(last, to: &escaped)
        }
        if escaped.first == UInt8(ascii: ".") { escaped.replaceSubrange(0..<1, with: Array("%2e".utf8)) }
        if escaped.count > FileName.maximumLength { return long + SHA256.hexadecimal(name.utf8) }
        if isLong(name) { return "%6c" + name.dropFirst() }
        return String(decoding: escaped, as: UTF8.self)
    }

    private static let long = "long_"

    /// True for a name that has the form of the directory of a long name. Other names with its prefix stay as they are.
    private static func isLong(_ name: String) -> Bool {
        let digest = name.utf8.dropFirst(long.utf8.count)
        return name.utf8.starts(with: long.utf8) && digest.count == 64 && digest.allSatisfy(digits.contains)
    }
}
