#if PEER_SQLITE
import SiltstoneTesting
import TableKit
import Testing

/// Differences that random queries found, each as small as it can be.
struct FoundDifferenceTests {
    @Test(arguments: [ColumnType.string, .bytes])
    func `a row older than a column joins nothing by it, not even what is empty`(type: ColumnType) throws {
        let pair = try DatabasePair()
        let empty: ColumnValue = type == .string ? .text("") : .bytes([])
        try pair.begin()
        try pair.create(TableStructure(name: "A", columns: [Column("id", .int64)], primaryKey: [0]))
        try pair.insert([[.integer(9)]], columns: nil, into: pair.tables[0], .fail)
        try pair.add(Column("word", type, isOptional: true), to: 0)
        try pair.insert([[.integer(2), empty], [.integer(3), .null]], columns: nil, into: pair.tables[0], .fail)
        try pair.end(commits: true)
        var query = Query(pair.tables[0])
        query.sources.append(pair.tables[0])
        query.joins = [JoinClause(property: "same", source: 1, on: 1, equals: 1)]
        query.order = [OrderTerm(column: 0)]
        let expected = try pair.sqlite.rows(of: query)
        try pair.read { session in
            for number in try session.plans(for: query).indices {
                query.forcedPlan = number
                let found = try session.rows(of: query)
                #expect(ResultRow.areSame(found, expected, isOrdered: true), "\(found)")
            }
        }
        try pair.close()
    }
}
#endif
