import Siltstone
import TableKit

/// The planner's view of one table of a query. Created once for each structure and version of the catalogue.
final class TableAccess: Sendable {
    let binding: TableBinding
    /// The storage types of the structure's columns.
    let types: [ColumnType]
    /// The primary key and the ready indexes. The first is always the order of the rows.
    let orders: [KeyOrder]
    /// True if the table has all columns of the structure.
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

    /// The numbers of the key's columns. Empty if the table has no key, or the structure lacks a column of it.
    var keyColumns: [Int] { binding.keyColumns ?? [] }

    /// The name of a column.
    func name(_ column: Int) -> String { structure.columns[column].name }
}

/// An order of a table's keys: that of the rows or of an index. A class, because copies of paths and plans would retain
/// each of its arrays.
final class KeyOrder: Sendable {
    /// The index. Nil: the rows.
    let index: TableDescription.Index?
    /// The prefix of all keys.
    let prefix: [UInt8]
    /// The numbers of the columns after the prefix. Nil for columns that the structure lacks.
    let columns: [Int?]
    /// The numbers of the primary key's columns at the end of the key. Empty: a hidden row number.
    let key: [Int?]
    /// The columns of the sort order. Omits repeated columns, which are constant at their second place.
    let sortColumns: [Int?]
    /// The selectivity of the table.
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
