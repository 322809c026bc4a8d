import Siltstone

/// The data of the page of `silt report`, read from an open store.
struct StoreReport {
    var path: String
    var statistics: Statistics
    var layout: StoreLayout
    /// Keys outside of tables, by prefix.
    var prefixes: [KeyPrefixes.Group]
    /// The tables, by name.
    var tables: [TableSpace]

    init(_ store: KeyValueStore, path: String, tables: [TableSpace]) throws {
        self.path = path
        self.tables = tables
        statistics = store.statistics
        layout = store.layout
        prefixes = try KeyPrefixes(store.snapshot()).groups
    }
}

/// One table with its size and a sample of its rows.
struct TableSpace {
    /// A column on the page.
    struct Column {
        var name: String
        var type: String
        var isKey: Bool
        var isOptional: Bool
        /// The table that a foreign key refers to.
        var references: String?
    }

    /// The rows or one index of the table.
    struct Part {
        /// The columns of an index; nil for the rows.
        var index: [String]?
        var isUnique: Bool
        var entries: Int
        var bytes: Int

        /// The columns of an index, as text.
        var indexName: String? { index?.joined(separator: ", ") }
    }

    var name: String
    var columns: [Column]
    var parts: [Part]
    /// The first rows as text, one array of cells each; nil for NULL.
    var sample: [[String?]]
}
