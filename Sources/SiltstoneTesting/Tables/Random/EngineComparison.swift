public import TableKit

/// Runs random schemas, changes and queries from a seed on several engines, which must all give the same results.
///
/// The engines' databases are empty before and after. Schema changes run in their own transactions, because not every
/// database allows them among other changes.
public final class EngineComparison {
    /// An engine and its name in reports.
    public struct Contestant {
        let name: String
        let engine: any TableEngine

        /// Creates a contestant.
        public init(_ name: String, _ engine: any TableEngine) {
            self.name = name
            self.engine = engine
        }
    }

    /// The numbers of compared statements.
    public struct Figures: Sendable {
        /// Queries, counted once for all engines.
        public var queries = 0
        /// Queries with joins.
        public var joins = 0
        /// Queries that found rows.
        public var answered = 0
        /// Changes of rows and schemas, including refused ones.
        public var changes = 0

        /// Creates zeros.
        public init() {}

        /// Adds the numbers of another run.
        public static func += (left: inout Figures, right: Figures) {
            left.queries += right.queries
            left.joins += right.joins
            left.answered += right.answered
            left.changes += right.changes
        }
    }

    /// The numbers so far.
    public internal(set) var figures = Figures()
    /// The changes so far, to reproduce a failure.
    public private(set) var history: [String] = []

    let contestants: [Contestant]
    var generator: ValueGenerator
    /// Whether all engines support an index of a table.
    private let canHave: (IndexDefinition, TableStructure) -> Bool
    private(set) var tables: [TableStructure] = []
    private var indexes: [IndexDefinition] = []
    /// The open transaction of each engine; empty without one.
    private var transactions: [any TableSession] = []

    /// - Parameters:
    ///   - seed: determines the tables, rows and queries.
    ///   - contestants: the engines. The first gives the expected results.
    ///   - hasInfinities: whether all engines store infinities.
    ///   - canHave: whether all engines support an index of a table; others are not created.
    public init(
        seed: UInt64, _ contestants: [Contestant], hasInfinities: Bool = true,
        canHave: @escaping (IndexDefinition, TableStructure) -> Bool = { _, _ in true }
    ) {
        self.canHave = canHave
        generator = ValueGenerator(seed: seed)
        generator.hasInfinities = hasInfinities
        generator.isLarge = generator.random.chance(2)
        self.contestants = contestants
    }

    /// Creates tables, runs rounds of changes and queries, and drops the tables.
    /// - Throws: ``Disagreement``, and errors of engines other than broken constraints.
    public func run(rounds: Int, queries: Int) throws {
        for name in ["A", "B", "C"].prefix(generator.random.below(3) + 1) { try create(generator.structure(name)) }
        for number in tables.indices {
            for _ in 0..<generator.random.below(3) { try create(generator.index(tables[number])) }
            let isLarge = generator.isLarge && number == 0
            try transaction {
                for _ in 0..<(isLarge ? 700 : generator.random.pick([0, 6, 20, 30])) { try insert(number, 1) }
            }
        }
        for _ in 0..<rounds {
            if generator.random.chance(40) { try changeSchema(generator.random.below(tables.count)) }
            let commits = generator.random.chance(80)
            try transaction(commits: commits) {
                for _ in 0..<generator.random.below(5) + 1 { try change(generator.random.below(tables.count)) }
                try query()
            }
            for _ in 0..<queries { try query() }
        }
        for table in tables {
            try compare(Query(table))
            try schema("drop \(table.name)", .dropTable(table.name))
        }
    }

    // MARK: Sessions

    /// Runs `body` with a session of each engine: the open transaction, or one that reads.
    /// - Parameter what: the description for errors.
    func read<R>(_ what: @autoclosure () -> String, _ body: (any TableSession) throws -> R) throws -> [R] {
        try contestants.enumerated().map { number, contestant in
            let session = transactions.isEmpty ? try contestant.engine.beginRead() : transactions[number]
            defer { if transactions.isEmpty { session.rollback() } }
            do { return try body(session) } catch {
                throw Disagreement(description: "\(contestant.name) throws \(error)\n\(what())")
            }
        }
    }

    private func transaction(commits: Bool = true, _ body: () throws -> Void) throws {
        transactions = try contestants.map { try $0.engine.begin(.serial) }
        history.append("BEGIN")
        do { try body() } catch {
            for session in transactions { session.rollback() }
            transactions = []
            throw error
        }
        for session in transactions { if commits { try session.commit() } else { session.rollback() } }
        history.append(commits ? "COMMIT" : "ROLLBACK")
        transactions = []
    }

    /// Makes the same change of rows on all engines. All must refuse it, or give the same count.
    private func change(_ what: String, _ body: (any TableSession) throws -> Int) throws {
        figures.changes += 1
        history.append(what)
        try agree(what, try read(what) { session in try Self.count { try body(session) } })
    }

    /// Makes the same schema change on all engines.
    /// - Returns: false if a constraint refused it.
    @discardableResult
    private func schema(_ what: String, _ change: SchemaChange) throws -> Bool {
        figures.changes += 1
        history.append(what)
        let counts = try contestants.map { contestant in
            do {
                return try Self.count {
                    try alter(contestant.engine, change)
                    return 0
                }
            } catch { throw Disagreement(description: "\(contestant.name) throws \(error)\n\(what)") }
        }
        try agree(what, counts)
        return counts[0] != nil
    }

    private func alter(_ engine: any TableEngine, _ change: SchemaChange) throws {
        try ConflictRetry.run(engine, .serial) { try engine.begin(.serial).commit { try $0.alter(change) } }
    }

    /// The count; nil if a constraint was broken.
    private static func count(_ body: () throws -> Int) throws -> Int? {
        do { return try body() } catch let error as any TableError
            where error.code == .unique || error.code == .notNull
        { return nil }
    }

    private func agree(_ what: String, _ counts: [Int?]) throws {
        history.append("    " + (counts[0].map { "\($0) rows" } ?? "refused"))
        guard counts.contains(where: { $0 != counts[0] }) else { return }
        let all = zip(contestants, counts).map { "\($0.name): \($1.map { "\($0) rows" } ?? "refused")" }
        throw Disagreement(description: "\(what)\n\(all.joined(separator: "\n"))")
    }

    // MARK: Schema

    private func create(_ table: TableStructure) throws {
        try schema("create \(table.name) \(table.columns) key \(table.primaryKey)", .createTable(table))
        tables.append(table)
    }

    private func create(_ index: IndexDefinition) throws {
        let table = tables.first { $0.name == index.table }
        guard !indexes.contains(where: { $0.table == index.table && $0.columns == index.columns }),
            let table, canHave(index, table)
        else { return }
        if try schema("create \(index)", .createIndex(index)) { indexes.append(index) }
    }

    private func changeSchema(_ number: Int) throws {
        let table = tables[number]
        switch generator.random.below(4) {
        case 0: try create(generator.index(table))
        case 1:
            var column = generator.column("d\(history.count)")
            if column.defaultValue == nil { column.isOptional = true }
            try schema("add \(column) to \(table.name)", .addColumn(table: table.name, column))
            tables[number] = TableStructure(
                name: table.name, columns: table.columns + [column], primaryKey: table.primaryKey)
        case 2:
            let last = table.columns.count - 1
            guard last > 2, !table.primaryKey.contains(last) else { return }
            let name = table.columns[last].name
            indexes.removeAll { $0.table == table.name && $0.columns.contains(name) }
            try schema("drop \(table.name).\(name)", .dropColumn(table: table.name, name))
            tables[number] = TableStructure(
                name: table.name, columns: Array(table.columns.dropLast()), primaryKey: table.primaryKey)
        default:
            guard !indexes.isEmpty else { return }
            let index = indexes.remove(at: generator.random.below(indexes.count))
            try schema("drop \(index)", .dropIndex(table: index.table, columns: index.columns))
        }
    }

    // MARK: Rows

    private func change(_ number: Int) throws {
        let table = tables[number]
        switch generator.random.below(12) {
        case 0, 1, 2: try insert(number, generator.random.below(4) + 1)
        case 3, 4: try insert(number, generator.random.below(4) + 1, table.primaryKey.isEmpty ? .fail : .replace)
        case 5: try insert(number, generator.random.below(4) + 1, table.primaryKey.isEmpty ? .fail : .ignore)
        case 6, 7, 8, 9:
            let columns = generator.random.some(Array(table.columns.indices), atMost: generator.random.below(3) + 1)
            var row = generator.row(table)
            // Rarely NULL in a column that may not be NULL.
            if generator.random.chance(4) { row[columns[0]] = .null }
            var buffer = RowBuffer()
            try buffer.append(row, layout: table.layout)
            let predicate = generator.predicate([table])
            try change("update \(table.name) \(columns) of \(row) where \(predicate)") {
                try $0.update(UpdateStatement(table, columns: columns, row: buffer, predicate: predicate)).count
            }
        default:
            let predicate = generator.random.chance(5) ? nil : generator.predicate([table])
            try change("delete from \(table.name) where \(predicate.map { "\($0)" } ?? "true")") {
                try $0.delete(DeleteStatement(table, predicate: predicate)).count
            }
        }
    }

    private func insert(_ number: Int, _ count: Int, _ conflict: InsertStatement.Conflict = .fail) throws {
        let table = tables[number]
        let rows = (0..<count).map { _ in generator.row(table) }
        var columns: [Int]?
        if conflict == .fail, generator.random.chance(15) {
            // Leaves out some columns, which take their defaults.
            columns = table.columns.indices.filter { table.primaryKey.contains($0) || generator.random.chance(70) }
            if columns?.isEmpty == true { columns = nil }
        }
        var statement = InsertStatement(table, columns: columns, rows: RowBuffer())
        statement.onConflict = conflict
        for row in rows { try statement.rows.append(row, layout: table.layout) }
        try change("insert into \(table.name) \(columns ?? []) \(rows) \(conflict)") { try $0.insert(statement).count }
    }
}
