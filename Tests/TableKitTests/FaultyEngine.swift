import SiltstoneTesting
import TableKit
import Testing

/// What an engine may get wrong: a name, and queries or inserts as it understands them.
struct EngineFault: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var query: @Sendable (inout Query) -> Void = { _ in }
    var insert: @Sendable (inout InsertStatement) -> Void = { _ in }
    /// Whether a rollback to a savepoint does nothing.
    var keepsAfterRollback = false
}

/// The reference engine with a fault.
struct FaultyDatabaseConfiguration: DatabaseConfigurationProtocol {
    let engine: any TableEngine

    init(_ fault: EngineFault) { engine = FaultyEngine(fault) }

    init(url: String?, name: String?, host: String?, port: Int?, user: String?, pass: String?) throws {
        self.init(EngineFault(testDescription: "none"))
    }
}

private final class FaultyEngine: TableEngine {
    private let base = ReferenceEngine()
    private let fault: EngineFault

    init(_ fault: EngineFault) { self.fault = fault }

    func beginRead() throws -> any TableSession { FaultySession(try base.beginRead(), fault) }

    func begin(_ mode: TransactionMode) throws -> any TableSession { FaultySession(try base.begin(mode), fault) }

    func begin(_ mode: TransactionMode) async throws -> any TableSession {
        FaultySession(try await base.begin(mode), fault)
    }

    func perform<R: Sendable>(_ work: @escaping @Sendable () throws -> R) async throws -> R {
        try await base.perform(work)
    }

    func observe<R>(_ body: (any TableSession) throws -> R) throws -> (R, any TableObservation) {
        try base.observe { try body(FaultySession($0, fault)) }
    }

    func verify(progress: ((Double) -> Void)?) throws -> [String] { try base.verify(progress: progress) }
}

private final class FaultySession: TableSession {
    private let base: any TableSession
    private let fault: EngineFault

    init(_ base: any TableSession, _ fault: EngineFault) {
        self.base = base
        self.fault = fault
    }

    private func changed(_ query: Query) -> Query {
        var query = query
        fault.query(&query)
        return query
    }

    func tables() throws -> [TableInfo] { try base.tables() }
    func table(named name: String) throws -> TableInfo? { try base.table(named: name) }
    func alter(_ change: SchemaChange) throws { try base.alter(change) }

    func insert(_ statement: InsertStatement) throws -> ChangeResult {
        var statement = statement
        fault.insert(&statement)
        return try base.insert(statement)
    }

    func update(_ statement: UpdateStatement) throws -> ChangeResult { try base.update(statement) }
    func delete(_ statement: DeleteStatement) throws -> ChangeResult { try base.delete(statement) }
    func run(_ query: Query) throws -> any RowStream { try base.run(changed(query)) }

    func withRow(_ table: TableStructure, key: [ColumnValue], _ body: (RawSpan, RowShape) throws -> Void) throws -> Bool
    {
        try base.withRow(table, key: key, body)
    }

    func count(_ query: Query) throws -> Int { try base.count(changed(query)) }

    func aggregate(_ query: AggregateQuery) throws -> [[ColumnValue]] {
        var query = query
        query.rows = changed(query.rows)
        return try base.aggregate(query)
    }

    func explain(_ query: Query) throws -> QueryPlan { try base.explain(query) }
    func plans(for query: Query) throws -> [QueryPlan] { try base.plans(for: query) }
    func savepoint() throws -> Savepoint { try base.savepoint() }

    func rollback(to savepoint: Savepoint) throws {
        if !fault.keepsAfterRollback { try base.rollback(to: savepoint) }
    }

    func commit() throws { try base.commit() }
    func commit() async throws { try await base.commit() }
    func rollback() { base.rollback() }
}
