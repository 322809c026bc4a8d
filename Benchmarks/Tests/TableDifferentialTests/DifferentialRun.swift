#if PEER_SQLITE
import SiltstoneTesting
import TableKit

/// Tables, changes and queries from one seed, done to both databases.
final class DifferentialRun {
    /// How much was compared.
    struct Figures {
        var queries = 0
        var plans = 0
        var texts = 0
        var changes = 0
        /// Queries that found rows.
        var answered = 0
        var joins = 0

        static func += (left: inout Figures, right: Figures) {
            left.queries += right.queries
            left.plans += right.plans
            left.texts += right.texts
            left.changes += right.changes
            left.answered += right.answered
            left.joins += right.joins
        }
    }

    /// The most plans of a query that are tried.
    private static let mostPlans = 16

    private(set) var figures = Figures()
    private let pair: DatabasePair
    private var generator: ValueGenerator

    /// What was done before, to see a failure again.
    var history: String { pair.history.joined(separator: "\n") }

    init(seed: UInt64) throws {
        generator = ValueGenerator(seed: seed)
        // Some have more rows than a batch.
        generator.isLarge = generator.random.chance(2)
        pair = try DatabasePair()
    }

    /// Makes tables, and goes on with rounds of changes and queries.
    /// - Throws: ``Disagreement``.
    func run(rounds: Int, queries: Int) throws {
        try pair.begin()
        for name in ["A", "B", "C"].prefix(generator.random.below(3) + 1) {
            try pair.create(generator.structure(name))
        }
        for number in pair.tables.indices {
            for _ in 0..<generator.random.below(3) { try pair.create(generator.index(pair.tables[number])) }
            let isLarge = generator.isLarge && number == 0
            for _ in 0..<(isLarge ? 700 : generator.random.pick([0, 6, 20, 30])) { try insert(number, 1, .fail) }
        }
        try pair.end(commits: true)
        for _ in 0..<rounds {
            try change()
            if generator.random.chance(10) { try pair.flush() }
            for _ in 0..<queries { try query(isInTransaction: false) }
        }
        let problems = try pair.engine.verify(progress: nil)
        if !problems.isEmpty { throw Disagreement(description: "verify: \(problems)") }
        try pair.close()
    }

    // MARK: Changes

    private func change() throws {
        try pair.begin()
        for _ in 0..<generator.random.below(5) + 1 {
            figures.changes += 1
            try change(generator.random.below(pair.tables.count))
        }
        try query(isInTransaction: true)
        try pair.end(commits: generator.random.chance(80))
        for table in pair.tables {
            try compare(Query(table))
            for _ in 0..<3 { try compareFind(table) }
        }
    }

    private func change(_ number: Int) throws {
        let table = pair.tables[number]
        switch generator.random.below(17) {
        case 0, 1, 2: try insert(number, generator.random.below(4) + 1, .fail)
        case 3, 4: try insert(number, generator.random.below(4) + 1, table.primaryKey.isEmpty ? .fail : .replace)
        case 5: try insert(number, generator.random.below(4) + 1, table.primaryKey.isEmpty ? .fail : .ignore)
        case 6, 7, 8, 9:
            let columns = generator.random.some(Array(table.columns.indices), atMost: generator.random.below(3) + 1)
            var row = generator.row(table)
            // Seldom a NULL that the column does not take.
            if generator.random.chance(4) { row[columns[0]] = .null }
            try pair.update(table, set: columns, to: row, where: generator.predicate([table]))
        case 10, 11:
            try pair.delete(
                from: table, where: generator.random.chance(5) ? nil : generator.predicate([table]))
        case 12: try pair.create(generator.index(table))
        case 13:
            var column = generator.column("d\(pair.history.count)")
            if column.defaultValue == nil { column.isOptional = true }
            try pair.add(column, to: number)
        case 14: try pair.dropColumn(of: number)
        case 15: try pair.dropIndex(generator.random.below(4))
        default: for _ in 0..<8 { try insert(number, 1, .fail) }
        }
    }

    private func insert(_ number: Int, _ count: Int, _ conflict: InsertStatement.Conflict) throws {
        let table = pair.tables[number]
        let rows = (0..<count).map { _ in generator.row(table) }
        var columns: [Int]?
        // Not beside DO NOTHING: a row that lacks a value is refused by SQLite even where its key exists; here it is passed
        // over as any other.
        if conflict != .ignore, generator.random.chance(15) {
            // Without some columns, which take their default.
            columns = table.columns.indices.filter { table.primaryKey.contains($0) || generator.random.chance(70) }
            if columns?.isEmpty == true { columns = nil }
        }
        try pair.insert(rows, columns: columns, into: table, conflict)
    }

    // MARK: Queries

    private func query(isInTransaction: Bool) throws {
        let table = generator.random.pick(pair.tables)
        switch generator.random.below(20) {
        case 0..<5:
            let others = pair.tables.shuffled(using: &generator.random)
            try compare(generator.joinQuery([table] + others.filter { $0 !== table }))
        case 5..<8:
            let rows =
                generator.random.chance(25) ? generator.joinQuery(pair.tables) : generator.query(table)
            try compare(generator.aggregateQuery(rows), isInTransaction)
        default:
            let query = generator.query(table)
            try compare(query)
            if !isInTransaction { try compareText(query) }
        }
    }

    /// Compares the results of a query under each of its plans.
    private func compare(_ query: Query) throws {
        figures.queries += 1
        if !query.joins.isEmpty { figures.joins += 1 }
        let expected = try pair.sqlite.rows(of: query)
        if !expected.isEmpty { figures.answered += 1 }
        var unlimited = query
        unlimited.limit = nil
        // Without an order a limit may take any rows.
        let isAny = query.order.isEmpty && query.limit != nil
        let all = isAny ? try pair.sqlite.rows(of: unlimited) : []
        try pair.read { session in
            let plans = try session.plans(for: query)
            var query = query
            for number in [nil] + plans.indices.prefix(Self.mostPlans).map(Optional.some) {
                figures.plans += 1
                query.forcedPlan = number
                let found = try session.rows(of: query)
                let isRight =
                    isAny
                    ? found.count == expected.count && ResultRow.isPart(found, of: all)
                    : ResultRow.areSame(found, expected, isOrdered: !query.order.isEmpty)
                if isRight { continue }
                let plan = try number.map { plans[$0] } ?? session.explain(query)
                throw disagreement(query, plan.description, found, expected)
            }
            query.forcedPlan = nil
            let count = try session.count(query)
            if count != expected.count { throw disagreement(query, "count \(count)", [], expected) }
        }
    }

    /// Compares what is found by a key.
    private func compareFind(_ table: TableStructure) throws {
        if table.primaryKey.isEmpty { return }
        let row = generator.row(table)
        let key = table.primaryKey.map { row[$0] }
        var query = Query(table)
        query.predicate = .and(table.primaryKey.map { .compare(ColumnReference(column: $0), .equal, row[$0]) })
        let expected = try pair.sqlite.rows(of: query)
        let found = try pair.read { session in
            try session.find(table, key: key) { row, shape in
                var buffer = RowBuffer()
                buffer.append(row)
                return ResultRow(values: try buffer.values(ofRow: 0, shape))
            }
        }
        if ResultRow.areSame(found.map { [$0] } ?? [], expected, isOrdered: true) { return }
        throw disagreement(query, "find \(key)", found.map { [$0] } ?? [], expected)
    }

    private func compare(_ aggregate: AggregateQuery, _ isInTransaction: Bool) throws {
        figures.queries += 1
        var renderer = SQLiteRenderer(aggregate.rows)
        let text = renderer.aggregates(aggregate)
        let columns = aggregate.rows.sources[0].columns
        let types = aggregate.groupBy.map { columns[$0].type } + aggregate.aggregates.map { $0.type(columns) }
        guard let expected = try sums({ try pair.sqlite.run(text, renderer.bindings, as: types) }) else { return }
        if !expected.isEmpty { figures.answered += 1 }
        try pair.read { session in
            let plans = try session.plans(for: aggregate.rows)
            var aggregate = aggregate
            for number in [nil] + plans.indices.prefix(Self.mostPlans).map(Optional.some) {
                figures.plans += 1
                aggregate.rows.forcedPlan = number
                let found = try session.aggregate(aggregate).map { ResultRow(values: $0) }
                guard !ResultRow.areSame(found, expected, isOrdered: true) else { continue }
                throw disagreement(
                    aggregate.rows, "\(aggregate)\n\(number.map { plans[$0].description } ?? "chosen")", found, expected
                )
            }
        }
        guard !isInTransaction, aggregate.rows.joins.isEmpty, !aggregate.rows.isDistinct else { return }
        guard let text = SQLTextWriter(table: aggregate.rows.sources[0]).select(aggregate) else { return }
        try compareText(text, types, isOrdered: true)
    }

    // MARK: Text

    private func compareText(_ query: Query) throws {
        guard let (text, isOrdered) = SQLTextWriter(table: query.sources[0]).select(query) else { return }
        let columns = query.sources[0].columns
        try compareText(text, (query.columns ?? Array(columns.indices)).map { columns[$0].type }, isOrdered: isOrdered)
    }

    /// Compares what a text gives in both.
    private func compareText(_ text: String, _ types: [ColumnType], isOrdered: Bool) throws {
        figures.texts += 1
        guard let expected = try sums({ try pair.sqlite.run(text, as: types) }) else { return }
        var found: [ResultRow] = []
        do { try SQLScript(text).run(on: pair.engine) { found = try $0.all().map { ResultRow(values: $0) } } } catch {
            throw Disagreement(description: "\(text)\n\(error)")
        }
        guard !ResultRow.areSame(found, expected, isOrdered: isOrdered) else { return }
        throw Disagreement(description: "\(text)\nours\n\(lines(found))\nSQLite's\n\(lines(expected))")
    }

    /// SQLite's rows; nil where a sum left its range. SQLite looks at each sum on the way, the store at the last.
    private func sums(_ rows: () throws -> [[ColumnValue]]) throws -> [ResultRow]? {
        do { return try rows().map { ResultRow(values: $0) } } catch let error as SQLiteError where error.isOverflow {
            return nil
        }
    }

    private func lines(_ rows: [ResultRow]) -> String { rows.map(\.description).joined(separator: "\n") }

    private func disagreement(
        _ query: Query, _ plan: String, _ found: [ResultRow], _ expected: [ResultRow]
    ) -> Disagreement {
        var renderer = SQLiteRenderer(query)
        let text = renderer.parents()
        return Disagreement(
            description: """
                \(query) (distinct: \(query.isDistinct))
                plan: \(plan)
                \(text) \(renderer.bindings)
                ours
                \(lines(found))
                SQLite's
                \(lines(expected))
                """)
    }
}

extension Aggregate {
    /// The type of the value.
    fileprivate func type(_ columns: [Column]) -> ColumnType {
        switch self {
        case .count, .countValues, .countDistinct: .int64
        case .min(let column), .max(let column): columns[column].type
        case .sum(let column): columns[column].type.isFloatingPoint ? .double : .int64
        case .average: .double
        }
    }
}
#endif
