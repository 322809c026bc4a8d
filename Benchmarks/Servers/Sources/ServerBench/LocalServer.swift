import Foundation

/// A server of the run's own: in a temporary directory, on a socket there, as an unprivileged user.
final class LocalServer {
    let directory: String
    private var process: Process?

    init(_ name: String) throws {
        directory = FileManager.default.temporaryDirectory.path + "/server-bench-\(name)-\(getpid())"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
        if getuid() == 0, let nobody = getpwnam("nobody") {
            _ = chown(directory, nobody.pointee.pw_uid, nobody.pointee.pw_gid)
        }
    }

    /// A PostgreSQL with its defaults; nil where its programs are missing.
    static func postgres() throws -> LocalServer? {
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: "/usr/lib/postgresql")) ?? []
        let places = versions.map { "/usr/lib/postgresql/\($0)/bin" } + ["/opt/homebrew/bin", "/usr/local/bin"]
        guard let programs = places.first(where: { FileManager.default.isExecutableFile(atPath: "\($0)/postgres") })
        else { return nil }
        let server = try LocalServer("postgres")
        try server.run(["\(programs)/initdb", "-D", "\(server.directory)/data", "-U", "postgres", "--auth=trust"])
        try server.start([
            "\(programs)/postgres", "-D", "\(server.directory)/data", "-c", "listen_addresses=", "-c",
            "unix_socket_directories=\(server.directory)",
        ])
        return server
    }

    /// A MariaDB with its defaults; nil where its programs are missing.
    static func mariadb() throws -> LocalServer? {
        let places = ["/usr/sbin/mariadbd", "/usr/local/sbin/mariadbd", "/opt/homebrew/bin/mariadbd"]
        guard let program = places.first(where: { FileManager.default.isExecutableFile(atPath: $0) }) else { return nil }
        let server = try LocalServer("mariadb")
        try server.run([
            "/usr/bin/env", "mariadb-install-db", "--no-defaults", "--datadir=\(server.directory)/data",
            "--auth-root-authentication-method=normal", "--skip-test-db",
        ])
        try server.start([
            program, "--no-defaults", "--datadir=\(server.directory)/data", "--socket=\(server.directory)/s.sock",
            "--skip-networking", "--pid-file=\(server.directory)/pid",
        ])
        return server
    }

    private func unprivileged(_ words: [String]) -> [String] {
        if getuid() != 0 { return words }
        return ["/usr/bin/setpriv", "--reuid", "nobody", "--regid", "nogroup", "--clear-groups"] + words
    }

    private func make(_ words: [String]) throws -> Process {
        let words = unprivileged(words)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: words[0])
        process.arguments = Array(words.dropFirst())
        process.currentDirectoryURL = URL(fileURLWithPath: directory)
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        return process
    }

    private func run(_ words: [String]) throws {
        let process = try make(words)
        process.waitUntilExit()
        if process.terminationStatus != 0 { throw BenchmarkFailure("\(words[0]) has failed") }
    }

    private func start(_ words: [String]) throws { process = try make(words) }

    /// Waits until the server answers.
    func wait<R>(_ connect: () throws -> R) throws -> R {
        for _ in 0..<300 {
            do { return try connect() } catch { usleep(100_000) }
        }
        throw BenchmarkFailure("the server in \(directory) does not answer")
    }

    /// Ends the server and removes its directory.
    func stop() {
        process?.interrupt()
        process?.terminate()
        process?.waitUntilExit()
        do { try FileManager.default.removeItem(atPath: directory) } catch {
            print("\(directory) could not be removed: \(error)")
        }
    }
}
