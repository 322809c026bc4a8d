import TableKit

/// Order-preserving variable-length integers for keys.
///
/// 0 to 247 take one byte. Greater numbers take one byte, 247 + n, then n big-endian bytes, as few as possible.
enum OrderedVarint {
    private static let greatestByte: UInt64 = 0xF7

    /// Appends a number.
    static func append(_ number: UInt64, to bytes: inout [UInt8]) {
        if number <= greatestByte { return bytes.append(UInt8(number)) }
        let count = 8 - number.leadingZeroBitCount / 8
        bytes.append(UInt8(greatestByte) + UInt8(count))
        for byte in (0..<count).reversed() { bytes.append(UInt8(truncatingIfNeeded: number >> (8 * UInt64(byte)))) }
    }

    /// Reads the number at an offset and moves the offset past it.
    /// - Throws: `TableErrorCode.corrupt` if the number is incomplete or not in its shortest form.
    static func read(_ bytes: RawSpan, at offset: inout Int) throws(CRUDDecoderError) -> UInt64 {
        guard offset < bytes.byteCount else { throw KeyDecoder.shortKey }
        let first = unsafe UInt64(bytes.unsafeLoad(fromByteOffset: offset, as: UInt8.self))
        offset += 1
        if first <= greatestByte { return first }
        let count = Int(first - greatestByte)
        guard count <= bytes.byteCount - offset else { throw KeyDecoder.shortKey }
        var number: UInt64 = 0
        for _ in 0..<count {
            number = unsafe number << 8 | UInt64(bytes.unsafeLoad(fromByteOffset: offset, as: UInt8.self))
            offset += 1
        }
        guard number > greatestByte, 8 - number.leadingZeroBitCount / 8 == count else {
            throw CRUDDecoderError("A key holds a number in a longer form than it needs.", code: .corrupt)
        }
        return number
    }
}
