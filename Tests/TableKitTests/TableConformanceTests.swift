import SiltstoneTesting
import TableKit
import Testing

struct TableConformanceTests {
    private let conformance = TableConformance { ReferenceDatabaseConfiguration() }

    init() { QuietErrors.begin() }

    @Test(arguments: TableConformance<ReferenceDatabaseConfiguration>.promises)
    func theReferenceEngineKeeps(promise: String) async throws { try await conformance.check(promise) }

    @Test func promisesHaveDifferentNames() {
        let promises = TableConformance<ReferenceDatabaseConfiguration>.promises
        #expect(Set(promises).count == promises.count)
        #expect(promises.count > 130)
    }

    private static let faults = [
        EngineFault(testDescription: "DISTINCT is not heeded", query: { $0.isDistinct = false }),
        EngineFault(testDescription: "limits are not heeded", query: { $0.limit = nil }),
        EngineFault(testDescription: "skips are not heeded", query: { $0.limit?.skip = 0 }),
        EngineFault(testDescription: "orders are not heeded", query: { $0.order = [] }),
        EngineFault(testDescription: "only the first order counts", query: { $0.order = Array($0.order.prefix(1)) }),
        EngineFault(testDescription: "conditions are not heeded", query: { $0.predicate = nil }),
        EngineFault(
            testDescription: "only the first condition counts", query: { $0.predicate = $0.predicate?.conjuncts.first }),
        EngineFault(
            testDescription: "the negation of unknown is true",
            query: { query in
                if case .not(let part)? = query.predicate { query.predicate = .or([.not(part), unknown(part)]) }
            }),
        EngineFault(
            testDescription: "orders of joins are not heeded",
            query: { for join in $0.joins.indices { $0.joins[join].order = [] } }),
        EngineFault(
            testDescription: "limits of joins are those of each parent",
            query: { query in
                for join in query.joins.indices {
                    query.joins[join].limitEach = query.joins[join].limit
                    query.joins[join].limit = nil
                }
            }),
        EngineFault(
            testDescription: "joins begin with other columns",
            query: { for join in $0.joins.indices where $0.joins[join].pivot == nil { $0.joins[join].on = 0 } }),
        EngineFault(testDescription: "keys are replaced", insert: { $0.onConflict = .replace }),
        EngineFault(testDescription: "keys are ignored", insert: { $0.onConflict = .ignore }),
        EngineFault(testDescription: "nested rollbacks do nothing", keepsAfterRollback: true),
    ]

    /// A condition that is true where another is unknown: where one of its columns is NULL.
    private static func unknown(_ part: Predicate) -> Predicate { .or(part.references.map { .isNull($0) }) }

    @Test(arguments: faults) func aFaultBreaksAPromise(fault: EngineFault) async {
        // Up to the first that is broken and the first that is kept: a fault that breaks them all would prove nothing.
        let conformance = TableConformance { FaultyDatabaseConfiguration(fault) }
        var (isBroken, isKept) = (false, false)
        for promise in TableConformance<FaultyDatabaseConfiguration>.promises where !(isBroken && isKept) {
            if await conformance.failure(of: promise) == nil { isKept = true } else { isBroken = true }
        }
        #expect(isBroken, "No promise is broken where \(fault.testDescription).")
        #expect(isKept, "Every promise is broken where \(fault.testDescription).")
    }
}
