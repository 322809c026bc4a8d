#if MySQL
import CMariaDB
import Synchronization
import TableKit
import TableSQL

/// Makes connections to MariaDB: finds a usable host, logs in, configures the session.
package final class MySQLConnector: SQLConnector {
    package let place: String
    let options: MySQLOptions
    private let login: MySQLLogin
    /// The first host to try with `hostChoice` any: that of the last connection, at first a random one.
    private let preferred: Mutex<MySQLAddress?>
    private let hasConnected = Mutex(false)

    init(_ login: MySQLLogin, options: MySQLOptions) {
        var login = login
        if login.addresses.isEmpty { login.addresses = [MySQLAddress(host: "localhost", port: 0)] }
        self.login = login
        self.options = options
        place = login.addresses.map(\.description).joined(separator: ",") + "/" + (login.database ?? "")
        preferred = Mutex(options.hostChoice == .any ? login.addresses.randomElement() : nil)
    }

    /// Whether an unreachable server may recover or be replaced by another.
    package var mayRecover: Bool { hasConnected.withLock { $0 } || login.addresses.count > 1 }

    package func connect() throws -> MySQLConnection {
        let deadline = ContinuousClock.now + options.connectTimeout
        // With a check of the server's identity the library needs its name.
        let isOrdered = options.hostChoice == .first
        let addresses = MySQLAddress.addresses(
            of: login.addresses, last: preferred.withLock { $0 }, isOrdered: isOrdered,
            keepsNames: login.tls.mode == .verifyIdentity, within: options.connectTimeout)
        let race = HostRace(
            addresses.map { host in host.map { $0.map(login) } }, isOrdered: isOrdered,
            lastingRefusals: Self.lastingRefusals)
        // A slow look-up leaves the login half of the time.
        let attempt = try race.run(until: max(deadline, .now + options.connectTimeout / 2))
        guard let link = attempt.take() else {
            throw SQLConnectionError(.noConnection, code: .unavailable, "\(attempt.address): no connection")
        }
        let address = attempt.address
        let socket = mysql_get_socket(link.raw)
        Keepalive.apply(to: socket)
        let peer = login.tls.mode == .verifyIdentity ? HostNames.peer(of: socket) : nil
        if options.hostChoice == .any { preferred.withLock { $0 = address } }
        hasConnected.withLock { $0 = true }
        return MySQLConnection(
            link, options: options, place: address.description, maximumPacket: attempt.node?.maximumPacket ?? 1 << 24,
            kill: { [login, options, identity = attempt.node?.identity] number in
                Self.kill(number, at: identity, login, address, options)
            },
            answers: { [login, options] in Self.answers(login, address, peer, options) })
    }

    private func login(_ address: MySQLAddress) -> () -> LoginAttempt {
        {
            LoginAttempt(
                self.login, address, settings: self.options.sessionSettings, options: self.options,
                isWriterNeeded: true)
        }
    }

    package func isHealthy(_ connection: MySQLConnection) -> Bool {
        let question = SQLStatement(
            NodeState.question, results: Array(repeating: .string, count: NodeState.columnCount))
        do {
            let answer = try connection.execute(question, limit: options.answerTimeout).rows.first ?? []
            return NodeState(answer.map(\.string)).refusal(isWriterNeeded: true) == nil
        } catch { return false }
    }

    /// Whether the server at an address still answers. Blocks.
    /// - Parameter peer: the numeric host of a connection that was made by name; nil for others.
    private static func answers(
        _ login: MySQLLogin, _ address: MySQLAddress, _ peer: String?, _ options: MySQLOptions
    ) -> Bool {
        if let peer {
            let names = HostNames.addresses(of: [address.host], within: options.answerTimeout)
            // The certificate needs the name. Where it leads elsewhere now, or nowhere, a login would show nothing.
            guard case .success(let numbers)? = names.first, numbers.first == peer else { return true }
        }
        let attempt = LoginAttempt(login, address, settings: [], options: options, isWriterNeeded: false)
        return HostProbe.answers(attempt, within: options.answerTimeout)
    }

    /// The statement that cancels the statement of a connection, unless that commits: a change outside of a transaction
    /// commits itself, and the end of its wait for a semi-synchronous replica would look like success. One statement, so
    /// that the server looks at the state immediately before.
    private static func killUnlessCommitting(_ number: UInt) -> String {
        "BEGIN NOT ATOMIC IF NOT EXISTS (SELECT 1 FROM information_schema.PROCESSLIST WHERE ID = \(number)"
            + " AND (STATE = 'Commit' OR STATE LIKE '%semi-sync%')) THEN KILL QUERY \(number); END IF; END"
    }

    /// Cancels the statement of a connection, over another one to the same server. If that fails, the statement runs on
    /// to its end or its time-out.
    /// - Parameter identity: the server. A proxy may lead to another one, where the number is a stranger's.
    private static func kill(
        _ number: UInt, at identity: String?, _ login: MySQLLogin, _ address: MySQLAddress, _ options: MySQLOptions
    ) {
        do {
            if login.tls.mode == .verifyIdentity, let name = address.name {
                // The library looks the name up itself, and would wait for a silent one without a limit.
                _ = try HostNames.addresses(of: [name], within: options.connectTimeout).first?.get()
            }
            let race = HostRace { LoginAttempt(login, address, settings: [], options: options, isWriterNeeded: false) }
            let attempt = try race.run(until: .now + options.connectTimeout)
            guard attempt.node?.identity == identity else {
                CRUDLogging.log(.warning, "A statement could not be cancelled: \(address) leads to another server now")
                return
            }
            guard let link = attempt.take(), let raw = link.raw else { return }
            var deadline = AnswerDeadline(options.answerTimeout)
            // A node without its cluster reads no table, but may end a statement.
            for text in [killUnlessCommitting(number), "KILL QUERY \(number)"] {
                var result: Int32 = 0
                try link.call(
                    &deadline, { mysql_real_query_start(&result, raw, text, UInt(text.utf8.count)) },
                    { mysql_real_query_cont(&result, raw, $0) })
                if result == 0 { return }
            }
        } catch { CRUDLogging.log(.warning, "A statement could not be cancelled: \(error)") }
    }
}
#endif
