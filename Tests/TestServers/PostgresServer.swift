import Foundation
import Synchronization

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A PostgreSQL of one's own: in a temporary directory, on a socket there and on a port of the loopback.
public final class PostgresServer: Sendable {
    package let directory: String
    package let port: Int
    private let process: Mutex<ServerProcess?>

    /// Where the server's programs are; nil where there are none.
    public static let programs: String? = {
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: "/usr/lib/postgresql")) ?? []
        let places =
            versions.sorted { (Int($0) ?? 0) > (Int($1) ?? 0) }.map { "/usr/lib/postgresql/\($0)/bin" }
            + (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map(String.init)
        return places.first { FileManager.default.isExecutableFile(atPath: "\($0)/initdb") }
    }()

    /// Why nothing can be run here.
    public static let absence = "There is no PostgreSQL server here (Debian: postgresql)."

    /// The server that most tests share. It lives as long as the process.
    package static func shared() throws -> PostgresServer { try sharedServer.get().server }

    private static let sharedServer = Result { () throws -> (server: PostgresServer, remover: Lifeline) in
        let server = try PostgresServer(in: ServerDirectory.shared)
        return (server, try ServerDirectory.removeAtExit(server.directory))
    }

    /// Starts a server and waits until it takes connections.
    /// - Parameters:
    ///   - settings: of the server, beside those that make it small and quick: a test needs no sync of the disk.
    ///   - hba: rules about who may connect, before the one that all on this machine may.
    ///   - parent: where its directory is made.
    public init(
        settings: [String: String] = [:], hba: [String] = [], in parent: String = ServerDirectory.temporary
    ) throws {
        guard let programs = Self.programs else { throw ServerFailure(Self.absence) }
        directory = ServerDirectory.path("postgres", in: parent)
        try ServerDirectory.make(directory)
        port = try FreePort.find()
        process = Mutex(nil)
        try ServerProcess.run([
            "\(programs)/initdb", "-D", "\(directory)/data", "-U", "postgres", "--auth=trust", "--no-sync", "-E",
            "UTF8",
            "--locale=C.UTF-8",
        ])
        let rules = (hba + ["local all all trust", "host all all 127.0.0.1/32 trust"]).joined(separator: "\n")
        try rules.write(toFile: "\(directory)/data/pg_hba.conf", atomically: false, encoding: .utf8)
        let all = settings.merging([
            "listen_addresses": "127.0.0.1", "port": "\(port)", "unix_socket_directories": directory, "fsync": "off",
            "max_connections": "200", "shared_buffers": "32MB",
        ]) { mine, _ in mine }
        let lines = all.map { "\($0.key) = '\($0.value)'" }.joined(separator: "\n")
        try ("\n" + lines + "\n").write(
            toFile: "\(directory)/data/postgresql.auto.conf", atomically: false, encoding: .utf8)
        try start()
    }

    /// Starts the server, again after ``kill()``, and waits until it takes connections.
    package func start() throws {
        guard let programs = Self.programs else { throw ServerFailure(Self.absence) }
        let process = try ServerProcess(
            ["\(programs)/postgres", "-D", "\(directory)/data"], log: "\(directory)/log")
        self.process.withLock { $0 = process }
        for _ in 0..<600 {
            if isReady { return }
            usleep(50_000)
        }
        throw ServerFailure("PostgreSQL does not start: \(process.words)")
    }

    /// What the server itself notes in the last line of its file.
    private var isReady: Bool {
        let text = (try? String(contentsOfFile: "\(directory)/data/postmaster.pid", encoding: .utf8)) ?? ""
        return text.split(separator: "\n").last?.hasPrefix("ready") ?? false
    }

    /// Stops the server and removes its directory.
    public func remove() {
        thaw()
        process.withLock { $0?.stop() }
        try? FileManager.default.removeItem(atPath: directory)
    }

    // MARK: Connecting

    /// A connection string by the socket.
    package func connectionString(database: String = "postgres", user: String = "postgres") -> String {
        "host=\(directory) port=\(port) user=\(user) dbname=\(database)"
    }

    /// A connection string by the network.
    public func networkString(database: String = "postgres", user: String = "postgres") -> String {
        "host=127.0.0.1 port=\(port) user=\(user) dbname=\(database)"
    }

    // MARK: Faults

    /// The postmaster and its children.
    private var processes: [Int32] {
        guard let text = try? String(contentsOfFile: "\(directory)/data/postmaster.pid", encoding: .utf8),
            let postmaster = text.split(separator: "\n").first.flatMap({ Int32($0) })
        else { return [] }
        return ServerProcess.family([postmaster])
    }

    /// Stops all processes of the server: it accepts connections, and says nothing.
    package func freeze() { for process in processes { ServerProcess.send(SIGSTOP, to: process) } }

    package func thaw() { for process in processes { ServerProcess.send(SIGCONT, to: process) } }

    /// Ends the server as a loss of power would.
    package func kill() {
        let victims = processes
        for process in victims { ServerProcess.send(SIGKILL, to: process) }
        process.withLock {
            $0?.stop()
            $0 = nil
        }
        // The shared memory is let go when the last process is.
        for process in victims { while ServerProcess.isAlive(process) { usleep(5000) } }
        // To the next postmaster, a process that nobody has reaped yet is one that runs.
        for file in ["data/postmaster.pid", ".s.PGSQL.\(port).lock"] {
            try? FileManager.default.removeItem(atPath: "\(directory)/\(file)")
        }
    }
}
