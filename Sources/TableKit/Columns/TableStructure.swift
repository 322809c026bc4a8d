/// The structure of a table: its name, columns and key. Made once for a type, or from the catalogue for SQL.
///
/// Queries and statements name columns by their number in ``columns``. An engine may keep what it derives from a structure
/// by the structure's identity: the structure of a type is one object for the life of the process.
public final class TableStructure: Sendable {
    /// The name of the table.
    public let name: String
    /// The columns, in the order in which the type decodes them.
    public let columns: [Column]
    /// The numbers of the key's columns. Empty: the table has no key.
    public let primaryKey: [Int]
    /// The array properties that joins fill. They have no column.
    public let subTables: [SubTable]
    /// How rows of exactly these columns are laid out: ``RowLayout/number`` is 0, the catalogue knows others.
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

    /// The number of the column of a name, if there is one. O(1).
    public func number(of column: String) -> Int? { numbers[column] }
}

/// An array property of a table's type whose elements are rows of another table: `let phoneNumbers: [PhoneNumber]?`.
public struct SubTable: Sendable {
    /// The name of the property: that of its coding key.
    public let property: String
    // A metatype is immutable; only its conformance could be isolated, and decoding calls it from anywhere.
    /// The type of the elements.
    nonisolated(unsafe) public let element: any Codable.Type

    /// A property.
    public init(property: String, element: any Codable.Type) {
        self.property = property
        unsafe self.element = element
    }
}
