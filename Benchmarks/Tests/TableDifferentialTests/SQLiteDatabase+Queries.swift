#if PEER_SQLITE
import SiltstoneTesting
import TableKit

extension SQLiteDatabase {
    /// All rows of a query, with those of its joins.
    func rows(of query: Query) throws -> [ResultRow] {
        var renderer = SQLiteRenderer(query)
        let text = renderer.parents()
        let types = renderer.columns.map { query.sources[0].columns[$0].type }
        let parents = try numbered(run(text, renderer.bindings, as: [.int64] + types), numbers: 1)
        if query.joins.isEmpty { return parents.map { ResultRow(values: $0.values) } }
        let owners = parents.map(\.numbers[0])
        var arrays: [Int: JoinArrays] = [:]
        for join in query.joins {
            let text = renderer.rows(of: join, parents: owners)
            let types = query.sources[join.source].columns.map(\.type)
            let rows = try numbered(run(text, renderer.bindings, as: [.int64, .int64] + types), numbers: 2)
            let owners = join.parent == 0 ? owners : arrays[join.parent]?.order ?? []
            arrays[join.source] = JoinArrays(rows, owners: owners, join)
        }
        func row(_ source: Int, _ number: Int64, _ values: [ColumnValue]) -> ResultRow {
            let joined = query.joins.filter { $0.parent == source }.map { join in
                (arrays[join.source]?.arrays[number] ?? []).map { row(join.source, $0.number, $0.values) }
            }
            return ResultRow(values: values, arrays: joined)
        }
        return parents.map { row(0, $0.numbers[0], $0.values) }
    }

    private func numbered(
        _ rows: [[ColumnValue]], numbers: Int
    ) -> [(numbers: [Int64], values: [ColumnValue])] {
        rows.map { row in
            let found = row.prefix(numbers).map { if case .integer(let number) = $0 { number } else { 0 as Int64 } }
            return (Array(found), Array(row.dropFirst(numbers)))
        }
    }
}

/// What SQLite found for a join, cut as the join's limits say.
private struct JoinArrays {
    /// The rows of each owner.
    var arrays: [Int64: [(number: Int64, values: [ColumnValue])]] = [:]
    /// The numbers of the rows, as owners of further rows.
    var order: [Int64] = []

    init(_ found: [(numbers: [Int64], values: [ColumnValue])], owners: [Int64], _ join: JoinClause) {
        let isOwner = Set(owners)
        for row in found where isOwner.contains(row.numbers[0]) {
            let owner = row.numbers[0]
            // Rows without a key that are equal come once.
            let isKnown = (arrays[owner] ?? []).contains { known in
                zip(known.values, row.values).allSatisfy { ColumnValue.areSame($0, $1) }
            }
            if !isKnown { arrays[owner, default: []].append((row.numbers[1], row.values)) }
        }
        if let limit = join.limitEach { arrays = arrays.mapValues { JoinArrays.cut($0, limit) } }
        if let limit = join.limit { cutTogether(found.map { $0.numbers[1] }, owners, limit) }
        var seen: Set<Int64> = []
        for row in owners.flatMap({ arrays[$0] ?? [] }) where seen.insert(row.number).inserted {
            order.append(row.number)
        }
    }

    private static func cut<T>(_ items: [T], _ limit: RowLimit) -> [T] {
        let rest = items.dropFirst(limit.skip)
        return Array(limit.count.map { rest.prefix($0) } ?? rest)
    }

    /// Cuts the rows of all owners together.
    /// - Parameter ranks: the numbers of the rows in the order of the join.
    private mutating func cutTogether(_ ranks: [Int64], _ owners: [Int64], _ limit: RowLimit) {
        var rank: [Int64: Int] = [:]
        for (place, number) in ranks.enumerated() where rank[number] == nil { rank[number] = place }
        let pairs = owners.enumerated().flatMap { place, owner in
            (arrays[owner] ?? []).map { (owner: place, row: $0) }
        }
        let sorted = pairs.sorted {
            (rank[$0.row.number] ?? 0, $0.owner) < (rank[$1.row.number] ?? 0, $1.owner)
        }
        arrays = [:]
        for pair in JoinArrays.cut(sorted, limit) { arrays[owners[pair.owner], default: []].append(pair.row) }
    }
}
#endif
