/// A change of the catalogue. Transactional like all others.
public enum SchemaChange: Sendable {
    /// Makes a table. Throws ``TableErrorCode/exists`` where it exists.
    case createTable(TableStructure)
    /// Drops a table with its indexes and rows. Throws ``TableErrorCode/noTable``. Rows of other tables that refer to its
    /// rows fare as on a delete of all of them: they go, or change, or the drop throws ``TableErrorCode/foreignKey``.
    case dropTable(String)
    case renameTable(String, to: String)
    /// Adds a column at the end. One that is not optional needs a default where the table has rows.
    case addColumn(table: String, Column)
    /// Drops a column, and the indexes that it is part of. A key's column cannot go.
    case dropColumn(table: String, String)
    case renameColumn(table: String, String, to: String)
    /// Makes an index and waits until queries can use it. Its identity is the table and the columns: one that exists is
    /// left; where it exists as a plain one and is to be unique, it becomes unique.
    case createIndex(IndexDefinition)
    case dropIndex(table: String, columns: [String])
}

/// An index of a table.
public struct IndexDefinition: Sendable, Hashable {
    /// The table.
    public var table: String
    /// The names of the columns, the first weighing most.
    public var columns: [String]
    /// Whether no two rows may have the same values. NULLs are never the same.
    public var isUnique: Bool
    /// The name, for SQL and people. Nil: `index_` and table and columns, joined by `_`.
    public var name: String?

    /// An index.
    public init(table: String, columns: [String], isUnique: Bool = false, name: String? = nil) {
        self.table = table
        self.columns = columns
        self.isUnique = isUnique
        self.name = name
    }
}

/// A table as the catalogue has it.
public struct TableInfo: Sendable {
    /// Name, columns, key.
    public var structure: TableStructure
    /// The indexes.
    public var indexes: [IndexInfo]
    /// About how many rows it has.
    public var estimatedRows: Int
    /// About how many bytes its rows take, indexes not counted. 0 where the engine cannot tell.
    public var estimatedBytes: Int

    /// A table.
    public init(structure: TableStructure, indexes: [IndexInfo], estimatedRows: Int, estimatedBytes: Int = 0) {
        self.structure = structure
        self.indexes = indexes
        self.estimatedRows = estimatedRows
        self.estimatedBytes = estimatedBytes
    }
}

/// An index as the catalogue has it.
public struct IndexInfo: Sendable {
    /// What an index is doing.
    public enum State: Sendable, Hashable {
        /// Queries use it.
        case ready
        /// It is being built; this share of the rows is in it.
        case building(Double)
    }

    /// What `analyze` found in an index.
    public struct Statistics: Sendable, Hashable, Codable {
        /// The entries at the time.
        public var entries: Int
        /// Those whose first column is NULL.
        public var nulls: Int
        /// For each column, how many different values it has together with the columns before it.
        public var distinctValues: [Int]

        /// Statistics.
        public init(entries: Int, nulls: Int, distinctValues: [Int]) {
            self.entries = entries
            self.nulls = nulls
            self.distinctValues = distinctValues
        }
    }

    /// Table, columns, name.
    public var definition: IndexDefinition
    /// What it is doing.
    public var state: State
    /// About how many entries it has.
    public var estimatedEntries: Int
    /// About how many bytes they take. 0 where the engine cannot tell.
    public var estimatedBytes: Int
    /// What the last `analyze` found. Nil: it was never analyzed.
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
