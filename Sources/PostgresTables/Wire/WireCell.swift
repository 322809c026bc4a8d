#if PostgreSQL
import Foundation

/// The bytes of one value, valid as long as its result. Every read checks the length.
struct WireCell {
    let bytes: UnsafeRawBufferPointer

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    var count: Int { bytes.count }

    /// The big-endian integer at an offset; nil if the cell is too short.
    func load<I: FixedWidthInteger>(_ type: I.Type, at offset: Int = 0) -> I? {
        guard offset >= 0, offset + MemoryLayout<I>.size <= bytes.count else { return nil }
        return I(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: I.self))
    }

    /// The integer that fills the whole cell.
    func only<I: FixedWidthInteger>(_ type: I.Type) -> I? { bytes.count == MemoryLayout<I>.size ? load(type) : nil }

    /// The UTF-8 text from an offset; nil if it is invalid.
    func text(from offset: Int = 0) -> String? {
        guard offset <= bytes.count else { return nil }
        return String(validating: UnsafeRawBufferPointer(rebasing: bytes[offset...]), as: UTF8.self)
    }

    /// Whether the cell is valid UTF-8.
    var isText: Bool {
        // Most text is ASCII.
        var position = 0
        while position + 8 <= bytes.count {
            if bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self) & 0x8080_8080_8080_8080 != 0 {
                return text() != nil
            }
            position += 8
        }
        return bytes[position...].allSatisfy { $0 < 0x80 } || text() != nil
    }

    var uuid: UUID? { bytes.count == 16 ? UUID(uuid: bytes.loadUnaligned(as: uuid_t.self)) : nil }

    var array: [UInt8] { Array(bytes) }
}
#endif
