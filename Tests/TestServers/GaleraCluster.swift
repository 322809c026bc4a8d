import Foundation
import Synchronization

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A Galera cluster of one's own: nodes of MariaDB, on the loopback or on machines of a network, all of which take writes.
public final class GaleraCluster: @unchecked Sendable {
    // `@unchecked Sendable`: `processes` has a lock, the rest does not change.
    private struct Node {
        let directory: String
        let host: String
        /// Its network namespace.
        let machine: String?
        let port: Int
        /// For the group, for the changes that a node has missed, for the state as a whole.
        let groupPort: Int
        let changesPort: Int
        let statePort: Int
    }

    private static let library = "/usr/lib/galera/libgalera_smm.so"
    /// Whether a cluster can be started.
    public static let isAvailable =
        MySQLServer.program != nil && FileManager.default.fileExists(atPath: library)
        && FileManager.default.isExecutableFile(atPath: "/usr/bin/rsync")
    /// Why nothing can be run here.
    public static let absence = "There is no Galera here (Debian: mariadb-server, galera-4 and rsync)."

    private let name = "silt\(UInt32.random(in: 0...9999))"
    private let nodes: [Node]
    private let processes: Mutex<[ServerProcess?]>
    /// Options of the servers beside those that all have.
    private let options: [String]
    package let database = "shop"
    package let network: NodeNetwork?

    /// Starts a cluster and waits until all nodes are in step.
    /// - Parameters:
    ///   - options: of the servers, behind those that make them small and quick: a test needs no sync of the disk.
    ///   - parent: where its directories are made.
    public convenience init(
        nodes count: Int = 3, _ options: [String] = [], in parent: String = ServerDirectory.temporary
    ) throws {
        try self.init(nodes: count, options, in: parent, on: nil)
    }

    /// Starts a cluster on a network.
    /// - Parameter network: one with a machine for each node; it goes with the cluster.
    package init(
        nodes count: Int = 3, _ options: [String] = [], in parent: String = ServerDirectory.temporary,
        on network: NodeNetwork?
    ) throws {
        self.options = options
        self.network = network
        nodes = try (0..<count).map { number in
            Node(
                directory: ServerDirectory.path("galera", in: parent), host: network?.address(number) ?? "127.0.0.1",
                machine: network?.machine(number), port: try FreePort.find(), groupPort: try FreePort.find(),
                changesPort: try FreePort.find(), statePort: try FreePort.find())
        }
        processes = Mutex(Array(repeating: nil, count: count))
        for node in nodes {
            try ServerDirectory.make(node.directory)
            try MySQLServer.install(in: node.directory)
        }
        for number in nodes.indices {
            try start(number, isFirst: number == 0)
            try waitUntilInStep(number)
        }
        _ = try MySQLServer.run(
            "CREATE DATABASE \(database); CREATE USER app IDENTIFIED BY 'secret';"
                + " GRANT ALL ON \(database).* TO app", in: nodes[0].directory)
    }

    private func waitUntilInStep(_ number: Int) throws {
        let node = nodes[number]
        for _ in 0..<600 {
            if let state = try? MySQLServer.run("SHOW STATUS LIKE 'wsrep_local_state_comment'", in: node.directory),
                state.contains("Synced")
            {
                return
            }
            usleep(50_000)
        }
        throw ServerFailure("Node \(number) is not in step after half a minute: \(words)")
    }

    package var nodeCount: Int { nodes.count }

    private func start(_ number: Int, isFirst: Bool) throws {
        let node = nodes[number]
        let others = isFirst ? "" : nodes.map { "\($0.host):\($0.groupPort)" }.joined(separator: ",")
        var words =
            try MySQLServer.words(node.directory, port: node.port) + [
                "--bind-address=\(node.host)", "--binlog-format=ROW", "--innodb-autoinc-lock-mode=2", "--wsrep-on=ON",
                "--wsrep-provider=\(Self.library)", "--wsrep-cluster-name=\(name)",
                "--wsrep-node-address=\(node.host):\(node.groupPort)", "--wsrep-node-name=n\(number)",
                "--wsrep-sst-method=rsync", "--wsrep-sst-receive-address=\(node.host):\(node.statePort)",
                "--wsrep-provider-options=base_port=\(node.groupPort);"
                    + "gmcast.listen_addr=tcp://\(node.host):\(node.groupPort);"
                    + "ist.recv_addr=\(node.host):\(node.changesPort);gcache.size=32M",
                "--wsrep-cluster-address=gcomm://\(others)",
            ] + options
        if isFirst { words.append("--wsrep-new-cluster") }
        let process = try ServerProcess(words, log: "\(node.directory)/log", signal: "KILL", on: node.machine)
        processes.withLock { $0[number] = process }
    }

    /// Ends all processes and removes the directories.
    public func remove() {
        for number in nodes.indices { thaw(number) }
        processes.withLock { for process in $0 { process?.stop() } }
        network?.remove()
        for node in nodes { try? FileManager.default.removeItem(atPath: node.directory) }
    }

    // MARK: Connecting

    /// The URL of all nodes, or of one.
    public func url(_ node: Int? = nil) -> String {
        let hosts = (node.map { [$0] } ?? Array(nodes.indices)).map { "\(nodes[$0].host):\(nodes[$0].port)" }
        return "mysql://app:secret@\(hosts.joined(separator: ","))/\(database)"
    }

    /// The socket of a node.
    package func socket(_ node: Int) -> String { "\(nodes[node].directory)/s.sock" }

    /// What the nodes said last.
    package var words: String {
        processes.withLock { $0 }.enumerated().map { "node \($0): \($1?.words ?? "none")" }.joined(separator: "\n")
    }

    // MARK: Faults

    package func kill(_ node: Int) {
        processes.withLock {
            $0[node]?.send(SIGKILL)
            $0[node]?.stop()
            $0[node] = nil
        }
    }

    package func restart(_ node: Int) throws { try start(node, isFirst: false) }
    package func freeze(_ node: Int) { processes.withLock { $0[node]?.freeze() } }
    package func thaw(_ node: Int) { processes.withLock { $0[node]?.send(SIGCONT) } }
}
