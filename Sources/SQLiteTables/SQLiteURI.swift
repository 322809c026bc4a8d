#if SQLite
/// A name of the form `file:…`, as SQLite reads it.
struct SQLiteURI {
    /// The path, decoded. Empty for a temporary file.
    let name: String
    /// The values of the options, decoded. The last one of a name counts.
    let options: [String: String]

    /// Parses a URI; nil if the text is a plain path.
    init?(_ text: String) {
        guard text.hasPrefix("file:") else { return nil }
        let uri = text.utf8.dropFirst("file:".utf8.count).prefix { $0 != UInt8(ascii: "#") }
        var rest = uri
        // An authority ends at the next slash. SQLite opens none but an empty one and `localhost`.
        if rest.starts(with: "//".utf8) { rest = rest.dropFirst(2).drop { $0 != UInt8(ascii: "/") } }
        let path = rest.prefix { $0 != UInt8(ascii: "?") }
        name = Self.decoded(path)
        var options: [String: String] = [:]
        for option in rest.dropFirst(path.count + 1).split(separator: UInt8(ascii: "&")) {
            let key = option.prefix { $0 != UInt8(ascii: "=") }
            options[Self.decoded(key)] = Self.decoded(option.dropFirst(key.count + 1))
        }
        self.options = options
    }

    /// Decodes the percent escapes of a part. A null character ends it; an escape without two digits stays as it is.
    private static func decoded(_ part: Substring.UTF8View) -> String {
        var (bytes, rest): ([UInt8], _) = ([], part)
        while let byte = rest.popFirst() {
            let digits = rest.prefix(2)
            guard byte == UInt8(ascii: "%"), digits.count == 2, digits.allSatisfy(isHexadecimal),
                let value = UInt8(Substring(digits), radix: 16)
            else {
                bytes.append(byte)
                continue
            }
            if value == 0 { break }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// `UInt8(_:radix:)` also takes a sign.
    private static func isHexadecimal(_ byte: UInt8) -> Bool { Character(Unicode.Scalar(byte)).isHexDigit }
}
#endif
