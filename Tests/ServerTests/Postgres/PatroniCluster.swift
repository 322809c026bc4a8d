#if PostgreSQL
import Foundation
import Synchronization
import TableKit
import TableSQL

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@testable import PostgresTables

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Three PostgreSQL servers under Patroni, in its strict synchronous mode, with an etcd of one member: on the loopback, or on
/// four machines of a network.
final class PatroniCluster: TestCluster {
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
    private let nodes: [Node]
    private let etcd: ServerProcess
    let network: NodeNetwork?

    var nodeCount: Int { nodes.count }
    /// Some shorter than Patroni's patience with a leader, some longer.
    var outage: ClosedRange<Double> { network == nil ? 1...40 : 1...20 }

    // MARK: What is needed

    /// Whether tests that take minutes are to run.
    static let isThorough = ProcessInfo.processInfo.environment["SILTSTONE_THOROUGH"].map { $0 != "0" } ?? false

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

    /// What is missing; nil where the cluster can be started.
    static let absence: String? = {
        var missing: [String] = []
        if PostgresServer.programs == nil { missing.append("PostgreSQL (Debian: postgresql)") }
        if etcd == nil { missing.append("etcd (Debian: etcd-server)") }
        let version = patroni.flatMap { try? ServerProcess.run([$0, "--version"]) } ?? ""
        // Before 4.1, a leader that wakes may take its lock back from its successor.
        let numbers = version.split(whereSeparator: { !$0.isNumber }).compactMap { Int($0) }
        if numbers.count < 2 || (numbers[0], numbers[1]) < (4, 1) {
            missing.append(
                "Patroni 4.1 or later, with the environment variable SILTSTONE_PATRONI naming its program"
                    + " (pip install 'patroni[etcd3]' 'psycopg[binary]', in a virtual environment that everybody can read)"
            )
        }
        return missing.isEmpty ? nil : "Not here: " + missing.joined(separator: "; ")
    }()

    // MARK: Start and end

    /// - Parameter network: one with a machine for each server and one behind them for etcd; it goes with the cluster.
    init(on network: NodeNetwork? = nil) throws {
        self.network = network
        guard let program = Self.etcd else { throw ServerFailure("There is no etcd.") }
        directory = FileManager.default.temporaryDirectory.path + "/siltstone-patroni-\(UUID().uuidString.prefix(8))"
        try PostgresServer.makeDirectory(directory)
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
            // A new cluster changes once more who follows synchronously.
            if isWhole(), isWritable() { return }
            usleep(50_000)
        }
        end()
        throw ServerFailure("The cluster is not in step after three minutes; its logs are in \(directory).")
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
          parameters: {unix_socket_directories: "\(directory)", max_connections: 120, shared_buffers: 32MB}
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
    func remove() {
        end()
        try? FileManager.default.removeItem(atPath: directory)
    }

    /// A connection string that names all servers.
    var connectionString: String {
        "host=\(nodes.map(\.host).joined(separator: ","))"
            + " port=\(nodes.map { "\($0.port)" }.joined(separator: ",")) user=postgres dbname=postgres"
            + " target_session_attrs=read-write"
    }

    // MARK: State

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
        let leader = nodes.firstIndex { .text("\($0.port)") == port }
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
        return standbys == nodeCount - 1 && inStep > 0 && isSynchronousKnown()
    }

    /// Whether Patroni has noted which standby is synchronous: a leader that is lost before gets no successor.
    private func isSynchronousKnown() -> Bool {
        nodes.contains { node in
            guard let url = URL(string: "http://\(node.host):\(node.restPort)/cluster") else { return false }
            let answer = (try? Data(contentsOf: url)) ?? Data()
            return String(decoding: answer, as: UTF8.self).contains("sync_standby")
        }
    }

    /// Whether a commit is acknowledged.
    private func isWritable() -> Bool {
        do { try withLeader { try $0.run("CREATE TABLE IF NOT EXISTS ready (a integer)") } } catch { return false }
        do { try withLeader { try $0.run("INSERT INTO ready VALUES (1)") } } catch { return false }
        return true
    }

    // MARK: Faults

    var faults: [ClusterFault] {
        network == nil ? [.killed, .frozen] : ClusterFault.partitions + [.storeless, .standbyless]
    }

    func others(than node: Int, in fault: ClusterFault) -> [Int] {
        let store = nodes.count
        let servers = nodes.indices.filter { $0 != node }
        return fault == .storeless ? [store] : fault == .standbyless ? servers : servers + [store]
    }

    /// Patroni and all processes of its server.
    private func processes(_ node: Node) -> [Int32] {
        let server = try? String(contentsOfFile: "\(directory)/d\(node.number)/postmaster.pid", encoding: .utf8)
        let roots = [
            node.process.withLock { $0?.identifier }, server?.split(separator: "\n").first.flatMap { Int32($0) },
        ]
        return ServerProcess.family(roots.compactMap { $0 })
    }

    func kill(_ number: Int) {
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

    func restart(_ number: Int) throws { try start(nodes[number]) }

    func freeze(_ number: Int) { for process in processes(nodes[number]) { ServerProcess.send(SIGSTOP, to: process) } }

    func thaw(_ number: Int) { for process in processes(nodes[number]) { ServerProcess.send(SIGCONT, to: process) } }
}
#endif
