#if PostgreSQL
import CPostgreSQL
import Synchronization
import TableKit
import TableSQL

/// Makes connections to PostgreSQL: finds the host with the wanted role, logs in, configures the session.
package final class PostgresConnector: SQLConnector {
    /// The hosts, and the settings of their connections.
    private struct Hosts: Sendable {
        var addresses: [HostAddress]
        var settings: LoginSettings
        /// Whether the server must accept writes.
        var needsWrites: Bool
        var timeout: Duration?
    }

    package let place: String
    let options: PostgresOptions
    private let settings: LoginSettings
    private let hosts = Mutex<Hosts?>(nil)
    /// The number of hosts in the connection string.
    private let namedHosts: Int
    /// The host of the last connection.
    private let preferred = Mutex<HostAddress?>(nil)

    /// - Parameters:
    ///   - connectionString: `postgresql://…` or `host=… dbname=…`, with any of libpq's keywords.
    ///   - overrides: keywords that override the string.
    /// - Throws: ``SQLConnectionError`` if the string cannot be parsed.
    package init(
        _ connectionString: String, overrides: [(String, String)] = [], options: PostgresOptions
    ) throws {
        var values = try LoginSettings.parse(connectionString)
        for (keyword, value) in overrides {
            guard !value.utf8.contains(0) else {
                throw LoginSettings.refusal("The keyword \(keyword) cannot hold a null character.")
            }
            values[keyword] = value
        }
        let (hosts, numbers, ports) = (values["host"], values["hostaddr"], values["port"])
        try HostAddress.check(hosts: hosts, addresses: numbers, ports: ports, isComplete: false)
        let addresses = HostAddress.addresses(hosts: hosts, addresses: numbers, ports: ports)
        place = addresses.map(\.description).joined(separator: ",") + "/" + (values["dbname"] ?? "")
        namedHosts = addresses.count
        var settings = LoginSettings(connectionString).setting(overrides)
        settings.set("client_encoding", "UTF8")
        settings.set("fallback_application_name", options.applicationName)
        self.settings = settings
        self.options = options
    }

    /// Whether an unreachable server may recover or be replaced by another. Never blocks.
    package var mayRecover: Bool {
        if preferred.withLock({ $0 }) != nil { return true }
        // Another thread may be reading the service file now.
        let known = hosts.withLockIfAvailable { $0?.addresses.count } ?? nil
        return known ?? namedHosts > 1
    }

    package func connect() throws -> PostgresConnection {
        let begin = ContinuousClock.now
        let hosts = try knownHosts()
        let deadline = begin + (hosts.timeout ?? options.connectTimeout)
        switch options.role {
        case .readWrite: return try connect(hosts, hosts.settings, until: deadline)
        case .standby:
            let standby = hosts.settings.setting([("target_session_attrs", "standby")])
            // A frozen standby leaves the leader half of the time.
            let half = deadline - (deadline - .now) / 2
            do { return try connect(hosts, standby, until: half) } catch let error as SQLConnectionError
                where error.kind == .noConnection
            {
                // No standby, or each lags too much.
                let any = hosts.settings.setting([("target_session_attrs", "any")])
                return try connect(hosts, any, until: deadline)
            }
        }
    }

    private func connect(
        _ hosts: Hosts, _ settings: LoginSettings, until deadline: ContinuousClock.Instant
    ) throws -> PostgresConnection {
        let now = ContinuousClock.now
        let addresses = HostAddress.addresses(
            of: hosts.addresses, last: preferred.withLock { $0 }, within: deadline - now)
        let race = HostRace(
            addresses.map { host in host.map { $0.map { address in { LoginAttempt(settings, address) } } } },
            lastingRefusals: Self.lastingRefusals)
        // A slow look-up leaves the login half of the time.
        let deadline = max(deadline, .now + (deadline - now) / 2)
        let attempt = try race.run(until: deadline)
        guard let raw = attempt.take() else {
            throw SQLConnectionError(.noConnection, code: .unavailable, "\(attempt.address): no connection")
        }
        let (address, limit) = (attempt.address, options.answerTimeout)
        let connection = PostgresConnection(
            try PostgresLink(raw), raw, options: options, place: address.description,
            answers: { Self.answers(settings, address, within: limit) })
        try setUp(connection, until: deadline)
        preferred.withLock { $0 = attempt.address }
        return connection
    }

    /// Whether the server at an address still answers. Blocks.
    /// - Parameter address: with the number, as the name may lead elsewhere later.
    private static func answers(_ settings: LoginSettings, _ address: HostAddress, within limit: Duration) -> Bool {
        // Servers of each role answer.
        let settings = settings.setting([("target_session_attrs", "any")])
        return HostProbe.answers(LoginAttempt(settings, address), within: limit)
    }

    private func setUp(_ connection: PostgresConnection, until deadline: ContinuousClock.Instant) throws {
        do {
            let readsBackslashes = connection.link.parameter("standard_conforming_strings") == "off"
            let settings = options.sessionSettings(readsBackslashes: readsBackslashes)
                .map { SQLStatement($0, isRepeated: false) }
            let limit = max(deadline - .now, .milliseconds(1))
            if !settings.isEmpty { _ = try connection.run(settings, limit: limit) }
            if case .standby(let maximum) = options.role, !StandbyLag.isWithin(maximum, connection, limit: limit) {
                throw SQLConnectionError(
                    .noConnection, code: .unavailable, "\(connection.place): the standby lags, or cannot tell its lag")
            }
        } catch var error as SQLConnectionError {
            connection.close()
            error.kind = .noConnection
            throw error
        }
    }

    package func isHealthy(_ connection: PostgresConnection) -> Bool {
        let limit = options.answerTimeout
        if case .standby(let maximum) = options.role { return StandbyLag.isWithin(maximum, connection, limit: limit) }
        do {
            let question = SQLStatement("SHOW transaction_read_only", results: [.string], isRepeated: false)
            let answer = try connection.run([question], limit: limit)[0].rows
            return try !knownHosts().needsWrites || answer == [[.text("off")]]
        } catch { return false }
    }

    /// The hosts, including those of the service file and the environment; found once.
    /// - Throws: ``SQLConnectionError`` with code `argument` if their lists do not match.
    private func knownHosts() throws -> Hosts {
        try hosts.withLock { known in
            if let known { return known }
            let values = settings.expanded()
            let (names, numbers, ports) = (values["host"], values["hostaddr"], values["port"])
            try HostAddress.check(hosts: names, addresses: numbers, ports: ports, isComplete: true)
            let addresses = HostAddress.addresses(hosts: names, addresses: numbers, ports: ports)
            var settings = settings
            var wanted = values["target_session_attrs"] ?? "any"
            // Usually only some of several hosts accept writes.
            if wanted == "any", addresses.count > 1 { wanted = "read-write" }
            settings.set("target_session_attrs", wanted)
            for (keyword, value) in [
                ("keepalives_idle", Keepalive.idle), ("keepalives_interval", Keepalive.interval),
                ("keepalives_count", Keepalive.count),
            ] where values[keyword] == nil { settings.set(keyword, "\(value)") }
            let seconds = values["connect_timeout"].flatMap { Int($0) } ?? 0
            let hosts = Hosts(
                addresses: addresses, settings: settings,
                needsWrites: wanted == "read-write" || wanted == "primary",
                timeout: seconds > 0 ? .seconds(seconds) : nil)
            if !values.isEmpty { known = hosts }
            return hosts
        }
    }
}
#endif
