/// The structure of a table: its name, columns and primary key. Created once for a type, or from the catalogue for SQL.
///
/// Queries and statements refer to columns by their index in ``columns``. An engine may cache data by the structure's
/// identity: the structure of a type is one object for the life of the process.
public final class TableStructure: Sendable {
    /// The name of the table.
    public let name: String
    /// The columns, in the type's decoding order.
    public let columns: [Column]
    /// The numbers of the primary key's columns. Empty: the table has none.
    public let primaryKey: [Int]
    /// The array properties that joins fill. They have no column.
    public let subTables: [SubTable]
    /// The layout of rows with exactly these columns. Its ``RowLayout/number`` is 0.
    public let layout: RowLayout

    private let numbers: [String: Int]

    /// A structure.
    public init(name: String, columns: [Column], primaryKey: [Int] = [], subTables: [SubTable] = []) {
        self.name = name
        self.columns = columns
        self.primaryKey = primaryKey
        self.subTables = subTables
        layout = RowLayout(number: 0, types: columns.map(\.type))
        numbers = Dictionary(columns.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// The number of the column with this name, or nil. O(1).
    public func number(of column: String) -> Int? { numbers[column] }
}

/// An array property of a table's type whose elements are rows of another table: `let phoneNumbers: [PhoneNumber]?`.
public struct SubTable: Sendable {
    /// The name of the property's coding key.
    public let property: String
    // A metatype is immutable. Only its conformance could be isolated, and decoding calls it from any thread.
    /// The type of the elements.
    nonisolated(unsafe) public let element: any Codable.Type

    /// A property.
    public init(property: String, element: any Codable.Type) {
        self.property = property
        unsafe self.element = element
    }
}
