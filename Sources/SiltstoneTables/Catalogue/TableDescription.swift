package import TableKit

/// A table of the catalogue, with what is derived from its definition.
package final class TableDescription: Sendable {
    /// An index with its place.
    package struct Index: Sendable {
        package let description: IndexDescription
        /// The beginning of all its entries.
        package let prefix: [UInt8]
        /// The positions of its columns in ``TableDescription/columns``.
        package let columns: [Int]

        package var isReady: Bool { description.state == .ready }
        package var isUnique: Bool { description.isUnique }
    }

    package let definition: TableDefinition
    /// The columns, in the order of the newest layout.
    package let columns: [ColumnDescription]
    /// The positions of the key's columns. Empty: rows have hidden numbers.
    package let primaryKey: [Int]
    /// All indexes, those that are being built among them.
    package let indexes: [Index]
    /// The layouts of rows, by number.
    package let layouts: [RowLayout]
    /// The layout of new rows. Its slots are those of ``columns``.
    package let newestLayout: RowLayout
    /// The beginning of the keys of all rows.
    package let rowPrefix: [UInt8]
    /// The table for queries that come from no Swift type.
    package let structure: TableStructure
    /// What is known of the distribution of values, where the table was analyzed.
    package let statistics: TableStatistics?

    package var id: UInt64 { definition.id }
    package var name: String { definition.name }

    /// - Parameter definition: sound, as it comes from the store or from a change of the schema.
    package init(_ definition: TableDefinition, _ statistics: TableStatistics? = nil) {
        self.definition = definition
        self.statistics = statistics
        columns = definition.columns
        primaryKey = definition.primaryKey.compactMap { definition.position(of: $0) }
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

    /// Whether the key is one integer, so that a row without one takes the next number.
    package var hasIntegerKey: Bool { primaryKey.count == 1 && columns[primaryKey[0]].column.type.isInteger }

    /// Whether rows have hidden numbers for keys.
    package var hasRowNumbers: Bool { primaryKey.isEmpty }
}
