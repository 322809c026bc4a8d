#if MySQL
import Foundation
import TableKit
import TableSQL
import Testing

@testable import MySQLTables

extension MySQLTests {
    /// What a Galera cluster promises through this adapter. Takes minutes: in the thorough form alone.
    @Suite(
        .serialized,
        .enabled(if: GaleraCluster.isWanted, Comment(rawValue: GaleraCluster.absence)))
    struct GaleraTests {
        /// Runs a body that blocks on a thread of its own.
        private func onThread<R: Sendable>(_ body: @escaping @Sendable () throws -> R) async throws -> R {
            let threads = WorkerThreads(name: "galera.tests")
            return try await threads.run(body)
        }

        private func options(isAuditor: Bool) -> MySQLOptions {
            var options = MySQLOptions()
            options.connectTimeout = .seconds(3)
            options.statementTimeout = .seconds(10)
            options.answerTimeout = .seconds(2)
            options.lockTimeout = .seconds(3)
            options.hostChoice = .any
            options.readsSeeOtherNodes = isAuditor
            return options
        }

        @Test("Transfers on all nodes at once, while nodes are killed, frozen and started again") func transfers()
            async throws
        {
            let rounds = ProcessInfo.processInfo.environment["SILTSTONE_ROUNDS"].flatMap { Int($0) } ?? 20
            let figures = try await onThread {
                let cluster = try GaleraCluster()
                defer { cluster.remove() }
                let run = TransferRun(clients: 8) { number in
                    try MySQLDatabaseConfiguration(cluster.url(), options: options(isAuditor: number == 8))
                }
                do {
                    return try ClusterProof(cluster: cluster, run: run).check(
                        rounds: rounds,
                        atEnd: try (0..<cluster.nodeCount).map {
                            try MySQLDatabaseConfiguration(cluster.url($0), options: options(isAuditor: true))
                        })
                } catch { throw ServerFailure("\(error)\n\(cluster.words)") }
            }
            print(figures)
            #expect(figures.problems.isEmpty, "\(figures)")
            #expect(figures.rounds == rounds)
        }
    }
}
#endif
