/// A type that reads its columns from a row by number, several times as fast as by `init(from:)`.
public protocol RowDecodable: Decodable {
    /// The names of the columns that ``init(row:)`` reads, in the order of its numbers. Nil, the default: the type's own
    /// columns in the order in which it decodes them.
    static var rowColumns: [String]? { get }
    /// Reads the columns: `id = try row.value(0)`.
    init(row: borrowing Row) throws
}

extension RowDecodable {
    /// Nil: the type's own columns.
    public static var rowColumns: [String]? { nil }
}
