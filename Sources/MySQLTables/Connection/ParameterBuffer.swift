#if MySQL
import CMariaDB
import Foundation
import TableKit
import TableSQL

/// The parameters of one statement in the library's form: one entry each, which points into a shared buffer.
final class ParameterBuffer {
    private var bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 4096, alignment: 16)
    private var used = 0
    /// Changes when the memory moves: earlier entries are no longer valid.
    private(set) var place = 0
    private var binds = UnsafeMutableBufferPointer<MYSQL_BIND>.allocate(capacity: 64)
    private var lengths = UnsafeMutableBufferPointer<UInt>.allocate(capacity: 64)
    /// The offset of each parameter's value.
    private var starts: [Int] = []

    deinit {
        bytes.deallocate()
        binds.deallocate()
        lengths.deallocate()
    }

    /// Encodes parameters, replacing earlier ones.
    /// - Returns: the entries, valid until the next call.
    /// - Throws: ``SQLConnectionError`` if a value does not fit its type.
    func encode(_ parameters: [SQLStatement.Parameter]) throws -> UnsafeMutablePointer<MYSQL_BIND>? {
        if case .rows(let rows, let range)? = parameters.first, parameters.count == 1 { return encode(rows, range) }
        begin(parameters.count)
        for (number, parameter) in parameters.enumerated() {
            guard case .value(let value, let type) = parameter else {
                throw SQLConnectionError(.statement, code: .unsupported, "MariaDB has no arrays.")
            }
            try encode(value, type, number)
        }
        return entries(parameters.count)
    }

    /// Lets the entries point to their values. Last, because the buffer moves when it grows.
    private func entries(_ count: Int) -> UnsafeMutablePointer<MYSQL_BIND>? {
        for number in 0..<count {
            binds[number].buffer = bytes.baseAddress.map { $0 + starts[number] }
            binds[number].length = lengths.baseAddress.map { $0 + number }
            binds[number].buffer_length = lengths[number]
        }
        return binds.baseAddress
    }

    /// Copies encoded rows as they are; the entries point into them.
    private func encode(_ rows: PackedRows, _ range: Range<Int>) -> UnsafeMutablePointer<MYSQL_BIND>? {
        reserve(range.count * rows.slots.count)
        used = 0
        let part = rows.bytes(of: range)
        grow(part.count)
        used = part.count
        let blanks = rows.slots.map { Self.blank($0.type) }
        var number = 0
        rows.rows.bytes.withUnsafeBytes { source in
            bytes.copyMemory(from: UnsafeRawBufferPointer(rebasing: source[part]))
            for row in range {
                for column in blanks.indices {
                    binds[number] = blanks[column]
                    lengths[number] = 0
                    if let cell = rows.cell(row, column, in: source), let start = cell.baseAddress,
                        let first = source.baseAddress, let copy = bytes.baseAddress
                    {
                        binds[number].buffer = copy + (start - first - part.lowerBound)
                        binds[number].buffer_length = UInt(cell.count)
                        lengths[number] = UInt(cell.count)
                    } else {
                        binds[number].buffer_type = MYSQL_TYPE_NULL
                    }
                    binds[number].length = lengths.baseAddress.map { $0 + number }
                    number += 1
                }
            }
        }
        return binds.baseAddress
    }

    /// The entry of a column without its value.
    private static func blank(_ type: ColumnType) -> MYSQL_BIND {
        var bind = MYSQL_BIND()
        bind.buffer_type =
            switch type {
            case .bool, .int8, .uint8: MYSQL_TYPE_TINY
            case .int16, .uint16: MYSQL_TYPE_SHORT
            case .int32, .uint32: MYSQL_TYPE_LONG
            case .int64, .uint64: MYSQL_TYPE_LONGLONG
            case .float: MYSQL_TYPE_FLOAT
            case .double, .date: MYSQL_TYPE_DOUBLE
            case .string, .json: MYSQL_TYPE_STRING
            case .bytes, .uuid: MYSQL_TYPE_BLOB
            }
        switch type {
        case .uint8, .uint16, .uint32, .uint64: bind.is_unsigned = 1
        default: break
        }
        return bind
    }

    /// Encodes a key, replacing earlier parameters. Like the form for parameters.
    func encode(_ key: [ColumnValue], _ types: [ColumnType]) throws -> UnsafeMutablePointer<MYSQL_BIND>? {
        begin(key.count)
        for number in key.indices { try encode(key[number], types[number], number) }
        return entries(key.count)
    }

    /// Replaces the first value, which must be an integer.
    func replaceFirst(_ value: Int64) {
        bytes.storeBytes(of: value, as: Int64.self)
        lengths[0] = 8
    }

    /// The bytes of all values.
    var byteCount: Int { used }

    /// Drops earlier parameters, and makes entries for new ones.
    private func begin(_ count: Int) {
        used = 0
        starts.removeAll(keepingCapacity: true)
        reserve(count)
    }

    private func reserve(_ count: Int) {
        guard count > binds.count else { return }
        place += 1
        binds.deallocate()
        lengths.deallocate()
        binds = .allocate(capacity: count * 2)
        lengths = .allocate(capacity: count * 2)
    }

    private func encode(_ value: ColumnValue, _ type: ColumnType, _ number: Int) throws {
        binds[number] = MYSQL_BIND()
        starts.append(used)
        switch value {
        case .null: set(number, MYSQL_TYPE_NULL, 0)
        case .bool(let value): integer(Int64(value ? 1 : 0), number)
        case .integer(let value) where type.isFloatingPoint: real(Double(value), number)
        case .integer(let value): integer(value, number)
        case .unsigned(let value):
            integer(Int64(bitPattern: value), number)
            binds[number].is_unsigned = 1
        case .real(let value): real(value, number)
        case .date(let value): real(value.timeIntervalSinceReferenceDate, number)
        case .uuid(let value): append(value.bytes, MYSQL_TYPE_BLOB, number)
        case .bytes(let value): append(value, MYSQL_TYPE_BLOB, number)
        case .text(let value), .json(let value):
            var value = value
            value.withUTF8 { append($0, MYSQL_TYPE_STRING, number) }
        }
        if !value.isNull, !Self.fits(value, type) {
            throw SQLConnectionError(.statement, code: .type, "The value \(value) is no value of type \(type).")
        }
    }

    /// Whether a value can be sent as a type. Refuses values that the server would convert by rules of its own.
    private static func fits(_ value: ColumnValue, _ type: ColumnType) -> Bool {
        switch value {
        case .null: true
        case .bool: type == .bool
        case .integer, .unsigned:
            type.isFloatingPoint || (type.isInteger && value.fitting(type) != nil)
        case .real(let value): type.isFloatingPoint && value.isFinite
        case .date(let value): type == .date && value.timeIntervalSinceReferenceDate.isFinite
        case .uuid: type == .uuid
        case .bytes: type == .bytes
        case .text, .json: type == .string || type == .json
        }
    }

    private func set(_ number: Int, _ type: enum_field_types, _ length: Int) {
        binds[number].buffer_type = type
        lengths[number] = UInt(length)
        used += length
    }

    private func integer(_ value: Int64, _ number: Int) {
        grow(8)
        bytes.storeBytes(of: value, toByteOffset: used, as: Int64.self)
        set(number, MYSQL_TYPE_LONGLONG, 8)
    }

    private func real(_ value: Double, _ number: Int) {
        grow(8)
        bytes.storeBytes(of: value, toByteOffset: used, as: Double.self)
        set(number, MYSQL_TYPE_DOUBLE, 8)
    }

    private func append(_ value: some Collection<UInt8>, _ type: enum_field_types, _ number: Int) {
        grow(value.count)
        UnsafeMutableRawBufferPointer(rebasing: bytes[used...]).copyBytes(from: value)
        set(number, type, value.count)
    }

    private func grow(_ count: Int) {
        guard used + count > bytes.count else { return }
        let larger = UnsafeMutableRawBufferPointer.allocate(
            byteCount: max(bytes.count * 2, used + count), alignment: 16)
        larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[..<used]))
        place += 1
        bytes.deallocate()
        bytes = larger
    }
}
#endif
