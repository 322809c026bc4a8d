import Foundation
import Synchronization

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A MariaDB of one's own: in a temporary directory, on a socket there and on a port of the loopback.
public final class MySQLServer: Sendable {
    package let directory: String
    package let port: Int
    /// Options of the server beside those that all have.
    private let options: [String]
    private let process: Mutex<ServerProcess?>

    /// Where the server is; nil where there is none.
    public static let program: String? = [
        "/usr/sbin/mariadbd", "/usr/local/sbin/mariadbd", "/opt/homebrew/bin/mariadbd",
    ].first { FileManager.default.isExecutableFile(atPath: $0) }

    /// Why nothing can be run here.
    public static let absence = "There is no MariaDB server here (Debian: mariadb-server)."

    /// The server that most tests share. It lives as long as the process.
    package static func shared() throws -> MySQLServer { try sharedServer.get().server }

    private static let sharedServer = Result { () throws -> (server: MySQLServer, remover: Lifeline) in
        let server = try MySQLServer(in: ServerDirectory.shared)
        return (server, try ServerDirectory.removeAtExit(server.directory))
    }

    /// Starts a server and waits until it takes connections.
    /// - Parameters:
    ///   - options: of the server, behind those that make it small and quick: a test needs no sync of the disk.
    ///   - parent: where its directory is made.
    public init(_ options: [String] = [], in parent: String = ServerDirectory.temporary) throws {
        directory = ServerDirectory.path("mariadb", in: parent)
        self.options = options
        port = try FreePort.find()
        process = Mutex(nil)
        try ServerDirectory.make(directory)
        try Self.install(in: directory)
        try start()
    }

    /// Makes the system tables of a new server. A server that starts removes temporary tables of all others that share its
    /// directory for them.
    static func install(in directory: String) throws {
        try ServerDirectory.make("\(directory)/tmp")
        try ServerProcess.run([
            "/usr/bin/mariadb-install-db", "--no-defaults", "--datadir=\(directory)/data", "--tmpdir=\(directory)/tmp",
            "--auth-root-authentication-method=normal", "--skip-test-db", "--innodb-log-file-size=16M",
            "--innodb-use-native-aio=0",
        ])
    }

    /// What all servers are started with.
    static func words(_ directory: String, port: Int) throws -> [String] {
        guard let program else { throw ServerFailure(absence) }
        return [
            program, "--no-defaults", "--datadir=\(directory)/data", "--socket=\(directory)/s.sock", "--port=\(port)",
            "--bind-address=127.0.0.1", "--pid-file=\(directory)/pid", "--tmpdir=\(directory)/tmp",
            "--innodb-buffer-pool-size=32M",
            "--innodb-log-file-size=16M", "--innodb-flush-log-at-trx-commit=2", "--innodb-use-native-aio=0",
            "--skip-name-resolve", "--max-connections=200",
        ]
    }

    /// Starts the server, again after ``kill()``, and waits until it takes connections.
    package func start() throws {
        let process = try ServerProcess(
            try Self.words(directory, port: port) + options, log: "\(directory)/log", signal: "KILL")
        self.process.withLock { $0 = process }
        for _ in 0..<1200 {
            if FreePort.greets(port) { return }
            usleep(50_000)
        }
        throw ServerFailure("MariaDB does not start: \(process.words)")
    }

    /// Stops the server and removes its directory.
    public func remove() {
        process.withLock { $0?.stop() }
        try? FileManager.default.removeItem(atPath: directory)
    }

    // MARK: Connecting

    /// A URL by the socket.
    package func url(database: String? = "mysql", user: String = "root") -> String {
        "mysql://\(user)@localhost/\(database ?? "")?socket=\(directory)/s.sock"
    }

    /// A URL by the network.
    public func networkURL(database: String = "mysql", user: String = "root") -> String {
        "mysql://\(user)@127.0.0.1:\(port)/\(database)"
    }

    /// Runs statements as `root`.
    /// - Returns: the rows, columns between tabs.
    @discardableResult
    public func run(_ statements: String) throws -> String { try Self.run(statements, in: directory) }

    static func run(_ statements: String, in directory: String) throws -> String {
        try ServerProcess.run([
            "/usr/bin/mariadb", "--no-defaults", "--socket=\(directory)/s.sock", "--user=root", "--skip-column-names",
            "--batch", "--execute=\(statements)",
        ])
    }

    // MARK: Faults

    /// Stops the server: it accepts connections, and says nothing.
    package func freeze() { process.withLock { $0?.freeze() } }

    package func thaw() { process.withLock { $0?.send(SIGCONT) } }

    /// Ends the server as a loss of power would.
    package func kill() {
        process.withLock {
            $0?.send(SIGKILL)
            $0?.stop()
            $0 = nil
        }
    }
}
