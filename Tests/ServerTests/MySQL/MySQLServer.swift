#if MySQL
import Foundation
import Synchronization
import TableSQL

@testable import MySQLTables

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A MariaDB of the tests' own: in a temporary directory, on a socket there and on a port of the loopback.
final class MySQLServer: Sendable {
    let directory: String
    let port: Int
    /// Options of the server beside those that all have.
    private let options: [String]
    private let process: Mutex<ServerProcess?>

    /// Where the server is; nil where there is none.
    static let program: String? = ["/usr/sbin/mariadbd", "/usr/local/sbin/mariadbd", "/opt/homebrew/bin/mariadbd"]
        .first { FileManager.default.isExecutableFile(atPath: $0) }

    /// Why tests are skipped.
    static let absence = "There is no MariaDB server here (Debian: mariadb-server)."

    /// The server that most tests share. It lives as long as the process.
    static func shared() throws -> MySQLServer { try sharedServer.get() }

    private static let sharedServer = Result { () throws -> MySQLServer in
        let server = try MySQLServer()
        last.withLock { $0 = server }
        atexit { MySQLServer.last.withLock { $0?.remove() } }
        return server
    }

    /// What goes with the process.
    private static let last = Mutex<MySQLServer?>(nil)

    /// Starts a server and waits until it answers.
    init(_ options: [String] = []) throws {
        directory = FileManager.default.temporaryDirectory.path + "/siltstone-mariadb-\(UUID().uuidString.prefix(8))"
        self.options = options
        port = try FreePort.find()
        process = Mutex(nil)
        try Self.makeDirectory(directory)
        try Self.install(in: directory)
        try start()
    }

    /// Makes a directory that the server's user can write to.
    static func makeDirectory(_ path: String) throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        if getuid() == 0, let nobody = getpwnam("nobody") {
            _ = chown(path, nobody.pointee.pw_uid, nobody.pointee.pw_gid)
        }
    }

    /// Makes the system tables of a new server. A server that starts removes temporary tables of all others that share its
    /// directory for them.
    static func install(in directory: String) throws {
        try makeDirectory("\(directory)/tmp")
        try ServerProcess.run([
            "/usr/bin/mariadb-install-db", "--no-defaults", "--datadir=\(directory)/data", "--tmpdir=\(directory)/tmp",
            "--auth-root-authentication-method=normal", "--skip-test-db", "--innodb-log-file-size=16M",
            "--innodb-use-native-aio=0",
        ])
    }

    /// What all servers of tests are started with.
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

    /// Starts the server, again after ``kill()``, and waits until it answers.
    func start() throws {
        let process = try ServerProcess(
            try Self.words(directory, port: port) + options, log: "\(directory)/log", signal: "KILL")
        self.process.withLock { $0 = process }
        for _ in 0..<1200 {
            do {
                try connection(database: nil).close()
                return
            } catch is SQLConnectionError { usleep(50_000) }
        }
        throw ServerFailure("MariaDB does not start: \(process.words)")
    }

    /// Stops the server and removes its directory.
    func remove() {
        process.withLock { $0?.stop() }
        try? FileManager.default.removeItem(atPath: directory)
    }

    // MARK: Connecting

    /// A URL by the socket.
    func url(database: String? = "mysql", user: String = "root") -> String {
        "mysql://\(user)@localhost/\(database ?? "")?socket=\(directory)/s.sock"
    }

    /// A URL by the network.
    func networkURL(database: String = "mysql", user: String = "root") -> String {
        "mysql://\(user)@127.0.0.1:\(port)/\(database)"
    }

    func connector(
        database: String? = "mysql", _ options: MySQLOptions = MySQLOptions()
    ) throws -> MySQLConnector {
        MySQLConnector(try MySQLLogin(url(database: database)), options: options)
    }

    func connection(
        database: String? = "mysql", _ options: MySQLOptions = MySQLOptions()
    ) throws -> MySQLConnection {
        try connector(database: database, options).connect()
    }

    /// A database of its own for a test.
    func makeDatabase() throws -> String {
        let name = "test_\(UUID().uuidString.prefix(8).lowercased())"
        let connection = try connection()
        defer { connection.close() }
        try connection.run("CREATE DATABASE \(name)")
        return name
    }

    // MARK: Faults

    /// Stops the server: it accepts connections, and says nothing.
    func freeze() { process.withLock { $0?.freeze() } }

    func thaw() { process.withLock { $0?.send(SIGCONT) } }

    /// Ends the server as a loss of power would.
    func kill() {
        process.withLock {
            $0?.send(SIGKILL)
            $0?.stop()
            $0 = nil
        }
    }
}
#endif
