package import TableKit

/// A table of the catalogue, with data derived from its definition.
package final class TableDescription: Sendable {
    /// An index with its key prefix and its columns' positions.
    package struct Index: Sendable {
        package let description: IndexDescription
        /// The prefix of its entries.
        package let prefix: [UInt8]
        /// The positions of its columns in ``TableDescription/columns``.
        package let columns: [Int]

        package var isReady: Bool { description.state == .ready }
        package var isUnique: Bool { description.isUnique }
    }

    package let definition: TableDefinition
    /// The columns, in the order of the newest layout.
    package let columns: [ColumnDescription]
    /// The positions of the key's columns. Empty: rows have hidden row numbers.
    package let primaryKey: [Int]
    /// The type of the key if it is one column, so that foreign keys can refer to it.
    package let keyType: ColumnType?
    /// The greatest number that a row can have.
    let greatestRowNumber: Int64
    /// All indexes, including those in construction.
    package let indexes: [Index]
    /// The layouts of rows, by number.
    package let layouts: [RowLayout]
    /// The layout of new rows. Its slots have the order of ``columns``.
    package let newestLayout: RowLayout
    /// The prefix of the rows' keys.
    package let rowPrefix: [UInt8]
    /// The structure for queries without a Swift type.
    package let structure: TableStructure
    /// The statistics of the last `analyze`, if any.
    package let statistics: TableStatistics?

    package var id: UInt64 { definition.id }
    package var name: String { definition.name }

    /// - Parameter definition: a valid definition, from the store or from a schema change.
    package init(_ definition: TableDefinition, _ statistics: TableStatistics? = nil) {
        self.definition = definition
        self.statistics = statistics
        columns = definition.columns
        primaryKey = definition.primaryKey.compactMap { definition.position(of: $0) }
        keyType = primaryKey.count == 1 ? columns[primaryKey[0]].column.type : nil
        greatestRowNumber = keyType?.greatestInteger ?? .max
        indexes = definition.indexes.map { index in
            Index(
                description: index, prefix: KeySpace.index(definition.id, index.id),
                columns: index.columns.compactMap { definition.position(of: $0) })
        }
        layouts = definition.layouts.enumerated().map { number, columns in
            RowLayout(number: UInt16(truncatingIfNeeded: number), types: columns.map(\.type))
        }
        newestLayout =
            layouts.last ?? RowLayout(number: 0, types: definition.columns.map(\.column.type))
        rowPrefix = KeySpace.rows(definition.id)
        structure = TableStructure(
            name: definition.name, columns: definition.columns.map(\.column), primaryKey: primaryKey)
    }

    /// The index of exactly these columns, by their positions.
    package func index(on columns: [Int]) -> Index? { indexes.first { $0.columns == columns } }

    /// The index of a definition while it is still being built. Nil: queries can use it, or there is none.
    func unfinishedIndex(_ wanted: IndexDefinition) -> Index? {
        let columns = wanted.columns.compactMap { definition.position(named: $0) }
        let serving = indexes.filter { $0.columns == columns && ($0.isUnique || !wanted.isUnique) }
        if serving.contains(where: \.isReady) { return nil }
        return serving.first { $0.isUnique == wanted.isUnique }
    }

    /// True if the key is one integer. A row without one then gets the next number.
    package var hasIntegerKey: Bool { primaryKey.count == 1 && columns[primaryKey[0]].column.type.isInteger }

    /// True if rows have hidden row numbers as keys.
    package var hasRowNumbers: Bool { primaryKey.isEmpty }
}
