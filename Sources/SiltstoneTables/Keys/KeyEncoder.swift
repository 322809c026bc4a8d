import Foundation
import TableKit

/// Builds keys: a prefix from ``KeySpace``, then values in an encoding whose byte order is the order of the values.
///
/// One encoder builds many keys in the memory that it owns, so an insert of many rows allocates nothing for each. Its
/// methods change that memory, not the encoder, so a class can hold an encoder in a constant. In a variable, each
/// change would have an exclusivity check.
@safe
struct KeyEncoder: ~Copyable {
    /// The header of the memory, followed by the bytes of the key.
    @safe
    private struct Head {
        var start: UnsafeMutablePointer<UInt8>
        var capacity: Int
        var count = 0
    }

    private let head: UnsafeMutablePointer<Head>

    /// The capacity after the header. A longer key moves to other memory.
    private static let room = 232
    /// Spare capacity: integers are stored as eight bytes, of which fewer may count.
    private static let slack = 16

    /// The length of the key in bytes.
    private(set) var count: Int {
        @inline(__always) get { unsafe head.pointee.count }
        @inline(__always) nonmutating set { unsafe head.pointee.count = newValue }
    }
    private var start: UnsafeMutablePointer<UInt8> {
        @inline(__always) get { unsafe head.pointee.start }
    }

    /// An encoder with an empty key.
    init() {
        let memory = UnsafeMutableRawPointer.allocate(
            byteCount: MemoryLayout<Head>.size + KeyEncoder.room, alignment: MemoryLayout<Head>.alignment)
        unsafe head = unsafe memory.bindMemory(to: Head.self, capacity: 1)
        unsafe head.initialize(
            to: Head(
                start: (memory + MemoryLayout<Head>.size).assumingMemoryBound(to: UInt8.self), capacity: KeyEncoder.room
            ))
    }

    /// An encoder with a key that begins with a prefix.
    init(_ prefix: [UInt8]) {
        self.init()
        append(raw: prefix)
    }

    deinit {
        deallocateMoved()
        unsafe head.deallocate()
    }

    /// Frees a key that has moved to other memory.
    private func deallocateMoved() { if unsafe head.pointee.capacity > KeyEncoder.room { unsafe start.deallocate() } }

    /// Begins the next key.
    func reset(to prefix: [UInt8] = []) {
        count = 0
        append(raw: prefix)
    }

    /// Truncates the key.
    func truncate(to count: Int) { self.count = min(count, self.count) }

    /// Passes the key to a closure.
    @inline(__always)
    func withBytes<R, E: Error>(_ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R {
        try unsafe body(UnsafeRawBufferPointer(start: start, count: count))
    }

    /// A copy of the key.
    var bytes: [UInt8] { unsafe Array(UnsafeBufferPointer(start: start, count: count)) }

    // MARK: Values

    /// Appends a value.
    func append(_ value: ColumnValue) {
        switch value {
        case .null: append(tag: KeyTag.null)
        case .bool(let value): append(tag: value ? KeyTag.yes : KeyTag.no)
        case .integer(let value): append(value)
        case .unsigned(let value): append(value)
        case .real(let value): append(KeyTag.real, value)
        case .date(let value): append(KeyTag.date, value.timeIntervalSinceReferenceDate)
        case .uuid(let value):
            append(tag: KeyTag.uuid)
            unsafe withUnsafeBytes(of: value.uuid) { unsafe append(raw: $0) }
        case .text(let value): append(text: value, tag: KeyTag.text)
        case .json(let value): append(text: value, tag: KeyTag.json)
        case .bytes(let value): unsafe value.withUnsafeBytes { unsafe append(escaped: $0, tag: KeyTag.bytes) }
        }
    }

    /// Appends a column's value from the bytes of a row.
    /// - Returns: true if the column is NULL.
    /// - Throws: `TableErrorCode.corrupt` if the row is too short.
    @discardableResult
    func append(_ slot: RowSlot, of row: RawSpan) throws(CRUDDecoderError) -> Bool {
        if try slot.isNull(in: row) {
            append(tag: KeyTag.null)
            return true
        }
        switch slot.type {
        case .bool: append(tag: try slot.fixed(in: row, as: UInt8.self) != 0 ? KeyTag.yes : KeyTag.no)
        case .int8: append(Int64(try slot.fixed(in: row, as: Int8.self)))
        case .int16: append(Int64(Int16(littleEndian: try slot.fixed(in: row, as: Int16.self))))
        case .int32: append(Int64(Int32(littleEndian: try slot.fixed(in: row, as: Int32.self))))
        case .int64: append(Int64(littleEndian: try slot.fixed(in: row, as: Int64.self)))
        case .uint8: append(UInt64(try slot.fixed(in: row, as: UInt8.self)))
        case .uint16: append(UInt64(UInt16(littleEndian: try slot.fixed(in: row, as: UInt16.self))))
        case .uint32: append(UInt64(UInt32(littleEndian: try slot.fixed(in: row, as: UInt32.self))))
        case .uint64: append(UInt64(littleEndian: try slot.fixed(in: row, as: UInt64.self)))
        case .float:
            let bits = UInt32(littleEndian: try slot.fixed(in: row, as: UInt32.self))
            append(KeyTag.real, Double(Float(bitPattern: bits)))
        case .double:
            append(KeyTag.real, Double(bitPattern: UInt64(littleEndian: try slot.fixed(in: row, as: UInt64.self))))
        case .date:
            append(KeyTag.date, Double(bitPattern: UInt64(littleEndian: try slot.fixed(in: row, as: UInt64.self))))
        case .uuid:
            let value = try slot.fixed(in: row, as: uuid_t.self)
            append(tag: KeyTag.uuid)
            unsafe withUnsafeBytes(of: value) { unsafe append(raw: $0) }
        case .string, .bytes, .json:
            let part = row.extracting(try slot.range(in: row))
            let tag = slot.type == .string ? KeyTag.text : slot.type == .bytes ? KeyTag.bytes : KeyTag.json
            unsafe part.withUnsafeBytes { unsafe append(escaped: $0, tag: tag) }
        }
        return false
    }

    /// Appends raw bytes: a prefix, or the end of another key.
    func append(raw bytes: UnsafeRawBufferPointer) {
        guard let source = bytes.baseAddress else { return }
        reserve(bytes.count)
        unsafe UnsafeMutableRawPointer(start + count).copyMemory(from: source, byteCount: bytes.count)
        count += bytes.count
    }

    /// Appends raw bytes.
    func append(raw bytes: [UInt8]) { unsafe bytes.withUnsafeBytes { unsafe append(raw: $0) } }

    // MARK: Parts of values

    @inline(__always)
    private func append(tag: UInt8) {
        reserve(1)
        unsafe start[count] = tag
        count += 1
    }

    private func append(_ value: Int64) {
        if value >= 0 { return append(UInt64(value)) }
        let length = KeyEncoder.length(of: value.magnitude)
        append(tag: KeyTag.zero - UInt8(length))
        append(bigEndian: UInt64(bitPattern: value &- 1), length: length)
    }

    private func append(_ value: UInt64) {
        let length = KeyEncoder.length(of: value)
        append(tag: KeyTag.zero + UInt8(length))
        append(bigEndian: value, length: length)
    }

    private static func length(of magnitude: UInt64) -> Int { 8 - magnitude.leadingZeroBitCount / 8 }

    /// Appends the low bytes of a number in big-endian order.
    @inline(__always)
    private func append(bigEndian bits: UInt64, length: Int) {
        reserve(8)
        let shifted = length == 0 ? 0 : bits << UInt64(64 - 8 * length)
        unsafe UnsafeMutableRawPointer(start + count).storeBytes(of: shifted.bigEndian, as: UInt64.self)
        count += length
    }

    private func append(_ tag: UInt8, _ value: Double) {
        append(tag: tag)
        // 0 and -0 have one encoding. All NaNs have one, too, which sorts after infinity.
        let value = value == 0 ? 0 : value
        let bits = value.isNaN ? 0x7FF8_0000_0000_0000 : value.bitPattern
        append(bigEndian: bits >> 63 == 1 ? ~bits : bits | 1 << 63, length: 8)
    }

    private func append(text: String, tag: UInt8) {
        var text = text
        text.withUTF8 { unsafe append(escaped: UnsafeRawBufferPointer($0), tag: tag) }
    }

    /// Appends bytes with each 00 escaped as 00 FF, and a terminating 00.
    private func append(escaped bytes: UnsafeRawBufferPointer, tag: UInt8) {
        append(tag: tag)
        reserve(2 * bytes.count + 1)
        var next = count
        for place in 0..<bytes.count {
            let byte = unsafe bytes[place]
            unsafe start[next] = byte
            next += 1
            if byte == 0 {
                unsafe start[next] = 0xFF
                next += 1
            }
        }
        unsafe start[next] = 0
        count = next + 1
    }

    @inline(__always)
    private func reserve(_ bytes: Int) {
        if unsafe count + bytes + KeyEncoder.slack > head.pointee.capacity { grow(count + bytes + KeyEncoder.slack) }
    }

    private func grow(_ least: Int) {
        let size = unsafe max(least, 2 * head.pointee.capacity)
        let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: size)
        unsafe larger.update(from: start, count: count)
        deallocateMoved()
        unsafe (head.pointee.start, head.pointee.capacity) = unsafe (larger, size)
    }
}
