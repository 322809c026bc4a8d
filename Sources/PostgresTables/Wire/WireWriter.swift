#if PostgreSQL
import Foundation
import TableKit
import TableSQL

/// Appends values in the server's binary format: big endian, without lengths.
struct WireWriter {
    private(set) var bytes: [UInt8] = []

    var count: Int { bytes.count }

    /// Removes the bytes; keeps the memory.
    mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

    mutating func append(_ value: some FixedWidthInteger) {
        withUnsafeBytes(of: value.bigEndian) { bytes.append(contentsOf: $0) }
    }

    /// Appends a value other than NULL.
    /// - Throws: ``SQLConnectionError`` with code `type` if the value does not fit the type.
    mutating func append(_ value: ColumnValue, _ type: ColumnType) throws {
        if try appendExact(value, type) { return }
        guard let fitting = value.fitting(type), try appendExact(fitting, type) else {
            throw SQLConnectionError(
                .statement, code: .type, "The value \(value) is no value of type \(type), or out of its range.")
        }
    }

    /// Appends a value of exactly this type.
    /// - Returns: false if the value has another type.
    private mutating func appendExact(_ value: ColumnValue, _ type: ColumnType) throws -> Bool {
        switch (value, type) {
        case (.integer(let value), _) where type.isInteger: return append(value, type.postgresType)
        case (.unsigned(let value), .uint64): appendNumeric(value)
        case (.real(let value), .double): append(value.bitPattern)
        case (.real(let value), .float): append(Float(value).bitPattern)
        case (.date(let value), .date): append(value.timeIntervalSinceReferenceDate.bitPattern)
        case (.bool(let value), .bool): bytes.append(value ? 1 : 0)
        case (.uuid(let value), .uuid): withUnsafeBytes(of: value.uuid) { bytes.append(contentsOf: $0) }
        case (.text(let value), .string), (.json(let value), .json), (.text(let value), .json):
            try append(text: value)
        case (.bytes(let value), .bytes): bytes.append(contentsOf: value)
        default: return false
        }
        return true
    }

    /// - Returns: false if the integer is out of the range of the server's type.
    private mutating func append(_ value: Int64, _ type: PostgresType) -> Bool {
        switch type {
        case .int2:
            guard let value = Int16(exactly: value) else { return false }
            append(value)
        case .int4:
            guard let value = Int32(exactly: value) else { return false }
            append(value)
        case .int8: append(value)
        default:
            guard let value = UInt64(exactly: value) else { return false }
            appendNumeric(value)
        }
        return true
    }

    private mutating func append(text: String) throws {
        let start = bytes.count
        bytes.append(contentsOf: text.utf8)
        // The server would refuse it too, but would abort the whole transaction.
        let hasNull = bytes.withUnsafeBytes { bytes in
            bytes.baseAddress.map { memchr($0 + start, 0, bytes.count - start) != nil } ?? false
        }
        if hasNull {
            throw SQLConnectionError(
                .statement, code: .type, "PostgreSQL stores no null character in text; store it as bytes.")
        }
    }

    /// Appends an array of one dimension.
    mutating func append(array values: [ColumnValue], _ type: ColumnType) throws {
        append(Int32(values.isEmpty ? 0 : 1))
        append(Int32(values.contains { $0.isNull } ? 1 : 0))
        append(type.postgresType.rawValue)
        guard !values.isEmpty else { return }
        append(Int32(values.count))
        append(Int32(1))  // the first index
        for value in values {
            guard !value.isNull else {
                append(Int32(-1))
                continue
            }
            let start = bytes.count
            append(Int32(0))
            try append(value, type)
            set(Int32(bytes.count - start - 4), at: start)
        }
    }

    /// Appends one column of encoded rows as an array of one dimension.
    mutating func append(_ rows: PackedRows, _ column: Int, _ range: Range<Int>) {
        let type = rows.slots[column].type
        append(Int32(1))
        let nulls = bytes.count
        append(Int32(0))
        append(type.postgresType.rawValue)
        append(Int32(range.count))
        append(Int32(1))  // the first index
        var hasNull = false
        rows.rows.bytes.withUnsafeBytes { all in
            for row in range {
                guard let cell = rows.cell(row, column, in: all) else {
                    hasNull = true
                    append(Int32(-1))
                    continue
                }
                append(cell, type)
            }
        }
        if hasNull { set(Int32(1), at: nulls) }
    }

    /// Appends a cell of a row, after its length.
    private mutating func append(_ cell: UnsafeRawBufferPointer, _ type: ColumnType) {
        switch type {
        case .int64, .double, .date: appendCell(cell.loadUnaligned(as: UInt64.self).byteSwapped)
        case .int32, .float: appendCell(cell.loadUnaligned(as: UInt32.self).byteSwapped)
        case .int16: appendCell(cell.loadUnaligned(as: UInt16.self).byteSwapped)
        case .int8, .uint8, .uint16, .uint32:
            let value = PackedRows.integer(cell, type) ?? 0
            switch type.postgresType {
            case .int2: appendCell(Int16(truncatingIfNeeded: value).bigEndian)
            case .int4: appendCell(Int32(truncatingIfNeeded: value).bigEndian)
            default: appendCell(value.bigEndian)
            }
        case .uint64:
            let start = bytes.count
            append(Int32(0))
            appendNumeric(UInt64(littleEndian: cell.loadUnaligned(as: UInt64.self)))
            set(Int32(bytes.count - start - 4), at: start)
        case .bool, .uuid, .string, .json, .bytes:
            append(Int32(truncatingIfNeeded: cell.count))
            bytes.append(contentsOf: cell)
        }
    }

    /// Appends a length and a number that is in the server's order already.
    private mutating func appendCell<T: FixedWidthInteger>(_ value: T) {
        append(Int32(MemoryLayout<T>.size))
        withUnsafeBytes(of: value) { bytes.append(contentsOf: $0) }
    }

    private mutating func set(_ value: Int32, at position: Int) {
        bytes.withUnsafeMutableBytes { $0.storeBytes(of: value.bigEndian, toByteOffset: position, as: Int32.self) }
    }
}
#endif
