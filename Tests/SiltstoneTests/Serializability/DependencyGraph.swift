/// Which transaction must come before which in any serial order (Adya, Liskov and O'Neil, "Generalized isolation level
/// definitions", 2000).
///
/// The first nodes are the transactions. Behind them comes one node for each commit, in the order of time: an edge leads
/// from a transaction to the moment of its end, from there to the next one, and from the last moment before a begin to
/// the transaction. So real time takes a linear number of edges.
struct DependencyGraph {
    enum Dependency: Hashable {
        /// The target has overwritten a version of the source.
        case write(key: Int)
        /// The target has read a version of the source.
        case read(key: Int)
        /// The target has overwritten a version that the source has read.
        case anti(key: Int, isPredicate: Bool)
        /// The source had ended when the target began.
        case time

        var isAnti: Bool { if case .anti = self { true } else { false } }
        var isWrite: Bool { if case .write = self { true } else { false } }
        var isTime: Bool { self == .time }
    }

    struct Edge {
        var source: Int
        var target: Int
        var dependency: Dependency
    }

    /// The edges from each node.
    private(set) var edges: [[Edge]]
    let transactionCount: Int

    init(_ records: [TransactionRecord], _ order: VersionOrder) {
        transactionCount = records.count
        edges = Array(repeating: [], count: records.count)
        addVersions(records, order)
        addTime(records)
    }

    private mutating func add(_ source: Int?, _ target: Int?, _ dependency: Dependency) {
        guard let source, let target, source != target else { return }
        edges[source].append(Edge(source: source, target: target, dependency: dependency))
    }

    private mutating func addVersions(_ records: [TransactionRecord], _ order: VersionOrder) {
        var places: [Int: [Revision: Int]] = [:]
        for key in order.keys {
            let versions = order[key]
            for (index, version) in versions.enumerated() {
                places[key, default: [:]][version.revision] = index
                if index > 0 { add(versions[index - 1].writer, version.writer, .write(key: key)) }
            }
        }
        for (index, record) in records.enumerated() where record.outcome == .committed {
            for read in record.reads {
                let versions = order[read.key]
                guard let place = places[read.key]?[read.revision] else { continue }
                add(versions[place].writer, index, .read(key: read.key))
                if place + 1 < versions.count {
                    add(index, versions[place + 1].writer, .anti(key: read.key, isPredicate: read.isPredicate))
                }
            }
        }
    }

    private mutating func addTime(_ records: [TransactionRecord]) {
        var events: [(time: Int, isEnd: Bool, transaction: Int)] = []
        for (index, record) in records.enumerated() where record.outcome == .committed {
            events.append((record.invoked, false, index))
            events.append((record.returned, true, index))
        }
        events.sort { ($0.time, $0.isEnd ? 1 : 0) < ($1.time, $1.isEnd ? 1 : 0) }
        var moment: Int?
        for event in events {
            guard event.isEnd else {
                add(moment, event.transaction, .time)
                continue
            }
            edges.append([])
            add(moment, edges.count - 1, .time)
            moment = edges.count - 1
            add(event.transaction, moment, .time)
        }
    }

    // MARK: Cycles

    /// Which paths count when a cycle is looked for.
    enum Paths {
        /// Any edge may follow any other.
        case any
        /// Of the anti-dependencies no two follow each other.
        case apartAnti
        /// No anti-dependency but the first edge.
        case oneAnti
        /// No anti-dependency.
        case noAnti
        /// Only overwriting.
        case writes
    }

    /// Whether there is no cycle, by taking away nodes that nothing leads to (Kahn, 1962).
    /// - Parameter paths: ``Paths/any`` or ``Paths/apartAnti``.
    func isAcyclic(_ paths: Paths) -> Bool {
        var incoming = Array(repeating: 0, count: 2 * edges.count)
        for node in incoming.indices { forEachStep(from: node, paths) { step, _ in incoming[step] += 1 } }
        var free = incoming.indices.filter { incoming[$0] == 0 }
        var left = incoming.count
        while let node = free.popLast() {
            left -= 1
            forEachStep(from: node, paths) { step, _ in
                incoming[step] -= 1
                if incoming[step] == 0 { free.append(step) }
            }
        }
        return left == 0
    }

    /// Calls `body` with each step that may follow. A step is twice the node, and one more where an anti-dependency has
    /// led to it.
    private func forEachStep(from step: Int, _ paths: Paths, _ body: (Int, Edge) -> Void) {
        for edge in edges[step / 2] {
            let isAnti = edge.dependency.isAnti
            switch paths {
            case .any: body(2 * edge.target, edge)
            case .apartAnti: if !isAnti || step % 2 == 0 { body(2 * edge.target + (isAnti ? 1 : 0), edge) }
            case .oneAnti, .noAnti: if !isAnti { body(2 * edge.target, edge) }
            case .writes: if edge.dependency.isWrite || edge.dependency.isTime { body(2 * edge.target, edge) }
            }
        }
    }

    /// A shortest cycle of a kind; nil where there is none.
    /// - Parameter usesTime: whether real time counts.
    func cycle(_ paths: Paths, usesTime: Bool) -> [Edge]? {
        var shortest: [Edge]?
        for first in edges.joined() where usesTime || !first.dependency.isTime {
            let isAnti = first.dependency.isAnti
            if isAnti, paths == .noAnti || paths == .writes { continue }
            if paths == .writes, !first.dependency.isWrite { continue }
            // A cycle of only one anti-dependency begins with it.
            if paths == .oneAnti, !isAnti { continue }
            guard let rest = path(from: first, paths, usesTime: usesTime, limit: shortest?.count) else { continue }
            shortest = [first] + rest
            if rest.count == 1 { break }
        }
        return shortest
    }

    /// A shortest path from the target of an edge back to its source.
    private func path(from first: Edge, _ paths: Paths, usesTime: Bool, limit: Int?) -> [Edge]? {
        let start = 2 * first.target + (paths == .apartAnti && first.dependency.isAnti ? 1 : 0)
        var reached: [Int: (edge: Edge, from: Int)] = [:]
        var lengths = [start: 0]
        var queue = [start]
        var next = 0
        while next < queue.count {
            let step = queue[next]
            next += 1
            let length = lengths[step] ?? 0
            if let limit, length + 2 >= limit { return nil }
            var end: Int?
            forEachStep(from: step, paths) { target, edge in
                guard usesTime || !edge.dependency.isTime, lengths[target] == nil else { return }
                lengths[target] = length + 1
                reached[target] = (edge, step)
                queue.append(target)
                // The first edge follows the last one.
                let isFollowed = !(paths == .apartAnti && first.dependency.isAnti && target % 2 == 1)
                if target / 2 == first.source, isFollowed { end = target }
            }
            guard var back = end else { continue }
            var edges: [Edge] = []
            while back != start, let last = reached[back] {
                edges.append(last.edge)
                back = last.from
            }
            return edges.reversed()
        }
        return nil
    }
}
