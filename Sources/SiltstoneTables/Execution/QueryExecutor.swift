import Siltstone
import TableKit

/// Runs queries on one state of a store.
struct QueryExecutor<Reader: KeyValueReader> {
    /// The state.
    let reader: Reader
    /// The tables in it.
    let catalogue: Catalogue

    /// Runs a query.
    func run(_ query: Query) throws -> any RowStream { throw notYet }

    /// The number of different parents that a query finds.
    func count(_ query: Query) throws -> Int { throw notYet }

    /// The groups of an aggregate query.
    func aggregate(_ query: AggregateQuery) throws -> [[ColumnValue]] { throw notYet }

    /// How a query would run.
    func explain(_ query: Query) throws -> QueryPlan { throw notYet }

    /// All plans for a query.
    func plans(for query: Query) throws -> [QueryPlan] { throw notYet }

    /// Calls `body` with the whole key and the bytes of each row of a table that matches, each row once. For updates and
    /// deletes.
    /// - Parameters:
    ///   - predicate: names source 0 alone, columns by their numbers in the binding's structure. Nil: all rows.
    ///   - body: gets bytes that are good until it returns; it changes nothing in the store.
    func forEachMatch(
        _ binding: TableBinding, _ predicate: Predicate?, _ body: (RawSpan, RawSpan) throws -> Void
    ) throws {
        guard predicate == nil else { throw notYet }
        try reader.forEach(prefix: binding.table.rowPrefix) { key, row in
            try body(key, row)
            return true
        }
    }

    private var notYet: CRUDSQLExeError { CRUDSQLExeError("Queries are not there yet.", code: .unsupported) }
}
