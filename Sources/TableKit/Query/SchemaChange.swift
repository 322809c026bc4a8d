/// A change of the catalogue. Transactional like all other changes.
public enum SchemaChange: Sendable {
    /// Creates a table. Throws ``TableErrorCode/exists`` if it exists.
    case createTable(TableStructure)
    /// Drops a table with its indexes and rows. Throws ``TableErrorCode/noTable`` if there is none. Foreign keys act as
    /// for a delete of all rows: they cascade, change the referring rows, or throw ``TableErrorCode/foreignKey``.
    case dropTable(String)
    /// Renames a table. Keeps rows, indexes and the foreign keys that refer to it. Throws ``TableErrorCode/noTable`` or
    /// ``TableErrorCode/exists``.
    case renameTable(String, to: String)
    /// Adds a column at the end. If the table has rows, a column that is not optional needs a default, and the default of
    /// a foreign key must refer to a row.
    case addColumn(table: String, Column)
    /// Drops a column and the indexes that contain it. Throws for a column of the primary key.
    case dropColumn(table: String, String)
    /// Renames a column. Keeps values and indexes. Throws ``TableErrorCode/noColumn`` or ``TableErrorCode/exists``.
    case renameColumn(table: String, String, to: String)
    /// Creates an index and waits until queries can use it. Table and columns identify an index: an existing one stays.
    /// An existing index that is not unique becomes unique if the definition is.
    case createIndex(IndexDefinition)
    /// Drops the index of these columns. Throws ``TableErrorCode/noIndex`` if there is none.
    case dropIndex(table: String, columns: [String])
}

/// An index of a table.
public struct IndexDefinition: Sendable, Hashable {
    /// The table.
    public var table: String
    /// The names of the columns, the most significant first.
    public var columns: [String]
    /// True if no two rows may have the same values. NULLs are distinct from each other.
    public var isUnique: Bool
    /// The name in SQL and messages. Nil: `index_`, the table and the columns, joined by `_`.
    public var name: String?

    /// An index.
    public init(table: String, columns: [String], isUnique: Bool = false, name: String? = nil) {
        self.table = table
        self.columns = columns
        self.isUnique = isUnique
        self.name = name
    }
}

/// A table of the catalogue.
public struct TableInfo: Sendable {
    /// The name, the columns and the primary key.
    public var structure: TableStructure
    /// The indexes.
    public var indexes: [IndexInfo]
    /// The estimated number of rows.
    public var estimatedRows: Int
    /// The estimated size of the rows in bytes, without indexes. 0 if the engine cannot estimate it.
    public var estimatedBytes: Int
    /// What the server's catalogue tells about columns beyond the structure, by the column's name. Plain columns are
    /// left out, so the tables that `create` makes have none.
    package var serverColumns: [String: ServerColumn] = [:]

    /// A table.
    public init(structure: TableStructure, indexes: [IndexInfo], estimatedRows: Int, estimatedBytes: Int = 0) {
        self.structure = structure
        self.indexes = indexes
        self.estimatedRows = estimatedRows
        self.estimatedBytes = estimatedBytes
    }
}

/// An index of the catalogue.
public struct IndexInfo: Sendable {
    /// The state of an index.
    public enum State: Sendable, Hashable {
        /// Queries use it.
        case ready
        /// The index is being built. The value is the share of the rows done, from 0 to 1.
        case building(Double)
    }

    /// The statistics that `analyze` collected for an index.
    public struct Statistics: Sendable, Hashable, Codable {
        /// The number of entries at the time of the analysis.
        public var entries: Int
        /// The number of entries whose first column is NULL.
        public var nulls: Int
        /// For each column, the number of distinct values of the prefix that ends with it.
        public var distinctValues: [Int]

        /// Statistics.
        public init(entries: Int, nulls: Int, distinctValues: [Int]) {
            self.entries = entries
            self.nulls = nulls
            self.distinctValues = distinctValues
        }
    }

    /// The table, the columns and the name.
    public var definition: IndexDefinition
    /// The state.
    public var state: State
    /// The estimated number of entries.
    public var estimatedEntries: Int
    /// The estimated size of the entries in bytes. 0 if the engine cannot estimate it.
    public var estimatedBytes: Int
    /// The statistics of the last `analyze`. Nil: the index was never analyzed.
    public var statistics: Statistics?

    /// An index.
    public init(
        _ definition: IndexDefinition, state: State = .ready, estimatedEntries: Int = 0, estimatedBytes: Int = 0,
        statistics: Statistics? = nil
    ) {
        self.statistics = statistics
        self.definition = definition
        self.state = state
        self.estimatedEntries = estimatedEntries
        self.estimatedBytes = estimatedBytes
    }
}
