import Foundation
import TableKit

/// Decodes the values in keys. Each value has a type tag and a known end, so no schema is needed.
///
/// Invalid bytes throw and never trap.
enum KeyDecoder {
    /// The error of a key that ends too early.
    static var shortKey: CRUDDecoderError { CRUDDecoderError("A key ends inside a value.", code: .corrupt) }

    /// The end offset of the value at an offset.
    /// - Throws: `TableErrorCode.corrupt` if the value is incomplete.
    static func end(ofValueAt offset: Int, in key: RawSpan) throws(CRUDDecoderError) -> Int {
        guard offset >= 0, offset < key.byteCount else { throw shortKey }
        let tag = byte(key, offset)
        let length: Int
        switch tag {
        case KeyTag.null, KeyTag.no, KeyTag.yes: length = 0
        case KeyTag.integers: length = abs(Int(tag) - Int(KeyTag.zero))
        case KeyTag.real, KeyTag.date: length = 8
        case KeyTag.uuid: length = 16
        case KeyTag.text, KeyTag.bytes, KeyTag.json: return try endOfEscaped(offset + 1, in: key)
        default: throw CRUDDecoderError("A key holds a value of unknown kind \(tag).", code: .corrupt)
        }
        guard length <= key.byteCount - offset - 1 else { throw shortKey }
        return offset + 1 + length
    }

    /// The end offset of `count` values at an offset.
    static func end(ofValues count: Int, at offset: Int, in key: RawSpan) throws(CRUDDecoderError) -> Int {
        var offset = offset
        for _ in 0..<count { offset = try end(ofValueAt: offset, in: key) }
        return offset
    }

    /// Decodes the value at an offset and moves the offset past it.
    static func value(in key: RawSpan, at offset: inout Int) throws(CRUDDecoderError) -> ColumnValue {
        let start = offset
        let end = try end(ofValueAt: start, in: key)
        offset = end
        switch byte(key, start) {
        case KeyTag.null: return .null
        case KeyTag.no: return .bool(false)
        case KeyTag.yes: return .bool(true)
        case KeyTag.real: return .real(real(key, start + 1))
        case KeyTag.date: return .date(Date(timeIntervalSinceReferenceDate: real(key, start + 1)))
        case KeyTag.uuid:
            return unsafe .uuid(UUID(uuid: key.unsafeLoadUnaligned(fromByteOffset: start + 1, as: uuid_t.self)))
        case KeyTag.text: return .text(String(decoding: unescaped(key, start + 1..<end - 1), as: UTF8.self))
        case KeyTag.json: return .json(String(decoding: unescaped(key, start + 1..<end - 1), as: UTF8.self))
        case KeyTag.bytes: return .bytes(unescaped(key, start + 1..<end - 1))
        case let tag: return try integer(key, start, tag)
        }
    }

    /// Decodes all values from an offset to the end of a key.
    static func values(in key: RawSpan, from offset: Int = 0) throws(CRUDDecoderError) -> [ColumnValue] {
        var (values, offset) = ([ColumnValue](), offset)
        while offset < key.byteCount { values.append(try value(in: key, at: &offset)) }
        return values
    }

    // MARK: Parts

    @inline(__always)
    private static func byte(_ key: RawSpan, _ offset: Int) -> UInt8 {
        unsafe key.unsafeLoad(fromByteOffset: offset, as: UInt8.self)
    }

    private static func integer(_ key: RawSpan, _ start: Int, _ tag: UInt8) throws(CRUDDecoderError) -> ColumnValue {
        let length = Int(tag) - Int(KeyTag.zero)
        var bits: UInt64 = length < 0 ? .max : 0
        for offset in 0..<abs(length) { bits = bits << 8 | UInt64(byte(key, start + 1 + offset)) }
        if length >= 0 { return ColumnValue(bits) }
        let value = Int64(bitPattern: bits &+ 1)
        guard value < 0 else { throw CRUDDecoderError("A key holds an integer out of range.", code: .corrupt) }
        return .integer(value)
    }

    private static func real(_ key: RawSpan, _ offset: Int) -> Double {
        let bits = unsafe UInt64(bigEndian: key.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
        return Double(bitPattern: bits >> 63 == 1 ? bits & ~(1 << 63) : ~bits)
    }

    private static func endOfEscaped(_ start: Int, in key: RawSpan) throws(CRUDDecoderError) -> Int {
        var offset = start
        while offset < key.byteCount {
            if byte(key, offset) == 0 {
                guard offset + 1 < key.byteCount, byte(key, offset + 1) == 0xFF else { return offset + 1 }
                offset += 1
            }
            offset += 1
        }
        throw shortKey
    }

    private static func unescaped(_ key: RawSpan, _ range: Range<Int>) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(range.count)
        var offset = range.lowerBound
        while offset < range.upperBound {
            bytes.append(byte(key, offset))
            // Skips the FF after 00.
            offset += byte(key, offset) == 0 ? 2 : 1
        }
        return bytes
    }
}
