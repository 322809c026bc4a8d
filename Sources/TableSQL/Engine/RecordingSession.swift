import TableKit

/// A session that notes which tables are read.
final class RecordingSession: TableSession {
    private let session: SQLSession
    private(set) var read: Set<String> = []

    init(_ session: SQLSession) { self.session = session }

    private func note(_ query: Query) { read.formUnion(query.sources.map(\.name)) }

    func tables() throws -> [TableInfo] { try session.tables() }
    func table(named name: String) throws -> TableInfo? { try session.table(named: name) }
    func alter(_ change: SchemaChange) throws { try session.alter(change) }
    func insert(_ statement: InsertStatement) throws -> ChangeResult { try session.insert(statement) }
    func update(_ statement: UpdateStatement) throws -> ChangeResult { try session.update(statement) }
    func delete(_ statement: DeleteStatement) throws -> ChangeResult { try session.delete(statement) }

    func run(_ query: Query) throws -> any RowStream {
        note(query)
        return try session.run(query)
    }

    func find<R>(_ table: TableStructure, key: [ColumnValue], _ body: (RawSpan, RowShape) throws -> R) throws -> R? {
        read.insert(table.name)
        return try session.find(table, key: key, body)
    }

    func count(_ query: Query) throws -> Int {
        note(query)
        return try session.count(query)
    }

    func aggregate(_ query: AggregateQuery) throws -> [[ColumnValue]] {
        note(query.rows)
        return try session.aggregate(query)
    }

    func explain(_ query: Query) throws -> QueryPlan { try session.explain(query) }
    func plans(for query: Query) throws -> [QueryPlan] { try session.plans(for: query) }
    func savepoint() throws -> Savepoint { try session.savepoint() }
    func rollback(to savepoint: Savepoint) throws { try session.rollback(to: savepoint) }
    func commit() throws { try session.commit() }
    func commit() async throws { try await session.commit() }
    func rollback() { session.rollback() }
}
