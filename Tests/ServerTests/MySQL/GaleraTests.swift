#if MySQL
import Foundation
import TableKit
import TableSQL
import Testing
import TestServers

@testable import MySQLTables

extension MySQLTests {
    /// What a Galera cluster promises through this adapter. Takes minutes: in the thorough form alone.
    @Suite(
        .serialized,
        .enabled(if: GaleraCluster.isWanted, Comment(rawValue: GaleraCluster.refusal)))
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

        private struct Counter: Codable {
            var id: Int
            var value: Int
        }

        private func database(
            _ cluster: GaleraCluster, _ node: Int? = nil, seesOthers: Bool = false
        ) throws -> Database<MySQLDatabaseConfiguration> {
            Database(
                configuration: try MySQLDatabaseConfiguration(
                    cluster.url(node), options: options(isAuditor: seesOthers)))
        }

        @Test("Transactions that change one row on two nodes both take place; reads that ask for it see other nodes")
        func conflicts() async throws {
            try await onThread {
                let cluster = try GaleraCluster()
                defer { cluster.remove() }
                let nodes = try (0..<cluster.nodeCount).map { try database(cluster, $0) }
                let reader = try database(cluster, 2, seesOthers: true)
                try nodes[0].create(Counter.self).insert(Counter(id: 1, value: 0))
                let work = nodes.prefix(2).map { node in
                    Background {
                        for _ in 0..<100 {
                            try node.transaction { () throws -> Void in
                                let value = try node.table(Counter.self).find(1)?.value ?? 0
                                try node.table(Counter.self).where(\Counter.id == 1).update(
                                    Counter(id: 1, value: value + 1), setKeys: \.value)
                            }
                        }
                    }
                }
                for one in work { try one.get() }
                #expect(try reader.table(Counter.self).find(1)?.value == 200)
                for round in 0..<100 {
                    try nodes[round % 2].table(Counter.self).insert(Counter(id: 10 + round, value: round))
                    #expect(try reader.table(Counter.self).find(10 + round)?.value == round)
                }
                try unfit(cluster)
            }
        }

        /// Nodes that are out of step, or have lost the others, get nothing.
        private func unfit(_ cluster: GaleraCluster) throws {
            guard let donor = cluster.connection(to: 0) else { throw ServerFailure("Node 0 is gone.") }
            try donor.run("SET GLOBAL wsrep_desync = 1")
            let desynced = try connectionError {
                _ = try MySQLConnector(MySQLLogin(cluster.url(0)), options: options(isAuditor: false)).connect()
            }
            #expect(desynced.kind == .noConnection && desynced.message.contains("not in step"), "\(desynced)")
            try MySQLConnector(MySQLLogin(cluster.url()), options: options(isAuditor: false)).connect().close()
            try donor.run("SET GLOBAL wsrep_desync = 0")
            donor.close()
            try waitUntil("node 0 is in step") { cluster.connection(to: 0) != nil }
            let open = try MySQLConnector(MySQLLogin(cluster.url(0)), options: options(isAuditor: false)).connect()
            for node in [1, 2] { cluster.kill(node) }
            // Alone, the node refuses whatever is asked of it; nothing has taken place.
            try waitUntil("the node notices") {
                do { _ = try open.rows("SELECT id FROM Counter", as: [.int64]) } catch let error as SQLConnectionError {
                    #expect(error.kind == .connectionLost && error.serverCode == "1047", "\(error)")
                    return true
                }
                return false
            }
            #expect(!open.isUsable)
            open.close()
            let alone = try connectionError {
                _ = try MySQLConnector(MySQLLogin(cluster.url()), options: options(isAuditor: false)).connect()
            }
            #expect(alone.kind == .noConnection, "\(alone)")
        }

        @Test("Transfers on all nodes at once, while nodes are killed, frozen and started again") func transfers()
            async throws
        {
            try await prove { try GaleraCluster() }
        }

        @Test(
            "Transfers on all nodes at once, while nodes are cut from others, in one direction or both",
            .enabled(if: NodeNetwork.absence == nil, Comment(rawValue: NodeNetwork.absence ?? "")))
        func partitions() async throws {
            try await prove { try GaleraCluster(on: NodeNetwork(machines: 3)) }
        }

        private func prove(_ makeCluster: @escaping @Sendable () throws -> GaleraCluster) async throws {
            let rounds = ProcessInfo.processInfo.environment["SILTSTONE_ROUNDS"].flatMap { Int($0) } ?? 20
            let figures = try await onThread {
                let cluster = try makeCluster()
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
            #expect(figures.rounds.count == rounds)
        }
    }
}
#endif
