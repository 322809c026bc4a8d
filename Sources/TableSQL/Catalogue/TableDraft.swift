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
        /// What else the server tells; without the default.
        var server: ServerColumn
        /// Whether values of the column's type can surely be read, and so its default, too.
        var isKnown = true
        /// Whether a note alone tells the foreign key.
        var isUnenforced = false

        /// Whether the default is a constant, which can be computed while the catalogue is read.
        var hasConstant: Bool {
            isKnown && !server.isGenerated && defaultText.map { ConstantDefault.isConstant($0) } ?? false
        }

        /// What the server tells beyond the structure.
        /// - Parameter value: the constant default; nil if there is none.
        func serverColumn(_ value: ColumnValue?) -> ServerColumn {
            var column = server
            if !server.isGenerated, value == nil { column.computedDefault = defaultText }
            return column
        }
    }

    private struct DraftIndex {
        var name: String
        var columns: [String]
        var isUnique: Bool
        var isReady: Bool
        /// The characters or bytes of a column that the index holds, for those of which it holds a part.
        var prefixes: [String: Int] = [:]
        /// Whether the index is none of whole columns. The catalogue leaves it out.
        var isPartial = false
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

    /// Leaves the index out to which a column was added last.
    mutating func leaveOutLastIndex() { indexes[indexes.count - 1].isPartial = true }

    /// Says that the index holds only a part of the column that was added last.
    mutating func setPrefix(_ length: Int) {
        guard let column = indexes.last?.columns.last else { return }
        indexes[indexes.count - 1].prefixes[column] = length
    }

    /// Leaves out MariaDB's indexes of parts of columns, but plain ones that hold as much as those of this library.
    mutating func leaveOutPrefixes() {
        for (number, index) in indexes.enumerated() {
            let bytes = MySQLDialect.prefixBytes(ofIndexWith: index.columns.count)
            let isShort = index.prefixes.contains { name, length in
                let type = columns.first { $0.name == name }?.type
                return length < (type == .bytes ? bytes : bytes / 4)
            }
            if isShort || index.isUnique && !index.prefixes.isEmpty { indexes[number].isPartial = true }
        }
    }

    /// Builds the table. The server computes the values of constant defaults, in one query.
    /// - Parameter expression: the SQL expression of a constant default.
    func table(
        _ connection: any SQLConnection, default expression: (_ type: ColumnType, _ text: String) -> String
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
        let infos = indexes.filter { !$0.isPartial }.map { index in
            IndexInfo(
                IndexDefinition(table: name, columns: index.columns, isUnique: index.isUnique, name: index.name),
                state: index.isReady ? .ready : .building(0), estimatedEntries: rows)
        }
        var table = SQLTable(
            info: TableInfo(structure: structure, indexes: infos, estimatedRows: rows, estimatedBytes: bytes),
            rowColumn: columns.contains { $0.name == SQLTable.rowColumnName } ? SQLTable.rowColumnName : nil)
        for column in columns where column.type == .date { table.dateForms[column.name] = column.dateForm }
        for column in visible {
            let server = column.serverColumn(values[column.name])
            if !server.isPlain { table.info.serverColumns[column.name] = server }
        }
        table.unenforcedKeys = Set(columns.lazy.filter(\.isUnenforced).map(\.name))
        table.hasOtherUniques = indexes.contains { $0.isPartial && $0.isUnique }
        return table
    }

    private func defaults(
        _ connection: any SQLConnection, _ expression: (ColumnType, String) -> String
    ) throws -> [String: ColumnValue] {
        let wanted = columns.filter(\.hasConstant).compactMap { column in
            column.defaultText.map { (column, expression(column.type, $0)) }
        }
        return try values(of: wanted[...], connection)
    }

    /// The values of constants. One that is no value of its column's type stays the server's: a program that leaves
    /// the column out is not concerned.
    private func values(
        of wanted: ArraySlice<(DraftColumn, String)>, _ connection: any SQLConnection
    ) throws -> [String: ColumnValue] {
        if wanted.isEmpty { return [:] }
        let statement = SQLStatement(
            "SELECT " + wanted.map(\.1).joined(separator: ", "), results: wanted.map(\.0.type), isRepeated: false)
        do {
            let row = try connection.execute(statement).rows.first ?? []
            return Dictionary(zip(wanted.map(\.0.name), row)) { first, _ in first }
        } catch let error as SQLConnectionError where error.code == .type && error.serverCode == nil {
            if wanted.count == 1 { return [:] }
            return try wanted.indices.reduce(into: [:]) { found, number in
                found.merge(try values(of: wanted[number...number], connection)) { first, _ in first }
            }
        }
    }
}
