/// Base64 with the standard alphabet and padding (RFC 4648, section 4).
enum Base64 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    /// The value of each digit; 0xff for other bytes.
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: 0xff, count: 256)
        for (value, digit) in alphabet.enumerated() { values[Int(digit)] = UInt8(value) }
        return values
    }()

    /// The length of the encoding of `count` bytes.
    static func encodedLength(_ count: Int) -> Int { (count + 2) / 3 * 4 }

    /// Encodes `bytes` into `target`, which has room for ``encodedLength(_:)`` bytes.
    static func encode(_ bytes: Bytes, into target: UnsafeMutableRawPointer) {
        unsafe alphabet.withUnsafeBufferPointer { digits in
            var target = unsafe target
            var offset = 0
            @inline(__always) func byte(_ index: Int) -> UInt32 {
                index < bytes.count ? UInt32(bytes[index]) : 0
            }
            while offset < bytes.count {
                let group = byte(offset) << 16 | byte(offset + 1) << 8 | byte(offset + 2)
                for digit in 0..<4 {
                    let shift = UInt32(18 - 6 * digit)
                    // One byte gives two digits, two bytes give three; padding fills the group.
                    let isPadding = offset + digit > bytes.count
                    let character = unsafe isPadding ? UInt8(ascii: "=") : digits[Int(group >> shift & 0x3f)]
                    unsafe target.storeBytes(of: character, as: UInt8.self)
                    unsafe target += 1
                }
                offset += 3
            }
        }
    }

    /// Decodes `digits` and appends the bytes.
    /// - Throws: ``FormatError`` with the column in `digits`, for a byte outside the alphabet, missing padding, or
    ///   non-zero bits after the last byte. So every text decodes to different bytes (RFC 4648, section 3.5).
    static func decode(_ digits: Bytes, into target: inout ByteBuffer) throws(FormatError) {
        guard digits.count % 4 == 0 else {
            throw FormatError("base64 comes in groups of four digits, padded with '='", at: digits.count)
        }
        var padding = 0
        while padding < 2, padding < digits.count, digits[digits.count - 1 - padding] == UInt8(ascii: "=") {
            padding += 1
        }
        let end = digits.count - padding
        let room = unsafe target.room(digits.count / 4 * 3)
        let values = values
        var written = 0
        var group: UInt32 = 0
        for offset in 0..<end {
            let value = values[Int(digits[offset])]
            if value == 0xff { throw FormatError("not a base64 digit", at: offset) }
            group = group << 6 | UInt32(value)
            guard offset % 4 == 3 else { continue }
            unsafe room[written] = UInt8(truncatingIfNeeded: group >> 16)
            unsafe room[written + 1] = UInt8(truncatingIfNeeded: group >> 8)
            unsafe room[written + 2] = UInt8(truncatingIfNeeded: group)
            written += 3
            group = 0
        }
        if padding > 0 {
            let spare = group & (padding == 1 ? 0b11 : 0b1111)
            if spare != 0 { throw FormatError("bits after the last byte of base64 are not zero", at: end - 1) }
            // Three digits carry 16 bits and two unused ones; two digits carry 8 bits and four unused ones.
            if padding == 1 {
                unsafe room[written] = UInt8(truncatingIfNeeded: group >> 10)
                unsafe room[written + 1] = UInt8(truncatingIfNeeded: group >> 2)
            } else {
                unsafe room[written] = UInt8(truncatingIfNeeded: group >> 4)
            }
            written += 3 - padding
        }
        target.extend(written)
    }
}
