#if PostgreSQL
import Foundation
import TableKit
import TableSQL
import Testing
import TestServers

@testable import PostgresTables

/// A cluster of PostgreSQL whose servers die and freeze. Takes some twenty minutes: in the thorough form alone.
@Suite(
    .serialized, .enabled(if: PatroniCluster.isThorough, "Only in the thorough form (SILTSTONE_THOROUGH=1)."),
    .enabled(if: PatroniCluster.absenceOfSafety == nil, Comment(rawValue: PatroniCluster.absenceOfSafety ?? "")))
struct PatroniTests {
    private func options() -> PostgresOptions {
        var options = PostgresOptions()
        options.statementTimeout = .seconds(4)
        options.answerTimeout = .seconds(1)
        options.connectTimeout = .seconds(2)
        options.maximumConnections = 2
        return options
    }

    @Test("Under Patroni nothing that was acknowledged is lost, audits hold, and clients go on") func transfers()
        async throws
    {
        try await prove { try PatroniCluster() }
    }

    @Test(
        "Under Patroni the same holds where a server is cut from others or from etcd, in one direction or both",
        .enabled(if: NodeNetwork.absence == nil, Comment(rawValue: NodeNetwork.absence ?? "")))
    func partitions() async throws {
        try await prove { try PatroniCluster(on: NodeNetwork(machines: 4)) }
    }

    private func prove(_ makeCluster: @escaping @Sendable () throws -> PatroniCluster) async throws {
        let rounds = ProcessInfo.processInfo.environment["SILTSTONE_ROUNDS"].flatMap { Int($0) } ?? 20
        let threads = WorkerThreads(name: "patroni.tests")
        let figures = try await threads.run {
            let cluster = try makeCluster()
            defer { cluster.remove() }
            try cluster.waitUntilWritable()
            let run = TransferRun(clients: 8, auditsWrite: true) { _ in
                try PostgresDatabaseConfiguration(cluster.connectionString, options: options())
            }
            let end = try PostgresDatabaseConfiguration(cluster.connectionString, options: options())
            return try ClusterProof(cluster: cluster, run: run).check(rounds: rounds, atEnd: [end])
        }
        print(figures)
        #expect(figures.problems.isEmpty, "\(figures)")
        #expect(figures.rounds.count == rounds)
    }
}
#endif
