#if MySQL
import TableKit

import struct Foundation.Date
import struct Foundation.UUID

/// A cell in the server's own type.
enum WireCell: CustomStringConvertible {
    case integer(Int64)
    /// Above `Int64.max`.
    case unsigned(UInt64)
    case real(Double)
    case text([UInt8])
    case bytes([UInt8])

    /// The cell as a value of a type; nil if it cannot be converted.
    func value(as type: ColumnType) -> ColumnValue? {
        switch (self, type) {
        case (.integer(let value), .string): .text("\(value)")
        case (.unsigned(let value), .string): .text("\(value)")
        case (.real(let value), .string): .text("\(value)")
        case (.integer(let value), _): ColumnValue.integer(value).fitting(type)
        case (.unsigned(let value), _): ColumnValue.unsigned(value).fitting(type)
        case (.real(let value), .float), (.real(let value), .double): .real(value)
        case (.real(let value), .date): .date(Date(timeIntervalSinceReferenceDate: value))
        case (.real(let value), _): ColumnValue.real(value).fitting(type)
        case (.bytes(let value), .bytes), (.text(let value), .bytes): .bytes(value)
        case (.bytes(let value), .uuid): ColumnValue.bytes(value).fitting(.uuid)
        // BIT, and results of functions without a collation.
        case (.bytes(let value), .string), (.text(let value), .string):
            String(validating: value, as: UTF8.self).map(ColumnValue.text)
        case (.bytes(let value), .json), (.text(let value), .json):
            String(validating: value, as: UTF8.self).map(ColumnValue.json)
        case (.bytes(let value), _), (.text(let value), _):
            String(validating: value, as: UTF8.self).flatMap { Self.parsed($0, type) }
        }
    }

    /// Parses text as a value of a type. Decimal numbers arrive as text.
    private static func parsed(_ text: String, _ type: ColumnType) -> ColumnValue? {
        if type.isInteger || type == .bool {
            let whole = text.firstIndex(of: ".").map { point in
                text[point...].dropFirst().allSatisfy { $0 == "0" } ? String(text[..<point]) : text
            }
            if let value = Int64(whole ?? text) { return ColumnValue.integer(value).fitting(type) }
            return UInt64(whole ?? text).flatMap { ColumnValue.unsigned($0).fitting(type) }
        }
        if type.isFloatingPoint { return Double(text).map { ColumnValue.real($0) } }
        return ColumnValue.text(text).fitting(type)
    }

    /// Whether the cell holds bytes that are no text.
    var isNoText: Bool {
        switch self {
        case .text(let value), .bytes(let value): String(validating: value, as: UTF8.self) == nil
        default: false
        }
    }

    var description: String {
        switch self {
        case .integer(let value): "\(value)"
        case .unsigned(let value): "\(value)"
        case .real(let value): "\(value)"
        case .text(let value): String(decoding: value.prefix(100), as: UTF8.self)
        case .bytes(let value): "of \(value.count) bytes"
        }
    }
}
#endif
