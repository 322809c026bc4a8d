import TestServers

/// A server, or a cluster, that runs for one worker: in its directory, on this machine, with a disk that is synced or not.
struct ServerHost {
    /// As a client names it: a connection string of PostgreSQL, a URL of MariaDB.
    let address: String
    let version: String
    /// Its durability, for the reports.
    let options: String
    /// Ends it.
    let stop: () -> Void

    /// Why an engine cannot be measured here; nil where it can.
    static func obstacle(to engine: EngineKind) -> String? {
        switch engine {
        case .postgres: PostgresServer.programs == nil ? PostgresServer.absence : nil
        case .mariadb: MySQLServer.program == nil ? MySQLServer.absence : nil
        case .patroni: PatroniCluster.absence
        case .galera: GaleraCluster.isAvailable ? nil : GaleraCluster.absence
        default: nil
        }
    }

    /// Starts a server, and waits until it can be used.
    init(_ engine: EngineKind, directory: String, isSynced: Bool) throws {
        switch engine {
        case .postgres:
            let server = try PostgresServer(
                settings: [
                    "fsync": isSynced ? "on" : "off", "shared_buffers": "128MB", "max_connections": "100",
                ], in: directory)
            address = server.networkString()
            version = try Self.postgresVersion()
            options = "one server, \(isSynced ? "fsync=on" : "fsync=off"), otherwise defaults"
            stop = server.remove
        case .mariadb:
            let server = try MySQLServer(Self.mariaOptions(isSynced), in: directory)
            try server.run("CREATE DATABASE bench")
            address = server.networkURL(database: "bench")
            version = try Self.mariaVersion()
            options = "one server, innodb_flush_log_at_trx_commit=\(isSynced ? 1 : 2), otherwise defaults"
            stop = server.remove
        case .patroni:
            let cluster = try PatroniCluster(parameters: "fsync: \(isSynced ? "on" : "off")", in: directory)
            address = cluster.connectionString
            version = "\(try Self.postgresVersion()), Patroni \(PatroniCluster.version ?? "")"
            options =
                "three servers, synchronous_mode_strict: a commit is on the leader's disk and on that of one standby, otherwise defaults"
            stop = cluster.remove
        case .galera:
            let cluster = try GaleraCluster(Self.mariaOptions(isSynced), in: directory)
            address = cluster.url()
            version = try "\(Self.mariaVersion()), Galera 4"
            options =
                "three servers, innodb_flush_log_at_trx_commit=1: a commit has reached all, and is on the disk of the one that took it, "
                + "otherwise defaults"
            stop = cluster.remove
        default: throw BenchmarkError("\(engine.title) is no server")
        }
    }

    /// MariaDB's defaults in the place of those for tests.
    private static func mariaOptions(_ isSynced: Bool) -> [String] {
        [
            "--innodb-flush-log-at-trx-commit=\(isSynced ? 1 : 2)", "--innodb-buffer-pool-size=128M",
            "--innodb-log-file-size=96M", "--innodb-use-native-aio=1", "--max-connections=151",
        ]
    }

    private static func postgresVersion() throws -> String {
        let text = try ServerProcess.run(["\(PostgresServer.programs ?? "")/postgres", "--version"])
        return "PostgreSQL " + (text.split(separator: " ").dropFirst(2).first.map(String.init) ?? "")
    }

    private static func mariaVersion() throws -> String {
        let text = try ServerProcess.run([MySQLServer.program ?? "", "--version"])
        let number = text.split(separator: " ").first { $0.first?.isNumber ?? false } ?? ""
        return "MariaDB \(number.split(separator: "-").first ?? "")"
    }
}
