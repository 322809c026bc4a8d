/// The text of a page. Parts are escaped when they are added.
struct HTML {
    private(set) var text = ""

    /// Adds markup without escaping.
    mutating func raw(_ markup: String) { text += markup }

    /// Adds untrusted text, escaped.
    mutating func escaped(_ content: String) { text += HTML.escape(content) }

    /// Adds an element with escaped text.
    mutating func element(_ name: String, _ attributes: String = "", _ content: String) {
        text += "<\(name)\(attributes.isEmpty ? "" : " " + attributes)>\(HTML.escape(content))</\(name)>"
    }

    /// Replaces characters with a meaning in markup. Control characters become U+FFFD.
    static func escape(_ content: String) -> String {
        var escaped = ""
        for scalar in content.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&#39;"
            case "\n", "\t": escaped.unicodeScalars.append(scalar)
            case _ where scalar.value < 0x20 || (0x7f...0x9f).contains(scalar.value): escaped += "\u{fffd}"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }

    /// The bytes of a key as text. Bytes that are not UTF-8 are escaped.
    static func key(_ bytes: [UInt8], limit: Int = 40) -> String {
        let shown = bytes.prefix(limit)
        let text: String
        if let valid = String(validating: shown, as: UTF8.self), valid.unicodeScalars.allSatisfy({ $0.value >= 0x20 }) {
            text = valid
        } else {
            text = shown.map {
                (0x20..<0x7f).contains($0) ? String(UnicodeScalar($0)) : "\\x" + Hexadecimal.encode([$0])
            }
            .joined()
        }
        return bytes.count > limit ? text + "…" : text
    }
}
