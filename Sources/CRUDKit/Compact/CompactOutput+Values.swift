import Foundation

/// Values with a form of their own in the encoding.
extension CompactOutput {
    func writeNull() { write(byte: CompactTag.null) }

    @inline(__always)
    func write(_ value: Bool) { write(byte: value ? CompactTag.true : CompactTag.false) }

    @inline(__always)
    func write(_ value: some FixedWidthInteger & SignedInteger) {
        let value = Int64(truncatingIfNeeded: value)
        if value >= 0 { return write(UInt64(bitPattern: value)) }
        write(byte: CompactTag.negative)
        write(varint: UInt64(bitPattern: ~value))
    }

    @inline(__always)
    func write(_ value: some FixedWidthInteger & UnsignedInteger) {
        let value = UInt64(truncatingIfNeeded: value)
        if value <= UInt64(CompactTag.lastSmallInteger) { return write(byte: UInt8(truncatingIfNeeded: value)) }
        write(byte: CompactTag.unsigned)
        write(varint: value)
    }

    func write(_ value: Int128) {
        if let value = Int64(exactly: value) { return write(value) }
        if let value = UInt64(exactly: value) { return write(value) }
        write(byte: CompactTag.signed128)
        write(integer: value)
    }

    func write(_ value: UInt128) {
        if let value = UInt64(exactly: value) { return write(value) }
        write(byte: CompactTag.unsigned128)
        write(integer: value)
    }

    @inline(__always)
    func write(_ value: Float) {
        write(byte: CompactTag.float)
        write(integer: value.bitPattern)
    }

    @inline(__always)
    func write(_ value: Double) {
        write(byte: CompactTag.double)
        write(integer: value.bitPattern)
    }

    @inline(__always)
    func write(_ value: String) {
        let done: Void? = unsafe value.utf8.withContiguousStorageIfAvailable {
            unsafe writeString(UnsafeRawBufferPointer($0))
        }
        if done == nil {
            var copy = value
            copy.withUTF8 { unsafe writeString(UnsafeRawBufferPointer($0)) }
        }
    }

    @inline(__always)
    private func writeString(_ bytes: UnsafeRawBufferPointer) {
        let count = bytes.count
        if count <= Int(CompactTag.lastShortString - CompactTag.firstShortString) {
            write(byte: CompactTag.firstShortString + UInt8(truncatingIfNeeded: count))
        } else {
            write(byte: CompactTag.string)
            write(varint: UInt64(count))
        }
        unsafe write(bytes)
    }

    func write(_ value: [UInt8]) {
        unsafe value.withUnsafeBytes { unsafe writeBytes($0) }
    }

    func write(_ value: Data) {
        unsafe value.withUnsafeBytes { unsafe writeBytes($0) }
    }

    private func writeBytes(_ bytes: UnsafeRawBufferPointer) {
        write(byte: CompactTag.bytes)
        write(varint: UInt64(bytes.count))
        unsafe write(bytes)
    }

    func write(_ value: UUID) {
        write(byte: CompactTag.uuid)
        unsafe withUnsafeBytes(of: value.uuid) { unsafe write($0) }
    }
}
