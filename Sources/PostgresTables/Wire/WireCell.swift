#if PostgreSQL
import Foundation

/// The bytes of one value, valid as long as its result. Every read checks the length.
struct WireCell {
    private let bytes: UnsafeRawBufferPointer

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

    var uuid: UUID? { bytes.count == 16 ? UUID(uuid: bytes.loadUnaligned(as: uuid_t.self)) : nil }

    var array: [UInt8] { Array(bytes) }
}
#endif
