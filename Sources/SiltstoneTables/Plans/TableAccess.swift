import Siltstone
import TableKit

/// One table of a query, as plans see it: worked out once for each type and version of the catalogue.
final class TableAccess: Sendable {
    let binding: TableBinding
    /// The types of the structure's columns as rows store them.
    let types: [ColumnType]
    /// The key, and the indexes that are ready. The first is always that of the rows themselves.
    let orders: [KeyOrder]
    /// Whether the table has all columns of the structure.
    let hasAllColumns: Bool
    let selectivity: Selectivity

    init(_ binding: TableBinding) {
        self.binding = binding
        let table = binding.table
        types = binding.structure.columns.enumerated().map { number, column in
            binding.positions[number].map { table.columns[$0].column.type } ?? column.type
        }
        let key = table.primaryKey.map { binding.numbers[$0] }
        let indexes = table.indexes.filter(\.isReady).map { ($0, binding.columns(of: $0)) }
        var known: [Int: IndexStatistics] = [:]
        for (number, columns) in [(KeySpace.rowsNumber, key)] + indexes.map({ ($0.0.description.id, $0.1) }) {
            guard let column = columns.first ?? nil, let found = table.statistics?.indexes[number] else { continue }
            known[column] = known[column] ?? found
        }
        let selectivity = Selectivity(statistics: known)
        self.selectivity = selectivity
        orders =
            [KeyOrder(index: nil, prefix: table.rowPrefix, columns: key, key: key, selectivity)]
            + indexes.map { KeyOrder(index: $0, prefix: $0.prefix, columns: $1, key: key, selectivity) }
        hasAllColumns = !binding.positions.contains(nil)
    }

    var structure: TableStructure { binding.structure }
    var shape: RowShape { binding.shape }
    var rowPrefix: [UInt8] { binding.table.rowPrefix }

    /// The numbers of the key's columns; empty where the table has none, or the structure lacks one.
    var keyColumns: [Int] { binding.keyColumns ?? [] }

    /// The name of a column.
    func name(_ column: Int) -> String { structure.columns[column].name }
}

/// An order in which a store keeps rows or index entries of a table. A class: paths and plans are copied often, and its arrays
/// would be retained one by one.
final class KeyOrder: Sendable {
    /// Nil: the rows.
    let index: TableDescription.Index?
    /// What all keys begin with.
    let prefix: [UInt8]
    /// The numbers of the columns whose values follow. Nil for those that the structure lacks.
    let columns: [Int?]
    /// The numbers of the primary key's columns, whose values end the key. Empty: a hidden row number does.
    let key: [Int?]
    /// The columns by which entries are sorted. One that came before is constant and left out.
    let sortColumns: [Int?]
    /// That of the table.
    let selectivity: Selectivity

    init(
        index: TableDescription.Index?, prefix: [UInt8], columns: [Int?], key: [Int?], _ selectivity: Selectivity
    ) {
        self.selectivity = selectivity
        self.index = index
        self.prefix = prefix
        self.columns = columns
        self.key = key
        var result: [Int?] = []
        for column in index == nil ? columns : columns + key where column == nil || !result.contains(column) {
            result.append(column)
        }
        sortColumns = result
    }

    var name: String { index?.description.name ?? "rows" }
}
