#if PostgreSQL
import Foundation
import TableKit
import TableSQL
import TestServers

@testable import PostgresTables

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

extension PatroniCluster: TestCluster {
    /// Whether tests that take minutes are to run.
    static let isThorough = ProcessInfo.processInfo.environment["SILTSTONE_THOROUGH"].map { $0 != "0" } ?? false

    /// Some shorter than Patroni's patience with a leader, some longer.
    var outage: ClosedRange<Double> { network == nil ? 1...40 : 1...20 }

    var faults: [ClusterFault] {
        network == nil ? [.killed, .frozen] : ClusterFault.partitions + [.storeless, .standbyless]
    }

    func others(than node: Int, in fault: ClusterFault) -> [Int] {
        let store = nodeCount
        let servers = (0..<nodeCount).filter { $0 != node }
        return fault == .storeless ? [store] : fault == .standbyless ? servers : servers + [store]
    }

    /// Waits until a commit is acknowledged with all nodes in step. A new cluster changes once more who follows synchronously.
    func waitUntilWritable() throws {
        for _ in 0..<1200 {
            if isWhole(), isWritable() { return }
            usleep(50_000)
        }
        throw ServerFailure("The cluster takes no writes after a minute.")
    }

    private func withLeader<R>(_ body: (PostgresConnection) throws -> R) throws -> R {
        var options = PostgresOptions()
        options.statementTimeout = .seconds(2)
        options.answerTimeout = .seconds(1)
        let connection = try PostgresConnector(connectionString, options: options).connect()
        defer { connection.close() }
        return try body(connection)
    }

    /// Mostly the server that leads, whose loss is noticed.
    func victim() -> Int {
        let port = try? withLeader { try $0.rows("SHOW port", as: [.string])[0][0] }
        let leader = ports.firstIndex { .text("\($0)") == port }
        return Int.random(in: 0..<4) == 0 ? Int.random(in: 0..<nodeCount) : leader ?? Int.random(in: 0..<nodeCount)
    }

    /// Whether one server leads, and all others follow it, at least one of them synchronously.
    func isWhole() -> Bool {
        let counts = try? withLeader {
            try $0.rows(
                "SELECT count(*), count(*) FILTER (WHERE sync_state IN ('sync', 'quorum'))"
                    + " FROM pg_stat_replication WHERE state = 'streaming'", as: [.int64, .int64])[0]
        }
        guard case .integer(let standbys)? = counts?.first, case .integer(let inStep)? = counts?.last else {
            return false
        }
        return standbys == nodeCount - 1 && inStep > 0 && isSynchronousKnown
    }

    /// Whether a commit is acknowledged.
    private func isWritable() -> Bool {
        do { try withLeader { try $0.run("CREATE TABLE IF NOT EXISTS ready (a integer)") } } catch { return false }
        do { try withLeader { try $0.run("INSERT INTO ready VALUES (1)") } } catch { return false }
        return true
    }
}
#endif
