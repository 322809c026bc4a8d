import Siltstone

/// What the page of `silt report` shows, gathered from an open store.
struct StoreReport {
    var path: String
    var statistics: Statistics
    var layout: StoreLayout
    /// Keys outside of tables, by prefix.
    var prefixes: [KeyPrefixes.Group]
    /// The tables, in the order of their names.
    var tables: [TableSpace]

    /// Gathers everything.
    init(_ store: KeyValueStore, path: String, tables: [TableSpace]) throws {
        self.path = path
        self.tables = tables
        statistics = store.statistics
        layout = store.layout
        prefixes = try KeyPrefixes(store.snapshot()).groups.filter { $0.prefix.first != 0xfe }
    }
}

/// One table with what it takes and a sample of its rows.
struct TableSpace {
    /// A column as the page shows it.
    struct Column {
        var name: String
        var type: String
        var isKey: Bool
        var isOptional: Bool
        /// `Person.id`, for a foreign key.
        var references: String?
    }

    /// A part of the table's space.
    struct Part {
        /// The columns of an index. Nil: the rows.
        var index: [String]?
        var isUnique: Bool
        var entries: Int
        var bytes: Int

        /// The columns of an index as text.
        var indexName: String? { index?.joined(separator: ", ") }
    }

    var name: String
    var columns: [Column]
    var parts: [Part]
    /// The first rows as text, one array of cells each; nil is NULL.
    var sample: [[String?]]
}
