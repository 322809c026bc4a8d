import Foundation

extension ColumnValue {
    /// The value as text for errors.
    package var readable: String {
        switch self {
        case .null: "NULL"
        case .bool(let value): "\(value)"
        case .integer(let value): "\(value)"
        case .unsigned(let value): "\(value)"
        case .real(let value): "\(value)"
        case .date(let value): ColumnDate.format(value)
        case .uuid(let value): value.uuidString
        case .text(let value), .json(let value): "\"\(value)\""
        case .bytes(let value): "\(value.count) bytes"
        }
    }
}
