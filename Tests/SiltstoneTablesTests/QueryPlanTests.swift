import Siltstone
import TableKit
import Testing

@testable import SiltstoneTables

/// Every plan gives what the naive evaluation gives.
struct QueryPlanTests {
    /// Runs a query by each of its plans.
    private func check(_ query: Query, in tables: TestTables, _ seed: UInt64, mostBytes: Int = RowSorter.memoryBytes)
        throws
    {
        let executor = tables.executor(mostBytes: mostBytes)
        let expected = tables.expected(query)
        let plans = try executor.plans(for: query)
        var unlimited = query
        unlimited.limit = nil
        let isAny = query.limit != nil && query.order.isEmpty
        let all = isAny ? Set(tables.expected(unlimited)) : []
        for number in [nil] + plans.indices.map(Optional.some) {
            var query = query
            query.forcedPlan = number
            let found = try tables.found(query, by: executor)
            var plan: String { number.map { plans[$0].description } ?? "chosen" }
            // Made only for a failure: a description takes longer than a query.
            var comment: Comment {
                Comment(
                    "seed \(seed)\n\(query.predicate as Any)\norder \(query.order) limit \(query.limit as Any)\n\(plan)"
                )
            }
            if isAny {
                // Without an order a limit may take any rows.
                #expect(
                    found.count == expected.count && (query.columns != nil || Set(found).isSubset(of: all)), comment)
            } else if query.columns != nil {
                let columns = query.columns ?? []
                func cut(_ results: [TestResult]) -> [ValueTuple] {
                    results.map { result in ValueTuple(columns.map { result.row.values[$0] }) }
                }
                if query.order.isEmpty {
                    #expect(cut(found).sorted() == cut(expected).sorted(), comment)
                } else {
                    #expect(cut(found) == cut(expected), comment)
                }
            } else if query.order.isEmpty {
                #expect(counted(found) == counted(expected), comment)
            } else {
                #expect(found == expected, comment)
            }
            if query.joins.allSatisfy({ $0.limit == nil }) {
                #expect(try executor.count(query) == expected.count, comment)
            }
        }
    }

    private func counted(_ results: [TestResult]) -> [TestResult: Int] {
        results.reduce(into: [:]) { $0[$1, default: 0] += 1 }
    }

    @Test(arguments: 0..<UInt64(TestForm.count(8, thorough: 40)))
    func `all plans of queries over one table agree with the evaluation`(seed: UInt64) throws {
        var generator = QueryGenerator(seed: seed)
        for _ in 0..<5 {
            let tables = try TestTables([generator.table("T")])
            for _ in 0..<12 { try check(generator.query(tables.tables[0].structure), in: tables, seed) }
        }
    }

    @Test(arguments: 100..<UInt64(TestForm.count(108, thorough: 140)))
    func `all plans of queries with joins agree with the evaluation`(seed: UInt64) throws {
        var generator = QueryGenerator(seed: seed)
        for _ in 0..<4 {
            let tables = try TestTables([generator.table("A"), generator.table("B"), generator.table("C")])
            for _ in 0..<6 {
                var query = generator.joinQuery(tables.tables.map(\.structure))
                // What a limit over all parents keeps depends on their order.
                if query.order.isEmpty, query.limit != nil || query.joins.contains(where: { $0.limit != nil }) {
                    query.order = [OrderTerm(column: 0)]
                }
                try check(query, in: tables, seed)
            }
        }
    }

    @Test func `sorts and sets that do not fit into memory agree with the evaluation`() throws {
        for seed in 200..<206 as Range<UInt64> {
            var generator = QueryGenerator(seed: seed)
            let tables = try TestTables([generator.table("T")])
            for _ in 0..<6 {
                try check(generator.query(tables.tables[0].structure), in: tables, seed, mostBytes: 500)
            }
        }
    }
}
