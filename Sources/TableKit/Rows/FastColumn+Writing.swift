import Foundation

extension FastColumn {
    /// Writes the value into a column.
    /// - Throws: ``CRUDEncoderError`` if the value does not fit the column's type.
    @inline(__always)
    func write(_ writer: RowWriter, _ number: Int) throws {
        if writer.takes(Self.columnType, number) {
            store(writer, number)
        } else {
            try writer.set(number, columnValue)
        }
    }
}

extension FastColumn where Self: FixedWidthInteger & BitwiseCopyable {
    @inline(__always)
    func store(_ writer: RowWriter, _ number: Int) { writer.setFixed(number, littleEndian) }
}

extension Bool {
    @inline(__always)
    func store(_ writer: RowWriter, _ number: Int) { writer.setFixed(number, self ? 1 as UInt8 : 0) }
}

extension Double {
    @inline(__always)
    func store(_ writer: RowWriter, _ number: Int) { writer.setFixed(number, bitPattern.littleEndian) }
}

extension Float {
    @inline(__always)
    func store(_ writer: RowWriter, _ number: Int) { writer.setFixed(number, bitPattern.littleEndian) }
}

extension Date {
    @inline(__always)
    func store(_ writer: RowWriter, _ number: Int) { timeIntervalSinceReferenceDate.store(writer, number) }
}

extension UUID {
    @inline(__always)
    func store(_ writer: RowWriter, _ number: Int) { writer.setFixed(number, uuid) }
}

extension String {
    @inline(__always)
    func store(_ writer: RowWriter, _ number: Int) {
        let isStored: Void? = unsafe utf8.withContiguousStorageIfAvailable {
            unsafe writer.setBytes(number, UnsafeRawBufferPointer($0))
        }
        if isStored != nil { return }
        // Copies a bridged string, which has no contiguous UTF-8.
        var text = self
        text.withUTF8 { unsafe writer.setBytes(number, UnsafeRawBufferPointer($0)) }
    }
}

extension URL {
    func store(_ writer: RowWriter, _ number: Int) { absoluteString.store(writer, number) }
}

extension Data {
    func store(_ writer: RowWriter, _ number: Int) {
        unsafe withUnsafeBytes { unsafe writer.setBytes(number, $0) }
    }
}

extension Array where Element: ByteColumn & Decodable {
    func store(_ writer: RowWriter, _ number: Int) {
        // Signed and unsigned bytes have the same representation.
        unsafe withUnsafeBytes { unsafe writer.setBytes(number, $0) }
    }
}

extension ColumnType {
    /// Writes a value into a column of this type. The value must be of the type's own case.
    func store(_ value: ColumnValue, _ writer: RowWriter, _ number: Int) throws {
        switch (self, value) {
        case (_, .null): try writer.setNull(number)
        case (.bool, .bool(let value)): value.store(writer, number)
        case (.int8, .integer(let value)): Int8(truncatingIfNeeded: value).store(writer, number)
        case (.int16, .integer(let value)): Int16(truncatingIfNeeded: value).store(writer, number)
        case (.int32, .integer(let value)): Int32(truncatingIfNeeded: value).store(writer, number)
        case (.int64, .integer(let value)): value.store(writer, number)
        case (.uint8, .integer(let value)): UInt8(truncatingIfNeeded: value).store(writer, number)
        case (.uint16, .integer(let value)): UInt16(truncatingIfNeeded: value).store(writer, number)
        case (.uint32, .integer(let value)): UInt32(truncatingIfNeeded: value).store(writer, number)
        case (.uint64, .integer(let value)): UInt64(truncatingIfNeeded: value).store(writer, number)
        case (.uint64, .unsigned(let value)): value.store(writer, number)
        case (.float, .real(let value)): Float(value).store(writer, number)
        case (.double, .real(let value)): value.store(writer, number)
        case (.date, .date(let value)): value.store(writer, number)
        case (.uuid, .uuid(let value)): value.store(writer, number)
        case (.string, .text(let value)), (.json, .json(let value)): value.store(writer, number)
        case (.bytes, .bytes(let value)): value.store(writer, number)
        default: throw writer.unsupported(number)
        }
    }
}
