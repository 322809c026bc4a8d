@testable import Siltstone

/// Something in a history that an isolation level forbids.
struct Anomaly: Equatable, CustomStringConvertible {
    /// The names are Adya's.
    enum Kind: String {
        /// A revision was read that nobody wrote.
        case invented = "a read of what nobody wrote"
        /// What a transaction read was not the state of its snapshot.
        case notOfSnapshot = "a read that is not of the snapshot"
        case g1a = "G1a, a read of what was rolled back"
        case g1b = "G1b, a read of what its writer overwrote"
        case g0 = "G0, writes in a circle"
        case g1c = "G1c, information flows in a circle"
        case gSingle = "G-single, one anti-dependency in a circle"
        /// Anti-dependencies in a circle, no two of which follow each other: snapshot isolation does not permit it either.
        case gApart = "anti-dependencies apart from each other in a circle"
        case g2Item = "G2-item, anti-dependencies in a circle"
        case g2 = "G2, anti-dependencies of ranges in a circle"
    }

    var kind: Kind
    /// Whether it takes real time into account: without it, an order would explain what was seen.
    var usesTime = false
    var explanation = ""

    var description: String { "\(kind.rawValue)\(usesTime ? ", in real time" : ""): \(explanation)" }

    /// Whether they are of the same kind.
    static func == (a: Anomaly, b: Anomaly) -> Bool { a.kind == b.kind && a.usesTime == b.usesTime }
}

/// Looks for what no serial order, or no order of snapshots, explains.
///
/// The method is that of Elle (Kingsbury and Alvaro, 2020): every write has a value of its own, so that a read tells whose
/// write it saw, and the transactions form a graph. A history is serializable, strictly so where real time counts, if the
/// graph has no cycle. It is snapshot-isolated if each cycle has two anti-dependencies that follow each other (Fekete et
/// al., "Making snapshot isolation serializable", 2005). The order of versions comes from the commits' numbers.
struct SerializabilityChecker {
    private let records: [TransactionRecord]
    private let order: VersionOrder
    private let isolation: Transaction.Isolation

    /// The first anomaly of a history; nil where all is well.
    static func check(_ records: [TransactionRecord], _ isolation: Transaction.Isolation) -> Anomaly? {
        let order = VersionOrder(records)
        var first: Anomaly?
        // Under snapshot isolation either moment may explain that a key was absent: it may have come and gone meanwhile.
        for moment in isolation == .serializable ? [VersionOrder.Moment.commit] : [.begin, .commit] {
            let traced = order.tracingAbsence(in: records, at: moment)
            let checker = SerializabilityChecker(records: traced, order: order, isolation: isolation)
            guard let anomaly = checker.strayRead() ?? checker.circle() else { return nil }
            first = first ?? anomaly
        }
        return first
    }

    // MARK: Single reads

    /// A read that is wrong by itself.
    private func strayRead() -> Anomaly? {
        var (known, aborted, intermediate): (Set<Revision>, Set<Revision>, Set<Revision>) = ([.absent], [], [])
        for record in records {
            if record.outcome == .committed {
                known.formUnion(record.writes.map(\.revision))
            } else {
                aborted.formUnion(record.writes.map(\.revision))
            }
            aborted.formUnion(record.undone)
            intermediate.formUnion(record.intermediate)
        }
        for (index, record) in records.enumerated() {
            for read in record.reads where !known.contains(read.revision) {
                let kind: Anomaly.Kind =
                    aborted.contains(read.revision) ? .g1a : intermediate.contains(read.revision) ? .g1b : .invented
                return Anomaly(kind: kind, explanation: "\(name(index)) read \(read.revision) of key \(read.key)")
            }
            guard let snapshot = record.snapshot else { continue }
            for read in record.reads {
                let expected = order.newest(read.key, upTo: snapshot)
                if read.revision == expected.revision { continue }
                if expected.isAbsent, isAbsent(read) { continue }
                return Anomaly(
                    kind: .notOfSnapshot,
                    explanation: "\(name(index)) read \(read.revision) of key \(read.key), not \(expected.revision)")
            }
        }
        return nil
    }

    private func isAbsent(_ read: TransactionRecord.Read) -> Bool {
        order[read.key].contains { $0.revision == read.revision && $0.isAbsent }
    }

    // MARK: Cycles

    private func circle() -> Anomaly? {
        let graph = DependencyGraph(records, order)
        if graph.isAcyclic(isolation == .serializable ? .any : .apartAnti) { return nil }
        let levels: [(DependencyGraph.Paths, Anomaly.Kind)] = [
            (.writes, .g0), (.noAnti, .g1c), (.oneAnti, .gSingle), (.apartAnti, .gApart), (.any, .g2),
        ]
        for usesTime in [false, true] {
            for (paths, kind) in levels where isolation == .serializable || paths != .any {
                guard let cycle = graph.cycle(paths, usesTime: usesTime) else { continue }
                let isOfRanges = cycle.contains {
                    if case .anti(_, let isPredicate) = $0.dependency { isPredicate } else { false }
                }
                return Anomaly(
                    kind: kind == .g2 && !isOfRanges ? .g2Item : kind, usesTime: usesTime,
                    explanation: cycle.map(describe).joined(separator: "; "))
            }
        }
        return Anomaly(kind: .g2, explanation: "a cycle that was not found again")
    }

    private func describe(_ edge: DependencyGraph.Edge) -> String {
        let (source, target) = (name(edge.source), name(edge.target))
        return switch edge.dependency {
        case .write(let key): "\(target) overwrote what \(source) wrote to key \(key)"
        case .read(let key): "\(target) read what \(source) wrote to key \(key)"
        case .anti(let key, let isPredicate):
            "\(target) overwrote what \(source) read of key \(key)\(isPredicate ? " in a range" : "")"
        case .time: "\(source) before \(target)"
        }
    }

    private func name(_ node: Int) -> String {
        guard records.indices.contains(node) else { return "moment \(node - records.count)" }
        let record = records[node]
        return
            "T\(node) [\(record.invoked)-\(record.returned), \(record.sequence.map { "commit \($0)" } ?? "no commit")]"
    }
}
