#if PostgreSQL
import TableKit

/// A type of the server, by object identifier. Built-in types have fixed ones.
struct PostgresType: RawRepresentable, Hashable, Sendable {
    let rawValue: UInt32

    init(rawValue: UInt32) { self.rawValue = rawValue }
    private init(_ rawValue: UInt32) { self.rawValue = rawValue }

    static let bool = PostgresType(16)
    static let bytea = PostgresType(17)
    static let name = PostgresType(19)
    static let int8 = PostgresType(20)
    static let int2 = PostgresType(21)
    static let int4 = PostgresType(23)
    static let text = PostgresType(25)
    static let oid = PostgresType(26)
    static let json = PostgresType(114)
    static let float4 = PostgresType(700)
    static let float8 = PostgresType(701)
    static let unknown = PostgresType(705)
    static let bpchar = PostgresType(1042)
    static let varchar = PostgresType(1043)
    static let date = PostgresType(1082)
    static let timestamp = PostgresType(1114)
    static let timestamptz = PostgresType(1184)
    static let numeric = PostgresType(1700)
    static let uuid = PostgresType(2950)
    static let jsonb = PostgresType(3802)

    /// Whether a user or an extension defined the type. Enumerations and `citext` are sent as text.
    var isUserDefined: Bool { rawValue >= 16_384 }

    /// The array type of a column type.
    var array: PostgresType {
        switch self {
        case .bool: PostgresType(1000)
        case .bytea: PostgresType(1001)
        case .int2: PostgresType(1005)
        case .int4: PostgresType(1007)
        case .int8: PostgresType(1016)
        case .float4: PostgresType(1021)
        case .float8: PostgresType(1022)
        case .numeric: PostgresType(1231)
        case .uuid: PostgresType(2951)
        default: PostgresType(1009)
        }
    }
}

extension ColumnType {
    /// The server's type of a column, as `PostgresDialect` names it.
    var postgresType: PostgresType {
        switch self {
        case .bool: .bool
        case .int8, .int16, .uint8: .int2
        case .int32, .uint16: .int4
        case .int64, .uint32: .int8
        case .uint64: .numeric
        case .float: .float4
        case .double, .date: .float8
        case .uuid: .uuid
        case .string, .json: .text
        case .bytes: .bytea
        }
    }
}
#endif
