/// The text encoding of bytes on the command line and in the output of `get`.
enum Encoding {
    /// Plain UTF-8.
    case plain
    case hexadecimal
    case base64

    /// Decodes `text`; nil if it is not in this encoding.
    func decode(_ text: String) -> [UInt8]? {
        switch self {
        case .plain: return Array(text.utf8)
        case .hexadecimal: return Hexadecimal.decode(text)
        case .base64:
            var digits = ByteBuffer()
            for digit in text.utf8 { digits.append(digit) }
            var bytes = ByteBuffer()
            do {
                try Base64.decode(digits.bytes, into: &bytes)
            } catch {
                return nil
            }
            return Array(bytes.bytes)
        }
    }

    /// Encodes `bytes`.
    func encode(_ bytes: [UInt8]) -> [UInt8] {
        switch self {
        case .plain: return bytes
        case .hexadecimal: return Array(Hexadecimal.encode(bytes).utf8)
        case .base64:
            return unsafe [UInt8](unsafeUninitializedCapacity: Base64.encodedLength(bytes.count)) { target, count in
                count = Base64.encodedLength(bytes.count)
                if let base = target.baseAddress, count > 0 {
                    unsafe bytes.withUnsafeBytes { unsafe Base64.encode(Bytes($0), into: base) }
                }
            }
        }
    }
}

extension Invocation {
    /// The encoding chosen by one of two options.
    func encoding(hexadecimal: Option, base64: Option) throws(ToolError) -> Encoding {
        switch (has(hexadecimal), has(base64)) {
        case (true, true): throw usage("--\(hexadecimal.name) and --\(base64.name) exclude each other")
        case (true, false): return .hexadecimal
        case (false, true): return .base64
        case (false, false): return .plain
        }
    }

    /// A key from the command line.
    func key(_ text: String) throws(ToolError) -> [UInt8] {
        let encoding = try encoding(hexadecimal: .keyHex, base64: .keyBase64)
        guard let key = encoding.decode(text) else {
            throw usage("the key '\(text)' is not \(encoding == .base64 ? "base64" : "hexadecimal")")
        }
        return key
    }
}
