#if MySQL
import Foundation
import Synchronization
import TableKit
import TableSQL

@testable import MySQLTables

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A Galera cluster of the tests' own: nodes of MariaDB, on the loopback or on machines of a network, all of which take writes.
final class GaleraCluster: TestCluster, @unchecked Sendable {
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

    static let library = "/usr/lib/galera/libgalera_smm.so"
    static let isAvailable =
        MySQLServer.program != nil && FileManager.default.fileExists(atPath: library)
        && FileManager.default.isExecutableFile(atPath: "/usr/bin/rsync")
    /// Whether tests that take minutes are to run.
    static let isWanted =
        isAvailable && ProcessInfo.processInfo.environment["SILTSTONE_THOROUGH"].map { $0 != "0" } ?? false
    static let absence = "Not the thorough form, or there is no Galera here (Debian: galera-4 and rsync)."

    private let name = "silt\(UInt32.random(in: 0...9999))"
    private let nodes: [Node]
    private let processes: Mutex<[ServerProcess?]>
    let database = "shop"
    let network: NodeNetwork?

    /// Starts a cluster and waits until all nodes are in step.
    /// - Parameter network: one with a machine for each node; it goes with the cluster.
    init(nodes count: Int = 3, on network: NodeNetwork? = nil) throws {
        self.network = network
        nodes = try (0..<count).map { number in
            let directory =
                FileManager.default.temporaryDirectory.path + "/siltstone-galera-\(UUID().uuidString.prefix(8))"
            return Node(
                directory: directory, host: network?.address(number) ?? "127.0.0.1",
                machine: network?.machine(number), port: try FreePort.find(), groupPort: try FreePort.find(),
                changesPort: try FreePort.find(), statePort: try FreePort.find())
        }
        processes = Mutex(Array(repeating: nil, count: count))
        for node in nodes {
            try MySQLServer.makeDirectory(node.directory)
            try MySQLServer.install(in: node.directory)
        }
        for number in nodes.indices {
            try start(number, isFirst: number == 0)
            try waitUntil("node \(number) is in step") { connection(to: number) != nil }
        }
        guard let first = connection(to: 0) else { throw ServerFailure("The first node is gone.") }
        try first.run("CREATE DATABASE \(database)")
        try first.run("CREATE USER app IDENTIFIED BY 'secret'")
        try first.run("GRANT ALL ON \(database).* TO app")
        first.close()
    }

    var nodeCount: Int { nodes.count }

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
            ]
        if isFirst { words.append("--wsrep-new-cluster") }
        let process = try ServerProcess(words, log: "\(node.directory)/log", signal: "KILL", on: node.machine)
        processes.withLock { $0[number] = process }
    }

    func remove() {
        for number in nodes.indices { thaw(number) }
        processes.withLock { for process in $0 { process?.stop() } }
        network?.remove()
        for node in nodes { try? FileManager.default.removeItem(atPath: node.directory) }
    }

    // MARK: Connecting

    /// The URL of all nodes, or of one.
    func url(_ node: Int? = nil) -> String {
        let hosts = (node.map { [$0] } ?? Array(nodes.indices)).map { "\(nodes[$0].host):\(nodes[$0].port)" }
        return "mysql://app:secret@\(hosts.joined(separator: ","))/\(database)"
    }

    /// A connection to one node; nil where it is not in step.
    func connection(to number: Int) -> MySQLConnection? {
        var options = MySQLOptions()
        options.connectTimeout = .seconds(1)
        options.answerTimeout = .seconds(1)
        options.statementTimeout = .seconds(1)
        let url = "mysql://root@localhost/mysql?socket=\(nodes[number].directory)/s.sock"
        return try? MySQLConnector(MySQLLogin(url), options: options).connect()
    }

    /// What the nodes said last.
    var words: String {
        processes.withLock { $0 }.enumerated().map { "node \($0): \($1?.words ?? "none")" }.joined(separator: "\n")
    }

    func isWhole() -> Bool {
        nodes.indices.allSatisfy { number in
            guard let connection = connection(to: number) else { return false }
            defer { connection.close() }
            let size = try? connection.rows(
                "SELECT VARIABLE_VALUE FROM information_schema.GLOBAL_STATUS WHERE VARIABLE_NAME = 'WSREP_CLUSTER_SIZE'",
                as: [.string])
            return size == [[.text("\(nodes.count)")]]
        }
    }

    // MARK: Faults

    func kill(_ node: Int) {
        processes.withLock {
            $0[node]?.send(SIGKILL)
            $0[node]?.stop()
            $0[node] = nil
        }
    }

    func restart(_ node: Int) throws { try start(node, isFirst: false) }
    func freeze(_ node: Int) { processes.withLock { $0[node]?.freeze() } }
    func thaw(_ node: Int) { processes.withLock { $0[node]?.send(SIGCONT) } }
}
#endif
