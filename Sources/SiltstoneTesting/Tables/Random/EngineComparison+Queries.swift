import TableKit

extension EngineComparison {
    /// Runs a random query on all engines and compares the results.
    func query() throws {
        let table = generator.random.pick(tables)
        switch generator.random.below(20) {
        case 0..<5:
            let others = tables.shuffled(using: &generator.random)
            try compare(generator.joinQuery([table] + others.filter { $0 !== table }))
        case 5..<8:
            let rows = generator.random.chance(25) ? generator.joinQuery(tables) : generator.query(table)
            try compare(generator.aggregateQuery(rows))
        case 8: try compareFind(table)
        default: try compare(generator.query(table))
        }
    }

    func compare(_ query: Query) throws {
        figures.queries += 1
        if !query.joins.isEmpty { figures.joins += 1 }
        var unlimited = query
        unlimited.limit = nil
        // Without an order, a limit may select any rows.
        let isAny = query.order.isEmpty && query.limit != nil
        let answers = try read("\(query)") { session in
            (rows: try session.rows(of: query), count: try session.count(query))
        }
        let all = isAny ? try read("\(unlimited)") { try $0.rows(of: unlimited) } : []
        let expected = answers[0]
        if !expected.rows.isEmpty { figures.answered += 1 }
        for (number, answer) in answers.enumerated() {
            let isRight =
                isAny
                ? answer.rows.count == expected.rows.count && ResultRow.isPart(answer.rows, of: all[0])
                : ResultRow.areSame(answer.rows, expected.rows, isOrdered: !query.order.isEmpty)
            if isRight, answer.count == expected.count { continue }
            throw disagreement(
                "\(query) (distinct: \(query.isDistinct))", number, answer.rows, expected.rows,
                "counts \(answer.count), \(expected.count)")
        }
    }

    /// Compares look-ups by key.
    private func compareFind(_ table: TableStructure) throws {
        if table.primaryKey.isEmpty { return }
        figures.queries += 1
        let row = generator.row(table)
        let key = table.primaryKey.map { row[$0] }
        let answers = try read("find \(table.name) \(key)") { session in
            let found = try session.find(table, key: key) { row, shape in
                var buffer = RowBuffer()
                buffer.append(row)
                return ResultRow(values: try buffer.values(ofRow: 0, shape))
            }
            return found.map { [$0] } ?? []
        }
        try compare(answers, "find \(table.name) \(key)")
    }

    private func compare(_ aggregate: AggregateQuery) throws {
        figures.queries += 1
        // A sum out of range throws; nil stands for that.
        let answers = try read("\(aggregate)") { session -> [ResultRow]? in
            do { return try session.aggregate(aggregate).map { ResultRow(values: $0) } } catch let error
                as any TableError
                where error.code == .type
            { return nil }
        }
        guard let expected = answers[0] else {
            guard let number = answers.firstIndex(where: { $0 != nil }) else { return }
            throw disagreement("\(aggregate)", number, answers[number] ?? [], [], "which throws")
        }
        try compare(answers.map { $0 ?? [] }, "\(aggregate)")
        if !expected.isEmpty, let number = answers.firstIndex(where: { $0 == nil }) {
            throw disagreement("\(aggregate)", number, [], expected, "the first throws")
        }
    }

    private func compare(_ answers: [[ResultRow]], _ what: String) throws {
        if !answers[0].isEmpty { figures.answered += 1 }
        for (number, answer) in answers.enumerated() where !ResultRow.areSame(answer, answers[0], isOrdered: true) {
            throw disagreement(what, number, answer, answers[0])
        }
    }

    private func disagreement(
        _ what: String, _ number: Int, _ found: [ResultRow], _ expected: [ResultRow], _ more: String = ""
    ) -> Disagreement {
        func lines(_ rows: [ResultRow]) -> String { rows.map(\.description).joined(separator: "\n") }
        return Disagreement(
            description: """
                \(what) \(more)
                \(contestants[number].name)
                \(lines(found))
                \(contestants[0].name)
                \(lines(expected))
                """)
    }
}
