import Siltstone
import TableKit

/// A session on one snapshot or transaction of a store.
///
/// Generic over the reader, so that reads need no call through an existential.
final class SiltstoneSession<Reader: KeyValueReader>: TableSession {
    let engine: SiltstoneEngine
    /// The snapshot or the transaction.
    let reader: Reader
    /// The transaction of a session that may write; else nil.
    let transaction: Transaction?
    /// The current catalogue. Schema changes of the session replace it.
    var catalogue: Catalogue
    /// The catalogue at the begin of the session.
    let firstCatalogue: Catalogue
    /// The kind of the session, until it ends.
    var kind: SessionKind
    /// Tables whose rows with the greatest number may have been deleted.
    var tablesToMark: Set<UInt64> = []
    /// The number of rows that the session adds to each table; negative: removes.
    var rowChanges: [UInt64: Int] = [:]

    init(
        _ engine: SiltstoneEngine, _ reader: Reader, transaction: Transaction?, _ catalogue: Catalogue,
        _ kind: SessionKind
    ) {
        self.engine = engine
        self.reader = reader
        self.transaction = transaction
        self.catalogue = catalogue
        firstCatalogue = catalogue
        self.kind = kind
    }

    deinit { rollback() }

    /// Runs `body` and converts errors of the store to errors of tables.
    func mapped<R>(_ body: () throws -> R) throws -> R {
        try engine.mappingStoreErrors(body)
    }

    // MARK: Catalogue

    func tables() throws -> [TableInfo] {
        try mapped { try catalogue.tables.values.sorted { $0.name < $1.name }.map(info) }
    }

    func table(named name: String) throws -> TableInfo? { try mapped { try catalogue.tables[name].map(info) } }

    private func info(_ table: TableDescription) throws -> TableInfo {
        let rows = try reader.estimate(prefix: table.rowPrefix)
        let indexes = try table.indexes.filter { !$0.description.isAutomatic }.map { index in
            let definition = IndexDefinition(
                table: table.name, columns: index.columns.map { table.columns[$0].column.name },
                isUnique: index.isUnique, name: index.description.name)
            let entries = try reader.estimate(prefix: index.prefix)
            let found = table.statistics?.indexes[index.description.id].map {
                IndexInfo.Statistics(entries: $0.entries, nulls: $0.nulls, distinctValues: $0.distinct)
            }
            let share = min(1, Double(entries.entries) / Double(max(1, rows.entries)))
            return IndexInfo(
                definition, state: index.isReady ? .ready : .building(share), estimatedEntries: entries.entries,
                estimatedBytes: entries.bytes, statistics: found)
        }
        return TableInfo(
            structure: table.structure, indexes: indexes, estimatedRows: rows.entries, estimatedBytes: rows.bytes)
    }

    // MARK: Queries

    private var executor: QueryExecutor<Reader> { QueryExecutor(reader: reader, catalogue: catalogue) }

    func run(_ query: Query) throws -> any RowStream {
        try mapped {
            // A session that cannot write has one state.
            guard let transaction else { return try executor.run(query) }
            if let row = try executor.pointQuery(query) { return row }
            // The session may change rows before the end of the stream, which reads the state of this moment.
            return try QueryExecutor(reader: try transaction.frozen(), catalogue: catalogue).stream(query)
        }
    }

    func count(_ query: Query) throws -> Int {
        try mapped { try wholeTableCount(query) ?? executor.count(query) }
    }

    /// The number of rows of a table in a snapshot, from an earlier count if possible; nil for all other queries.
    private func wholeTableCount(_ query: Query) throws -> Int? {
        // An observed session must read the entries that it watches.
        guard case .read(let snapshot) = kind, query.predicate == nil, query.joins.isEmpty, query.limit == nil,
            query.columns == nil, query.forcedPlan == nil
        else { return nil }
        let binding = try catalogue.binding(query.sources[0])
        // A structure that lacks a column of the key may have equal rows.
        if query.isDistinct, binding.keyColumns == nil { return nil }
        let table = binding.table
        if let count = engine.rowCounts.count(table.id, at: snapshot.sequence) {
            #if DEBUG
            let scanned = try snapshot.count(prefix: table.rowPrefix)
            assert(scanned == count, "\(table.name) has \(scanned) rows, not \(count)")
            #endif
            return count
        }
        let count = try snapshot.count(prefix: table.rowPrefix)
        engine.rowCounts.keep(count, of: table.id, at: snapshot.sequence) { engine.isNewest(snapshot.sequence) }
        return count
    }

    func aggregate(_ query: AggregateQuery) throws -> [[ColumnValue]] {
        try mapped { try executor.aggregate(query) }
    }

    func explain(_ query: Query) throws -> QueryPlan { try mapped { try executor.explain(query) } }

    func explainRunning(_ query: Query) throws -> QueryPlan { try mapped { try executor.explainRunning(query) } }

    func plans(for query: Query) throws -> [QueryPlan] { try mapped { try executor.plans(for: query) } }

    func withRow(
        _ table: TableStructure, key: [ColumnValue], _ body: (RawSpan, RowShape) throws -> Void
    ) throws -> Bool {
        try mapped {
            let binding = try catalogue.binding(table)
            guard binding.hasTablesKey else { return try withMatch(binding, key, body) }
            guard let bytes = try binding.rowKey(key) else { return false }
            let found: Void? = try unsafe bytes.withBytes { bytes in
                try unsafe reader.withValue(bytes) { try body($0, binding.shape) }
            }
            return found != nil
        }
    }

    /// As ``withRow(_:key:_:)``, for a structure whose key is not the table's. The structure's key counts.
    private func withMatch(
        _ binding: TableBinding, _ key: [ColumnValue], _ body: (RawSpan, RowShape) throws -> Void
    ) throws -> Bool {
        if binding.structure.primaryKey.isEmpty { return false }
        guard let batch = try executor.run(try binding.keyQuery(key)).next() else { return false }
        try batch.rows.withRow(0) { try body($0, batch.shape) }
        return true
    }

    // MARK: Savepoints

    /// The state that a savepoint restores.
    private struct State: Sendable {
        let mark: WriteBuffer.Mark
        let catalogue: Catalogue
        let rowChanges: [UInt64: Int]
    }

    func savepoint() throws -> Savepoint {
        try mapped { Savepoint(State(mark: try writer().mark(), catalogue: catalogue, rowChanges: rowChanges)) }
    }

    func rollback(to savepoint: Savepoint) throws {
        guard let state = savepoint.state as? State else {
            throw CRUDSQLExeError("The savepoint is one of another engine.", code: .transaction)
        }
        try writer().rollBack(to: state.mark)
        catalogue = state.catalogue
        rowChanges = state.rowChanges
    }

    /// The transaction of a session that may write.
    func writer() throws -> Transaction {
        guard let transaction else {
            throw CRUDSQLExeError("The session only reads. Begin a transaction to change rows.", code: .transaction)
        }
        return transaction
    }
}
