public import TableKit

/// Tables, changes and queries from one seed, done to several engines, which must all give the same.
///
/// The engines' databases are empty before and after. Changes of tables have transactions of their own, since not every
/// database has them in others.
public final class EngineComparison {
    /// An engine with the name that reports have for it.
    public struct Contestant {
        let name: String
        let engine: any TableEngine

        /// An engine.
        public init(_ name: String, _ engine: any TableEngine) {
            self.name = name
            self.engine = engine
        }
    }

    /// How much was compared.
    public struct Figures: Sendable {
        /// Queries, each of them on all engines.
        public var queries = 0
        /// Those with joins.
        public var joins = 0
        /// Those that found rows.
        public var answered = 0
        /// Statements that changed rows or tables, or were refused.
        public var changes = 0

        /// Nothing yet.
        public init() {}

        /// Adds what another run has compared.
        public static func += (left: inout Figures, right: Figures) {
            left.queries += right.queries
            left.joins += right.joins
            left.answered += right.answered
            left.changes += right.changes
        }
    }

    /// How much was compared so far.
    public internal(set) var figures = Figures()
    /// What was done, to see a failure again.
    public private(set) var history: [String] = []

    let contestants: [Contestant]
    var generator: ValueGenerator
    /// Whether all engines can have an index.
    private let canHave: (IndexDefinition, TableStructure) -> Bool
    private(set) var tables: [TableStructure] = []
    private var indexes: [IndexDefinition] = []
    /// The transaction of each engine, while one is open.
    private var transactions: [any TableSession] = []

    /// - Parameters:
    ///   - seed: of the generator. One seed makes the same tables, rows and queries each time.
    ///   - contestants: the engines. The first is the one that the others are held to.
    ///   - hasInfinities: whether all of them store infinities.
    ///   - canHave: whether all of them can have an index of a table; others are not made.
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

    /// Makes tables, goes on with rounds of changes and queries, and drops the tables.
    /// - Throws: ``Disagreement``, and what an engine throws beyond a broken constraint.
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

    /// Hands a session of each engine to `body`: the transactions, or ones that read.
    /// - Parameter what: what is read, for errors.
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

    /// Does the same change of rows on all engines. A constraint is broken in all or in none, and the counts are equal.
    private func change(_ what: String, _ body: (any TableSession) throws -> Int) throws {
        figures.changes += 1
        history.append(what)
        try agree(what, try read(what) { session in try Self.count { try body(session) } })
    }

    /// Does the same change of the catalogue on all engines.
    /// - Returns: whether it was done.
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

    /// The count; nil where a constraint was broken.
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
            // Seldom a NULL that the column does not take.
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
            // Without some columns, which take their default.
            columns = table.columns.indices.filter { table.primaryKey.contains($0) || generator.random.chance(70) }
            if columns?.isEmpty == true { columns = nil }
        }
        var statement = InsertStatement(table, columns: columns, rows: RowBuffer())
        statement.onConflict = conflict
        for row in rows { try statement.rows.append(row, layout: table.layout) }
        try change("insert into \(table.name) \(columns ?? []) \(rows) \(conflict)") { try $0.insert(statement).count }
    }
}
