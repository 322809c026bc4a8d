#if MySQL
import CMariaDB
import Foundation
import TableKit
import TableSQL

/// The parameters of one statement in the library's form: one entry each, which points into a shared buffer.
final class ParameterBuffer {
    private var bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 4096, alignment: 16)
    private var used = 0
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
        used = 0
        starts.removeAll(keepingCapacity: true)
        reserve(parameters.count)
        for (number, parameter) in parameters.enumerated() {
            binds[number] = MYSQL_BIND()
            starts.append(used)
            guard case .value(let value, let type) = parameter else {
                throw SQLConnectionError(.statement, code: .unsupported, "MariaDB has no arrays.")
            }
            try encode(value, type, number)
        }
        // Set last: the buffer moves when it grows.
        for number in parameters.indices {
            binds[number].buffer = bytes.baseAddress.map { $0 + starts[number] }
            binds[number].length = lengths.baseAddress.map { $0 + number }
            binds[number].buffer_length = lengths[number]
        }
        return binds.baseAddress
    }

    /// The bytes of all values.
    var byteCount: Int { used }

    private func reserve(_ count: Int) {
        guard count > binds.count else { return }
        binds.deallocate()
        lengths.deallocate()
        binds = .allocate(capacity: count * 2)
        lengths = .allocate(capacity: count * 2)
    }

    private func encode(_ value: ColumnValue, _ type: ColumnType, _ number: Int) throws {
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
        bytes.deallocate()
        bytes = larger
    }
}
#endif
