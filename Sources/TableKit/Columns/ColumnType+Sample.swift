import struct Foundation.Date
import struct Foundation.UUID

extension ColumnType {
    /// A value of the type. All values of the type have its rank among values of other kinds.
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
