import Foundation
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Three PostgreSQL servers under Patroni, in its strict synchronous mode, with an etcd of one member: on the loopback, or on
/// four machines of a network.
public final class PatroniCluster: Sendable {
    /// One server with its Patroni.
    private final class Node: Sendable {
        let number: Int
        let host: String
        /// Its network namespace.
        let machine: String?
        let port: Int
        let restPort: Int
        let process = Mutex<ServerProcess?>(nil)

        init(_ number: Int, on network: NodeNetwork?) throws {
            self.number = number
            host = network?.address(number - 1) ?? "127.0.0.1"
            machine = network?.machine(number - 1)
            port = try FreePort.find()
            restPort = try FreePort.find()
        }
    }

    private let directory: String
    private let parameters: String
    private let nodes: [Node]
    private let etcd: ServerProcess
    package let network: NodeNetwork?

    package var nodeCount: Int { nodes.count }
    /// The port of each server.
    package var ports: [Int] { nodes.map(\.port) }

    // MARK: What is needed

    /// Patroni's program.
    static let patroni: String? = {
        let environment = ProcessInfo.processInfo.environment
        let places =
            [environment["SILTSTONE_PATRONI"] ?? ""]
            + (environment["PATH"] ?? "").split(separator: ":").map { "\($0)/patroni" }
        return places.first { FileManager.default.isExecutableFile(atPath: $0) }
    }()

    private static let etcd: String? = ["/usr/bin/etcd", "/usr/local/bin/etcd"].first {
        FileManager.default.isExecutableFile(atPath: $0)
    }

    /// Patroni's version; nil without Patroni.
    public static let version: String? = patroni.flatMap { try? ServerProcess.run([$0, "--version"]) }.map { text in
        String(text.drop { !$0.isNumber }).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Why no cluster can be started; nil where one can.
    public static let absence: String? = {
        var missing: [String] = []
        if PostgresServer.programs == nil { missing.append("PostgreSQL (Debian: postgresql)") }
        if etcd == nil { missing.append("etcd (Debian: etcd-server)") }
        if let patroni, version == nil {
            missing.append("Patroni that an unprivileged user can run (\(patroni) or its interpreter is not readable)")
        } else if patroni == nil {
            missing.append(
                "Patroni (Debian: patroni; or the environment variable SILTSTONE_PATRONI naming its program)")
        }
        return missing.isEmpty ? nil : "Not here: " + missing.joined(separator: "; ")
    }()

    /// Why no cluster can be started that keeps what was acknowledged; nil where one can. Before 4.1, a leader that wakes
    /// may take its lock back from its successor.
    package static let absenceOfSafety: String? = {
        let numbers = (version ?? "").split(separator: ".").compactMap { Int($0) }
        let isNew = numbers.count >= 2 && (numbers[0], numbers[1]) >= (4, 1)
        if isNew { return absence }
        return "Not here: Patroni 4.1 or later, with the environment variable SILTSTONE_PATRONI naming its program"
            + " (pip install 'patroni[etcd3]' 'psycopg[binary]', in a virtual environment that everybody can read)"
    }()

    // MARK: Start and end

    /// Starts a cluster and waits until a standby is in step.
    /// - Parameters:
    ///   - parameters: of the servers, beside those that make them small.
    ///   - parent: where its directory is made.
    public convenience init(
        parameters: String = "shared_buffers: 32MB", in parent: String = ServerDirectory.temporary
    ) throws {
        try self.init(parameters: parameters, in: parent, on: nil)
    }

    /// Starts a cluster on a network.
    /// - Parameter network: one with a machine for each server and one behind them for etcd; it goes with the cluster.
    package init(
        parameters: String = "shared_buffers: 32MB", in parent: String = ServerDirectory.temporary,
        on network: NodeNetwork?
    ) throws {
        guard let program = Self.etcd else { throw ServerFailure("There is no etcd.") }
        directory = ServerDirectory.path("patroni", in: parent)
        self.parameters = parameters
        self.network = network
        try ServerDirectory.make(directory)
        nodes = try (1...3).map { try Node($0, on: network) }
        let host = network?.address(nodes.count) ?? "127.0.0.1"
        let (client, peer) = ("http://\(host):\(try FreePort.find())", "http://\(host):\(try FreePort.find())")
        etcd = try ServerProcess(
            [
                program, "--data-dir", "\(directory)/etcd", "--listen-client-urls", client, "--advertise-client-urls",
                client,
                "--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer, "--initial-cluster",
                "default=\(peer)",
            ], log: "\(directory)/etcd.log", signal: "TERM", on: network?.machine(nodes.count))
        for node in nodes {
            try configuration(node, etcd: client.replacing("http://", with: "")).write(
                toFile: "\(directory)/p\(node.number).yml", atomically: false, encoding: .utf8)
            try start(node)
        }
        for _ in 0..<3600 {
            if isInStep { return }
            usleep(50_000)
        }
        let words = nodes.map { node in
            "Node \(node.number) said last: \(node.process.withLock { $0?.words ?? "" }.suffix(500))"
        }
        end()
        throw ServerFailure(
            "The cluster is not in step after three minutes; its logs are in \(directory). "
                + words.joined(separator: "\n"))
    }

    private func configuration(_ node: Node, etcd: String) -> String {
        """
        scope: siltstone
        name: p\(node.number)
        restapi: {listen: "\(node.host):\(node.restPort)", connect_address: "\(node.host):\(node.restPort)"}
        etcd3: {host: "\(etcd)"}
        bootstrap:
          dcs: {ttl: 20, loop_wait: 2, retry_timeout: 3, synchronous_mode: true, synchronous_mode_strict: true, \
        postgresql: {use_pg_rewind: true}}
          initdb: [{encoding: UTF8}, {locale: C}]
        postgresql:
          pg_hba: ["host all all \(network?.range ?? "127.0.0.1/32") trust", \
        "host replication all \(network?.range ?? "127.0.0.1/32") trust", "local all all trust"]
          parameters: {unix_socket_directories: "\(directory)", max_connections: 120, tcp_user_timeout: 5000, \
        \(parameters)}
          listen: \(node.host):\(node.port)
          connect_address: \(node.host):\(node.port)
          data_dir: \(directory)/d\(node.number)
          pgpass: \(directory)/pgpass\(node.number)
          bin_dir: \(PostgresServer.programs ?? "")
          authentication: {replication: {username: rep, password: x}, superuser: {username: postgres, password: x}, \
        rewind: {username: rew, password: x}}

        """
    }

    private func start(_ node: Node) throws {
        guard let patroni = Self.patroni else { throw ServerFailure("There is no Patroni.") }
        let process = try ServerProcess(
            [patroni, "\(directory)/p\(node.number).yml"], log: "\(directory)/p\(node.number).log", signal: "TERM",
            on: node.machine)
        node.process.withLock { $0 = process }
    }

    /// Ends all processes.
    private func end() {
        for number in nodes.indices { kill(number) }
        etcd.stop()
        network?.remove()
    }

    /// Ends all processes and removes the directory.
    public func remove() {
        end()
        try? FileManager.default.removeItem(atPath: directory)
    }

    /// A connection string that names all servers.
    public var connectionString: String {
        "host=\(nodes.map(\.host).joined(separator: ","))"
            + " port=\(nodes.map { "\($0.port)" }.joined(separator: ",")) user=postgres dbname=postgres"
            + " target_session_attrs=read-write"
    }

    // MARK: State

    /// Whether Patroni has noted which standby is synchronous: a leader that is lost before gets no successor.
    package var isSynchronousKnown: Bool { members.contains { $0.contains("sync_standby") } }

    /// Whether all servers run, and one of them is a synchronous standby.
    private var isInStep: Bool {
        members.contains { members in
            members.contains("sync_standby")
                && members.split(separator: "\"state\"").dropFirst().allSatisfy {
                    $0.contains("running") || $0.contains("streaming")
                } && members.split(separator: "\"role\"").count > nodeCount
        }
    }

    /// What each node's Patroni says of the members.
    private var members: [String] {
        nodes.compactMap { node in
            guard let url = URL(string: "http://\(node.host):\(node.restPort)/cluster") else { return nil }
            return (try? Data(contentsOf: url)).map { String(decoding: $0, as: UTF8.self) }
        }
    }

    // MARK: Faults

    /// Patroni and all processes of its server.
    private func processes(_ node: Node) -> [Int32] {
        let server = try? String(contentsOfFile: "\(directory)/d\(node.number)/postmaster.pid", encoding: .utf8)
        let roots = [
            node.process.withLock { $0?.identifier }, server?.split(separator: "\n").first.flatMap { Int32($0) },
        ]
        return ServerProcess.family(roots.compactMap { $0 })
    }

    package func kill(_ number: Int) {
        let node = nodes[number]
        let victims = processes(node)
        for victim in victims { ServerProcess.send(SIGKILL, to: victim) }
        node.process.withLock {
            $0?.stop()
            $0 = nil
        }
        for victim in victims { while ServerProcess.isAlive(victim) { usleep(5000) } }
        // To the next postmaster, a process that nobody has reaped yet is one that runs.
        for file in ["d\(node.number)/postmaster.pid", ".s.PGSQL.\(node.port).lock"] {
            try? FileManager.default.removeItem(atPath: "\(directory)/\(file)")
        }
    }

    package func restart(_ number: Int) throws { try start(nodes[number]) }

    package func freeze(_ number: Int) {
        for process in processes(nodes[number]) { ServerProcess.send(SIGSTOP, to: process) }
    }

    package func thaw(_ number: Int) {
        for process in processes(nodes[number]) { ServerProcess.send(SIGCONT, to: process) }
    }
}
