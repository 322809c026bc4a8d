/// What is measured of tables. The raw value is the label.
enum TableWorkload: String, CaseIterable, Sendable {
    case insert
    case insertIndexed = "insert:indexed"
    case index
    case key, find, missing
    case range
    case rangeCount = "range:count"
    case filter
    case rows
    case rowsFast = "rows:fast"
    case order
    case orderIndexed = "order:indexed"
    case join
    case joinUnindexed = "join:unindexed"
    case transfer, update, delete
    case observe
    case open
    case openStore = "open:store"
    /// One row a transaction, by eight tasks.
    case insertEight = "insert@8"

    /// Rows of a transaction of ``insert``.
    static let batchCount = 10_000
    /// Rows that a range of the index holds, and that an ordered query gives.
    static let (rangeRows, orderRows) = (100, 10)
    /// Tables of the store that is opened.
    static let tableCount = 100
    /// Commits a second beside an observation, and changes that are observed.
    static let (observedRate, observedChanges) = (10_000, 500)
}

extension Section {
    /// Reads and writes of single rows, and queries of a few.
    var rowOperations: Int { max(100, count / 5) }
    var rangeOperations: Int { max(20, count / 200) }
    var orderOperations: Int { max(50, count / 50) }
    /// Deletes of a range: together a tenth of the rows.
    var deleteOperations: Int { max(1, count / 10 / TableWorkload.rangeRows) }
    /// Queries over all rows.
    var passes: Int { 5 }
    /// Joins of some parents, and of all.
    var joinOperations: (few: Int, all: Int) { (50, 5) }
    /// Opens of a store.
    var openOperations: Int { 20 }
}
