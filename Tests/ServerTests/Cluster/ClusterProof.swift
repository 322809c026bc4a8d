#if PostgreSQL || MySQL
import Foundation
import TableKit
import TestServers

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Transfers while one node after the other is hurt, and comes back.
struct ClusterProof<C: DatabaseConfigurationProtocol> {
    let cluster: any TestCluster
    let run: TransferRun<C>

    /// One fault, and what came of it.
    struct Round {
        let fault: ClusterFault
        let node: Int
        /// How long the node was away, in seconds.
        let outage: Double
        /// The longest time between two transfers of one client, in seconds.
        var wait = 0.0
        /// How long after the node came back all were in step, in seconds.
        var untilWhole = 0.0
    }

    /// What was seen.
    struct Figures: CustomStringConvertible {
        var rounds: [Round] = []
        var entries: TransferLog.Entries
        var problems: [String] = []

        var description: String {
            func range(_ values: [Double]) -> String {
                guard let least = values.min(), let most = values.max() else { return "-" }
                let mean = values.reduce(0, +) / Double(values.count)
                return String(format: "%.1f to %.1f s, %.1f s on average", least, most, mean)
            }
            let samples = entries.errors.sorted { $0.value > $1.value }.prefix(12).map { "  \($0.value) x \($0.key)" }
            let kinds = Set(rounds.map(\.fault)).sorted { $0.rawValue < $1.rawValue }.map { fault in
                let some = rounds.filter { $0.fault == fault }
                return """
                      \(some.count) x \(fault) for \(range(some.map(\.outage)))
                        the longest time between two transfers of a client: \(range(some.map(\.wait)))
                        all nodes in step after the return: \(range(some.map(\.untilWhole)))
                    """
            }
            return """
                \(rounds.count) rounds
                \(kinds.joined(separator: "\n"))
                acknowledged \(entries.acknowledged.count), unknown \(entries.unknown.count), \
                refused \(entries.refused.count); bodies run \(entries.runs) times
                audits \(entries.audits), and \(entries.failedAudits) that could not be made
                the longest time between two transfers of a client: \(range(rounds.map(\.wait))), \
                in \(rounds.count { $0.wait > 30 }) rounds more than 30 s
                all nodes in step after the return: \(range(rounds.map(\.untilWhole)))
                problems: \(problems)
                errors:
                \(samples.joined(separator: "\n"))
                """
        }
    }

    /// - Returns: figures, with what is wrong in ``Figures/problems``.
    func check(rounds: Int, atEnd configurations: [C]) throws -> Figures {
        try run.prepare()
        let work = run.start()
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
        let fault = cluster.faults[figures.rounds.count % cluster.faults.count]
        // Else all clients would be on the nodes that no fault has met for a while: a program stays where it is.
        run.log.restartPrograms()
        usleep(1_000_000)
        var round = Round(fault: fault, node: cluster.victim(), outage: .random(in: cluster.outage))
        run.log.note { $0.longestWait = $0.longestWait.map { _ in .zero } }
        try cluster.suffer(fault, round.node, for: round.outage)
        let back = ContinuousClock.now
        try wait(until: "all clients go on", limit: .seconds(120)) {
            run.log.snapshot.lastSuccess.allSatisfy { $0 > back }
        }
        round.wait = run.log.snapshot.longestWait.max()?.seconds ?? 0
        if round.wait > cluster.patience {
            figures.problems.append(
                "A client was \(round.wait) s without a transfer after node \(round.node) was \(fault) for \(round.outage) s."
            )
        }
        try wait(until: "the nodes are in step", limit: .seconds(180)) { cluster.isWhole() }
        round.untilWhole = (ContinuousClock.now - back).seconds
        figures.rounds.append(round)
        print("round \(figures.rounds.count): \(round)")
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
