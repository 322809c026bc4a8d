import TableKit

/// A table while its rows of the catalogue are read.
struct MySQLTableDraft {
    struct DraftColumn {
        var name: String
        var type: ColumnType
        var isOptional: Bool
        var defaultText: String?
        var foreignKey: ForeignKeyReference?
    }

    struct DraftIndex {
        var name: String
        var columns: [String]
        var isUnique: Bool
    }

    let name: String
    private(set) var columns: [DraftColumn] = []
    private var rows = 0
    private var bytes = 0
    private var key: [String] = []
    private var indexes: [DraftIndex] = []

    init(name: String) { self.name = name }

    mutating func add(column row: [ColumnValue]) {
        guard let column = row[1].string, let native = row[2].string else { return }
        rows = row[6].int ?? 0
        bytes = row[7].int ?? 0
        let note = ColumnNote(comment: row[5].string)
        let text = row[4].string == "NULL" ? nil : row[4].string
        columns.append(
            DraftColumn(
                name: column, type: note?.columnType ?? MySQLDialect.columnType(ofNative: native),
                isOptional: row[3].string == "YES", defaultText: text, foreignKey: note?.foreignKey))
    }

    mutating func add(index row: [ColumnValue]) {
        guard let index = row[1].string, let column = row[2].string else { return }
        if index == "PRIMARY" { return key.append(column) }
        if index.hasPrefix(MySQLDialect.hiddenPrefix) { return }
        if indexes.last?.name == index {
            indexes[indexes.count - 1].columns.append(column)
        } else {
            indexes.append(DraftIndex(name: index, columns: [column], isUnique: row[3].int == 0))
        }
    }

    /// A foreign key that is there. Where a note tells of it, the note knows the action that it was made with.
    mutating func add(reference row: [ColumnValue]) {
        guard let number = columns.firstIndex(where: { $0.name == row[1].string }), let table = row[2].string else {
            return
        }
        if columns[number].foreignKey != nil {
            columns[number].foreignKey?.table = table
        } else {
            columns[number].foreignKey = ForeignKeyReference(
                table: table, onDelete: Self.action(row[3].string), onUpdate: Self.action(row[4].string))
        }
    }

    private static func action(_ rule: String?) -> ForeignKeyAction {
        switch rule {
        case "RESTRICT": .restrict
        case "SET NULL": .setNull
        case "SET DEFAULT": .setDefault
        case "CASCADE": .cascade
        default: .ignore
        }
    }

    func table(values: [String: ColumnValue]) throws -> SQLTable {
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
                estimatedEntries: rows)
        }
        return SQLTable(
            info: TableInfo(structure: structure, indexes: infos, estimatedRows: rows, estimatedBytes: bytes),
            rowColumn: columns.contains { $0.name == SQLTable.rowColumnName } ? SQLTable.rowColumnName : nil)
    }
}
