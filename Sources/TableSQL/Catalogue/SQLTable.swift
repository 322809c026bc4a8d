package import TableKit

/// A table as the server's catalogue describes it.
package struct SQLTable: Sendable {
    /// Name, columns, key, indexes.
    package var info: TableInfo
    /// The hidden column that orders the rows of a table without a key.
    package var rowColumn: String?
    /// For each column, whether the server turns text that looks like a number into a number; empty if in none.
    package var makesNumbers: [Bool] = []
    /// The types of date columns that other programs have made, by the column's name.
    package var dateForms: [String: DateForm] = [:]
    /// The date and UUID columns in which another program has stored values of a form of its own, by name.
    package var foreignForms: Set<String> = []
    /// Whether rows can conflict in a unique index that the catalogue leaves out: one of a part of a column.
    package var hasOtherUniques = false
    /// The columns with a foreign key that the server does not enforce, by name: their table did not exist.
    package var unenforcedKeys: Set<String> = []
    /// The numbers of the columns among ``unenforcedKeys`` whose foreign key leads to no table, or to a table whose key is
    /// not one column. Rows with a value there are refused.
    package var refusedReferences: [Int] = []

    package init(info: TableInfo, rowColumn: String? = nil) {
        self.info = info
        self.rowColumn = rowColumn
    }

    package var structure: TableStructure { info.structure }

    /// The columns with a foreign key to a table.
    /// - Parameter isEnforced: whether the server enforces the foreign key.
    func columns(referringTo table: String, isEnforced: Bool) -> [Column] {
        structure.columns.filter {
            $0.foreignKey?.table == table && unenforcedKeys.contains($0.name) != isEnforced
        }
    }

    /// What the server tells about a column beyond the structure; nil for a plain column.
    func serverColumn(_ column: Int) -> ServerColumn? {
        info.serverColumns.isEmpty ? nil : info.serverColumns[structure.columns[column].name]
    }

    /// Whether the server computes a column, which therefore takes no value.
    func isGenerated(_ column: Int) -> Bool { serverColumn(column)?.isGenerated ?? false }

    /// Whether a column of a row cannot be NULL, as the server's catalogue says.
    func isNeverNull(_ column: Int) -> Bool {
        !structure.columns[column].isOptional || structure.primaryKey.contains(column)
    }

    /// Throws `type` if the values of a column cannot be read.
    func checkReadable(_ column: Int) throws {
        guard let server = serverColumn(column), !server.isReadable else { return }
        throw CRUDSQLExeError(
            "Values of the server's type \(server.typeName) cannot be read. Leave the property out, or change the "
                + "column's type to text.",
            code: .type, table: structure.name, column: structure.columns[column].name)
    }

    /// The name of the hidden column in tables without a key.
    package static let rowColumnName = "_silt_row"
}

/// A table in a query. Maps the columns of a structure to the columns of the table, by name.
package struct SQLSource: Sendable {
    package let structure: TableStructure
    package let table: SQLTable
    /// The table's name within the statement.
    package let alias: String
    /// For each column of the structure, its number in the table; nil if the table lacks it.
    package let places: [Int?]

    package init(_ structure: TableStructure, _ table: SQLTable, alias: String) {
        self.structure = structure
        self.table = table
        self.alias = alias
        places = structure.columns.map { table.structure.number(of: $0.name) }
    }

    /// The server's type of a column of the structure.
    package func type(_ column: Int) -> ColumnType {
        places[column].map { table.structure.columns[$0].type } ?? structure.columns[column].type
    }

    /// The type of a date column that another program has made; nil for other columns.
    package func dateForm(_ column: Int) -> DateForm? {
        table.dateForms.isEmpty ? nil : table.dateForms[structure.columns[column].name]
    }

    /// Throws `unsupported` for a date or a UUID of a column that holds another type or form, such as text. Such
    /// values are read, but they are not in the order of dates and UUIDs, and would not be in the form of the others.
    package func checkForm(of column: Int, _ value: ColumnValue) throws {
        switch value {
        case .date, .uuid: if !hasOwnForm(column) { throw foreignForm(column) }
        default: break
        }
    }

    /// Throws `unsupported` if a date or UUID column of the structure holds another type or form, which has no order.
    package func checkOrder(of column: Int) throws {
        let type = structure.columns[column].type
        if type == .date || type == .uuid, !hasOwnForm(column) { throw foreignForm(column) }
    }

    /// Whether a column holds values of the structure's type, as this library stores them.
    private func hasOwnForm(_ column: Int) -> Bool {
        type(column) == structure.columns[column].type && !hasForeignForm(column)
    }

    /// Whether another program has stored a column's dates or UUIDs in a form of its own.
    package func hasForeignForm(_ column: Int) -> Bool {
        !table.foreignForms.isEmpty && table.foreignForms.contains(structure.columns[column].name)
    }

    private func foreignForm(_ column: Int) -> CRUDSQLExeError {
        CRUDSQLExeError(
            "The database keeps this \(structure.columns[column].type) in another form, which can only be read. Make "
                + "the property a String, or copy the rows into a table that create() has made.",
            code: .unsupported, table: structure.name, column: structure.columns[column].name)
    }

    /// Throws `noColumn` if the table lacks one of these columns of the structure.
    package func check(_ columns: some Sequence<Int>) throws { try structure.check(columns, in: places) }

    /// Whether these columns of the structure contain the table's key. Nil: all columns.
    package func hasKey(in columns: [Int]?) -> Bool {
        let key = table.structure.primaryKey
        if key.isEmpty { return false }
        let present = columns ?? Array(places.indices)
        return key.allSatisfy { number in present.contains { places[$0] == number } }
    }

    /// How to read rows with the columns of the structure.
    package func shape() -> (layout: RowLayout, shape: RowShape) {
        let layout = RowLayout(number: 0, types: places.indices.map(type))
        let columns = zip(places, layout.slots).map { place, slot in
            place == nil ? ShapeColumn.missing : ShapeColumn.slot(slot)
        }
        return (layout, RowShape(structure, columns: [columns]))
    }
}
