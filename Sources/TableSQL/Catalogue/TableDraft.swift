import TableKit

/// Collects one table's rows of the catalogue.
struct TableDraft {
    struct DraftColumn {
        var name: String
        var type: ColumnType
        var isOptional: Bool
        /// The default as the server writes it; nil if there is none.
        var defaultText: String?
        var foreignKey: ForeignKeyReference?
        var dateForm: DateForm?
    }

    private struct DraftIndex {
        var name: String
        var columns: [String]
        var isUnique: Bool
        var isReady: Bool
    }

    let name: String
    var columns: [DraftColumn] = []
    var rows = 0
    var bytes = 0
    /// The names of the key's columns.
    var key: [String] = []
    private var indexes: [DraftIndex] = []

    init(name: String) { self.name = name }

    /// Adds a column to an index. The columns of one index must come one after the other.
    mutating func add(index: String, column: String, isUnique: Bool, isReady: Bool = true) {
        if indexes.last?.name == index {
            indexes[indexes.count - 1].columns.append(column)
        } else {
            indexes.append(DraftIndex(name: index, columns: [column], isUnique: isUnique, isReady: isReady))
        }
    }

    /// Builds the table. The server computes the values of the defaults, in one query.
    /// - Parameter expression: the SQL expression of a column's default; nil if the column has none.
    func table(
        _ connection: any SQLConnection, default expression: (DraftColumn) -> String?
    ) throws -> SQLTable {
        let values = try defaults(connection, expression)
        let visible = columns.filter { $0.name != SQLTable.rowColumnName }
        let structure = TableStructure(
            name: name,
            columns: visible.map { column in
                Column(
                    column.name, column.type, isOptional: column.isOptional, defaultValue: values[column.name],
                    foreignKey: column.foreignKey)
            }, primaryKey: key.compactMap { name in visible.firstIndex { $0.name == name } })
        let infos = indexes.map { index in
            IndexInfo(
                IndexDefinition(table: name, columns: index.columns, isUnique: index.isUnique, name: index.name),
                state: index.isReady ? .ready : .building(0), estimatedEntries: rows)
        }
        var table = SQLTable(
            info: TableInfo(structure: structure, indexes: infos, estimatedRows: rows, estimatedBytes: bytes),
            rowColumn: columns.contains { $0.name == SQLTable.rowColumnName } ? SQLTable.rowColumnName : nil)
        for column in columns where column.type == .date { table.dateForms[column.name] = column.dateForm }
        return table
    }

    private func defaults(
        _ connection: any SQLConnection, _ expression: (DraftColumn) -> String?
    ) throws -> [String: ColumnValue] {
        let wanted = columns.compactMap { column in expression(column).map { (column, $0) } }
        if wanted.isEmpty { return [:] }
        let statement = SQLStatement(
            "SELECT " + wanted.map(\.1).joined(separator: ", "), results: wanted.map(\.0.type), isRepeated: false)
        let row = try connection.execute(statement).rows.first ?? []
        return Dictionary(zip(wanted.map(\.0.name), row)) { first, _ in first }
    }
}
