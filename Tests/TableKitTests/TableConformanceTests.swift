import SiltstoneTesting
import TableKit
import Testing

@Suite struct TableConformanceTests {
    private let conformance = TableConformance { ReferenceDatabaseConfiguration() }

    @Test(arguments: TableConformance<ReferenceDatabaseConfiguration>.promises)
    func theReferenceEngineKeeps(promise: String) async throws { try await conformance.check(promise) }

    @Test func promisesHaveDifferentNames() {
        let promises = TableConformance<ReferenceDatabaseConfiguration>.promises
        #expect(Set(promises).count == promises.count)
        #expect(promises.count > 130)
    }
}
