import TableKit

/// Hexadecimal text, two digits for each byte.
enum Hexadecimal {
    /// The two lower-case digits of `byte`.
    @inline(__always)
    static func digits(of byte: UInt8) -> (UInt8, UInt8) { (digit(byte >> 4), digit(byte & 0xf)) }

    @inline(__always)
    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") &+ value : UInt8(ascii: "a") &- 10 &+ value
    }

    /// The value of a digit in either case; nil for other bytes.
    @inline(__always)
    static func value(of byte: UInt8) -> UInt8? { HexadecimalDigit.value(of: byte) }

    static func encode(_ bytes: some Collection<UInt8>) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count * 2)
        for byte in bytes {
            let (high, low) = digits(of: byte)
            text.append(high)
            text.append(low)
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Decodes `text`; nil unless it consists of pairs of digits.
    static func decode(_ text: String) -> [UInt8]? {
        let digits = Array(text.utf8)
        guard digits.count % 2 == 0 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count / 2)
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let high = value(of: digits[index]), let low = value(of: digits[index + 1]) else { return nil }
            bytes.append(high << 4 | low)
        }
        return bytes
    }
}
