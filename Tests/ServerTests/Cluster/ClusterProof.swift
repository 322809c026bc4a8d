#if PostgreSQL || MySQL
import Foundation
import TableKit
import TestServers

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Transfers while one node after the other is killed or frozen, and comes back.
struct ClusterProof<C: DatabaseConfigurationProtocol> {
    /// The longest that a client may be without a transfer after a fault.
    static var patience: Duration { .seconds(30) }

    let cluster: any TestCluster
    let run: TransferRun<C>

    /// What was seen.
    struct Figures: CustomStringConvertible {
        var rounds = 0
        /// For each fault, the longest time between two transfers of one client, in seconds.
        var waits: [Double] = []
        /// For each fault, how long after the node came back all were in step, in seconds.
        var returns: [Double] = []
        var faults: [String] = []
        var entries: TransferLog.Entries
        var problems: [String] = []

        var description: String {
            func range(_ values: [Double]) -> String {
                guard let least = values.min(), let most = values.max() else { return "-" }
                let mean = values.reduce(0, +) / Double(values.count)
                return String(format: "%.1f to %.1f s, %.1f s on average", least, most, mean)
            }
            let samples = entries.errors.sorted { $0.value > $1.value }.prefix(12).map { "  \($0.value) x \($0.key)" }
            return """
                \(rounds) rounds (\(faults.joined(separator: ", ")))
                acknowledged \(entries.acknowledged.count), unknown \(entries.unknown.count), \
                refused \(entries.refused.count); bodies run \(entries.runs) times
                audits \(entries.audits), and \(entries.failedAudits) that could not be made
                the longest time between two transfers of a client: \(range(waits))
                all nodes in step after the return: \(range(returns))
                problems: \(problems)
                errors:
                \(samples.joined(separator: "\n"))
                """
        }
    }

    /// - Returns: figures, with what is wrong in ``Figures/problems``.
    func check(rounds: Int, atEnd configurations: [C]) throws -> Figures {
        try run.prepare()
        let work = try run.start()
        var figures = Figures(entries: run.log.snapshot)
        do {
            for _ in 0..<rounds { try round(&figures) }
        } catch {
            run.log.end()
            for one in work { try one.get() }
            throw error
        }
        run.log.end()
        for one in work { try one.get() }
        figures.entries = run.log.snapshot
        for configuration in configurations {
            figures.problems += try run.problems(configuration).filter { !figures.problems.contains($0) }
        }
        return figures
    }

    private func round(_ figures: inout Figures) throws {
        let fault = ClusterFault.allCases.randomElement() ?? .killed
        let node = cluster.victim()
        run.log.note { $0.longestWait = $0.longestWait.map { _ in .zero } }
        let cluster = cluster
        let back = try Background { () -> ContinuousClock.Instant in
            try cluster.suffer(fault, node)
            return .now
        }.get()
        try wait(until: "all clients go on", limit: .seconds(120)) {
            run.log.snapshot.lastSuccess.allSatisfy { $0 > back }
        }
        let wait = run.log.snapshot.longestWait.max()?.seconds ?? 0
        figures.waits.append(wait)
        if wait > Self.patience.seconds {
            figures.problems.append("A client was \(wait) s without a transfer after node \(node) was \(fault).")
        }
        try self.wait(until: "the nodes are in step", limit: .seconds(180)) { cluster.isWhole() }
        figures.returns.append((ContinuousClock.now - back).seconds)
        figures.rounds += 1
        figures.faults.append("\(node) \(fault)")
        print("round \(figures.rounds): node \(node) \(fault), \(wait) s")
        usleep(1_000_000)
    }

    private func wait(until what: String, limit: Duration, _ condition: () -> Bool) throws {
        let end = ContinuousClock.now + limit
        while !condition() {
            if ContinuousClock.now > end { throw ServerFailure("Not within \(limit): \(what)") }
            usleep(50_000)
        }
    }
}

extension Duration {
    fileprivate var seconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}
#endif
