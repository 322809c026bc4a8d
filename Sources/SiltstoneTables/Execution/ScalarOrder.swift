import Foundation
import TableKit

/// Maps the values of fixed columns of at most eight bytes to integers of the same order, for one comparison.
///
/// -0.0 maps to 0, and all NaNs to one number above infinity.
enum ScalarOrder {
    /// True if the values of a type can be mapped.
    static func covers(_ type: ColumnType) -> Bool { type.fixedWidth.map { $0 <= 8 } ?? false }

    /// The number of a value; nil for NULL and for kinds that are not covered.
    static func number(_ value: ColumnValue) -> Int64? {
        switch value {
        case .bool(let value): value ? 1 : 0
        case .integer(let value): value
        case .real(let value): number(value)
        case .date(let value): number(value.timeIntervalSinceReferenceDate)
        default: nil
        }
    }

    /// The number of a value in a column of this type.
    static func number(_ value: ColumnValue, _ type: ColumnType) -> Int64? {
        guard type == .uint64 else { return number(value) }
        return switch value {
        case .integer(let value): value ^ .min
        case .unsigned(let value): Int64(bitPattern: value) ^ .min
        default: nil
        }
    }

    @inline(__always)
    static func number(_ value: Double) -> Int64 {
        if value == 0 { return 0 }
        if value.isNaN { return .max }
        let bits = Int64(bitPattern: value.bitPattern)
        return bits >= 0 ? bits : bits ^ .max
    }

    /// The number of the stored value at an address.
    @inline(__always)
    static func load(_ type: ColumnType, _ place: UnsafeRawPointer) -> Int64 {
        switch type {
        case .bool: unsafe place.load(as: UInt8.self) != 0 ? 1 : 0
        case .int8: unsafe Int64(place.load(as: Int8.self))
        case .uint8: unsafe Int64(place.load(as: UInt8.self))
        case .int16: unsafe Int64(Int16(littleEndian: place.loadUnaligned(as: Int16.self)))
        case .uint16: unsafe Int64(UInt16(littleEndian: place.loadUnaligned(as: UInt16.self)))
        case .int32: unsafe Int64(Int32(littleEndian: place.loadUnaligned(as: Int32.self)))
        case .uint32: unsafe Int64(UInt32(littleEndian: place.loadUnaligned(as: UInt32.self)))
        case .int64: unsafe Int64(littleEndian: place.loadUnaligned(as: Int64.self))
        case .uint64: unsafe Int64(littleEndian: place.loadUnaligned(as: Int64.self)) ^ .min
        case .float:
            unsafe number(Double(Float(bitPattern: UInt32(littleEndian: place.loadUnaligned(as: UInt32.self)))))
        case .double, .date:
            unsafe number(Double(bitPattern: UInt64(littleEndian: place.loadUnaligned(as: UInt64.self))))
        case .uuid, .string, .bytes, .json: 0
        }
    }
}
