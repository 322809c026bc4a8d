import Foundation

extension ColumnValue {
    /// Converts the value to a column's type by SQL's loose rules: as ``fitting(_:)``, also text to numbers and bools,
    /// and numbers, bools, UUIDs and dates to text. Returns nil if it does not fit.
    package func coerced(to type: ColumnType) -> ColumnValue? {
        if let value = fitting(type) { return value }
        switch (self, type) {
        case (.text(let text), _) where type.isInteger || type.isFloatingPoint:
            return ColumnValue(number: text)?.fitting(type)
        case (.text(let text), .bool):
            return switch text.lowercased() {
            case "true", "1": .bool(true)
            case "false", "0": .bool(false)
            default: nil
            }
        case (.integer(let number), .string): return .text(String(number))
        case (.unsigned(let number), .string): return .text(String(number))
        case (.real(let number), .string): return .text(String(number))
        case (.bool(let value), .string): return .text(value ? "1" : "0")
        case (.uuid(let value), .string): return .text(value.uuidString)
        case (.date(let value), .string): return .text(ColumnDate.format(value))
        default: return nil
        }
    }

    /// Parses a number.
    private init?(number text: String) {
        if let value = Int64(text) {
            self = .integer(value)
        } else if let value = UInt64(text) {
            self = .unsigned(value)
        } else if let value = Double(text) {
            self = .real(value)
        } else {
            return nil
        }
    }
}
