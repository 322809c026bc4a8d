import struct Foundation.Date
import struct Foundation.UUID

extension ColumnType {
    /// A value of the type, whose place among values of other kinds is that of all of its values.
    package var sample: ColumnValue {
        switch self {
        case .bool: .bool(false)
        case .float, .double: .real(0)
        case .date: .date(Date(timeIntervalSinceReferenceDate: 0))
        case .uuid: .uuid(UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)))
        case .string: .text("")
        case .bytes: .bytes([])
        case .json: .json("null")
        default: .integer(0)
        }
    }
}
