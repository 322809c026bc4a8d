#if PostgreSQL || MySQL
import Foundation

/// A cluster of servers of the tests' own, whose nodes can be hurt.
protocol TestCluster: AnyObject, Sendable {
    var nodeCount: Int { get }
    /// Ends a node as a loss of power would.
    func kill(_ node: Int) throws
    /// Starts a node that was killed; does not wait for it.
    func restart(_ node: Int) throws
    /// Stops a node's processes: it accepts connections, and says nothing.
    func freeze(_ node: Int)
    func thaw(_ node: Int)
    /// Whether all nodes are in step.
    func isWhole() -> Bool
    /// The node that the next fault is about.
    func victim() -> Int
    /// How long a node is away, in seconds.
    var outage: ClosedRange<Double> { get }
}

/// What happens to a node.
enum ClusterFault: String, CaseIterable, Sendable {
    /// SIGKILL, and a start some seconds later.
    case killed
    /// SIGSTOP, and SIGCONT some seconds later.
    case frozen
}

extension TestCluster {
    /// Any.
    func victim() -> Int { Int.random(in: 0..<nodeCount) }

    var outage: ClosedRange<Double> { 1...10 }

    /// Hurts one node and lets it come back after some seconds, chosen at random.
    func suffer(_ fault: ClusterFault, _ node: Int) throws {
        let pause = UInt32(Double.random(in: outage) * 1_000_000)
        switch fault {
        case .killed:
            try kill(node)
            usleep(pause)
            try restart(node)
        case .frozen:
            freeze(node)
            usleep(pause)
            thaw(node)
        }
    }
}
#endif
