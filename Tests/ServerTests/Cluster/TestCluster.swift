#if PostgreSQL || MySQL
import Foundation
import TestServers

/// A cluster of servers of the tests' own, whose nodes can be hurt.
protocol TestCluster: AnyObject, Sendable {
    var nodeCount: Int { get }
    /// The network whose first machines are the nodes; nil where all are on the loopback.
    var network: NodeNetwork? { get }
    /// What happens to nodes, one after the other.
    var faults: [ClusterFault] { get }
    /// Ends a node as a loss of power would.
    func kill(_ node: Int) throws
    /// Starts a node that was killed; does not wait for it.
    func restart(_ node: Int) throws
    /// Stops a node's processes: it accepts connections, and says nothing.
    func freeze(_ node: Int)
    func thaw(_ node: Int)
    /// The machines from which a partition cuts a node.
    func others(than node: Int, in fault: ClusterFault) -> [Int]
    /// Whether all nodes are in step.
    func isWhole() -> Bool
    /// The node that the next fault is about.
    func victim() -> Int
    /// How long a node is away, in seconds.
    var outage: ClosedRange<Double> { get }
    /// The longest that a client may be without a transfer after a fault, in seconds.
    var patience: Double { get }
}

/// What happens to a node.
enum ClusterFault: String, CaseIterable, Sendable {
    /// SIGKILL, and a start some seconds later.
    case killed
    /// SIGSTOP, and SIGCONT some seconds later.
    case frozen
    /// Its cable is pulled out: neither nodes nor clients reach it.
    case unplugged
    /// It is cut from the other machines of the cluster. Clients reach it, as in all faults below.
    case separated
    /// The others do not hear it; it hears them.
    case mute
    /// It does not hear the others; they hear it.
    case deaf
    /// It is cut from the store that says which server leads, and not from the other servers.
    case storeless
    /// It is cut from the other servers, and not from the store.
    case standbyless

    /// Those of the network.
    static let partitions: [ClusterFault] = [.unplugged, .separated, .mute, .deaf]
}

extension TestCluster {
    var faults: [ClusterFault] { network == nil ? [.killed, .frozen] : ClusterFault.partitions }

    func others(than node: Int, in fault: ClusterFault) -> [Int] { (0..<nodeCount).filter { $0 != node } }

    /// Any.
    func victim() -> Int { Int.random(in: 0..<nodeCount) }

    var outage: ClosedRange<Double> { network == nil ? 1...10 : 1...20 }

    var patience: Double { 30 }

    /// Hurts one node and lets it come back.
    /// - Parameter seconds: how long it is away.
    func suffer(_ fault: ClusterFault, _ node: Int, for seconds: Double) throws {
        let pause = UInt32(seconds * 1_000_000)
        switch fault {
        case .killed:
            try kill(node)
            usleep(pause)
            try restart(node)
        case .frozen:
            freeze(node)
            usleep(pause)
            thaw(node)
        default:
            guard let network else { throw ServerFailure("The cluster has no network to part.") }
            try part(node, fault, network)
            usleep(pause)
            try network.heal()
            try network.plug(node)
        }
    }

    private func part(_ node: Int, _ fault: ClusterFault, _ network: NodeNetwork) throws {
        let others = others(than: node, in: fault)
        if fault == .unplugged { return try network.unplug(node) }
        if fault != .deaf { try network.lose(from: node, to: others) }
        if fault != .mute { for other in others { try network.lose(from: other, to: [node]) } }
    }
}
#endif
