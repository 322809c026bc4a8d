#if PostgreSQL
import Foundation
import TableKit

/// Decodes one column of a result into values of a requested type.
struct CellDecoder {
    /// The server's binary formats.
    private enum Form {
        case bool, int2, int4, int8, oid, float4, float8, numeric, uuid, text, jsonb, bytea, timestamp, day
    }

    private let form: Form
    private let type: ColumnType
    /// Whether every value of the format is a value of the type, without a range check.
    private let isDirect: Bool

    /// Nil if the server's type cannot be read as the requested one.
    init?(_ source: PostgresType, as type: ColumnType) {
        guard let form = Self.form(of: source, type) else { return nil }
        self.form = form
        self.type = type
        isDirect =
            switch (form, type) {
            case (.bool, .bool), (.uuid, .uuid), (.bytea, .bytes): true
            case (.text, .string), (.text, .json), (.jsonb, .json): true
            case (.int2, .int16), (.int2, .int32), (.int2, .int64): true
            case (.int4, .int32), (.int4, .int64), (.int8, .int64): true
            case (.float4, .float), (.float4, .double), (.float8, .double): true
            case (.float8, .date), (.timestamp, .date), (.day, .date): true
            default: false
            }
    }

    private static func form(of source: PostgresType, _ type: ColumnType) -> Form? {
        switch source {
        case .bool: .bool
        case .int2: .int2
        case .int4: .int4
        case .int8: .int8
        case .oid: .oid
        case .float4: .float4
        case .float8: .float8
        case .numeric: .numeric
        case .uuid: .uuid
        case .text, .varchar, .bpchar, .name, .json, .unknown: .text
        case .jsonb: .jsonb
        case .bytea: .bytea
        case .timestamp, .timestamptz: .timestamp
        case .date: .day
        default: source.isUserDefined && (type == .string || type == .json) ? .text : nil
        }
    }

    /// The value of a cell that is not NULL; nil if it is malformed or out of the type's range.
    func decode(_ cell: WireCell) -> ColumnValue? {
        guard let value = natural(cell) else { return nil }
        return isDirect ? value : Self.fit(value, type)
    }

    /// Copies a cell that is not NULL into a row.
    /// - Parameter slot: the place of a column of the decoder's type.
    /// - Returns: false if the cell is malformed or out of the type's range.
    func store(_ cell: WireCell, _ row: RowAssembler, _ slot: RowSlot) throws -> Bool {
        switch (form, type) {
        case (.int8, .int64), (.float8, .double), (.float8, .date):
            guard let bits = cell.only(UInt64.self) else { return false }
            row.setFixed(slot, bits)
        case (.int4, .int32):
            guard let bits = cell.only(UInt32.self) else { return false }
            row.setFixed(slot, bits)
        case (.text, .string), (.text, .json):
            guard cell.isText else { return false }
            row.setBytes(slot, cell.bytes)
        case (.bytea, .bytes): row.setBytes(slot, cell.bytes)
        default:
            guard let value = decode(cell) else { return false }
            try row.set(slot, value)
        }
        return true
    }

    private static func fit(_ value: ColumnValue, _ type: ColumnType) -> ColumnValue? {
        if case .text(let text) = value {
            // A text column may hold a number.
            if type.isInteger {
                return (Int64(text).map(ColumnValue.integer) ?? UInt64(text).map(ColumnValue.init))?.fitting(type)
            }
            if type.isFloatingPoint { return Double(text).map(ColumnValue.real)?.fitting(type) }
            if type == .json { return .json(text) }
        }
        return value.fitting(type)
    }

    /// The value in the case closest to the format.
    private func natural(_ cell: WireCell) -> ColumnValue? {
        switch form {
        case .bool: cell.only(UInt8.self).map { .bool($0 != 0) }
        case .int2: cell.only(Int16.self).map { .integer(Int64($0)) }
        case .int4: cell.only(Int32.self).map { .integer(Int64($0)) }
        case .int8: cell.only(Int64.self).map { .integer($0) }
        case .oid: cell.only(UInt32.self).map { .integer(Int64($0)) }
        case .float4: cell.only(UInt32.self).map { .real(Double(Float(bitPattern: $0))) }
        case .float8: cell.only(UInt64.self).map { real(Double(bitPattern: $0)) }
        case .numeric: WireNumeric(cell).flatMap(number)
        case .uuid: cell.uuid.map { .uuid($0) }
        case .text: cell.text().map { type == .json ? .json($0) : .text($0) }
        // The first byte is the version of the format.
        case .jsonb: cell.load(UInt8.self) == 1 ? cell.text(from: 1).map { .json($0) } : nil
        case .bytea: .bytes(cell.array)
        case .timestamp: cell.only(Int64.self).map { .date(Self.date(microseconds: $0)) }
        case .day: cell.only(Int32.self).map { .date(Self.date(days: $0)) }
        }
    }

    private func real(_ value: Double) -> ColumnValue {
        type == .date ? .date(Date(timeIntervalSinceReferenceDate: value)) : .real(value)
    }

    private func number(_ numeric: WireNumeric) -> ColumnValue? {
        if type.isInteger || type == .bool {
            return numeric.integer.map(ColumnValue.integer) ?? numeric.unsigned.map { ColumnValue($0) }
        }
        return type == .string ? .text(numeric.text) : .real(numeric.real)
    }

    // MARK: Dates

    /// Days from the server's epoch, 2000-01-01, to the reference date, 2001-01-01.
    private static let epochDays = 366
    private static let daySeconds = 86_400

    private static func date(microseconds: Int64) -> Date {
        switch microseconds {
        case .max: return Date(timeIntervalSinceReferenceDate: .infinity)
        case .min: return Date(timeIntervalSinceReferenceDate: -.infinity)
        default:
            // Cannot overflow: the server's dates end far before Int64's range.
            let difference = microseconds &- Int64(epochDays * daySeconds * 1_000_000)
            return Date(timeIntervalSinceReferenceDate: Double(difference) / 1_000_000)
        }
    }

    private static func date(days: Int32) -> Date {
        switch days {
        case .max: Date(timeIntervalSinceReferenceDate: .infinity)
        case .min: Date(timeIntervalSinceReferenceDate: -.infinity)
        default: Date(timeIntervalSinceReferenceDate: Double((Int(days) - epochDays) * daySeconds))
        }
    }
}
#endif
