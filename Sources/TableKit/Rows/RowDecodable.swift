/// A type that reads its columns by number, several times as fast as by `init(from:)`.
public protocol RowDecodable: Decodable {
    /// The names of the columns that ``init(row:)`` reads, in the order of their numbers. The default, nil, means the
    /// type's own columns in decoding order.
    static var rowColumns: [String]? { get }
    /// Reads the columns: `id = try row.value(0)`.
    init(row: borrowing Row) throws
}

extension RowDecodable {
    /// Nil: the type's own columns in decoding order.
    public static var rowColumns: [String]? { nil }
}
