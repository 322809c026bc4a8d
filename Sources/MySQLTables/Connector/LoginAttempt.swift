#if MySQL
import CMariaDB
import TableKit
import TableSQL

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A non-blocking login through libmariadb: socket, TLS, authentication, session settings, the check of the server's
/// state.
final class LoginAttempt: HostLogin {
    /// The current step.
    private enum Step { case connecting, asking, reading }

    /// The library stores a thousand times this number in 32 bits.
    private static let longestTimeout: Int64 = 2_000_000

    let address: MySQLAddress
    private(set) var state: HostLoginState = .waiting
    private(set) var node: NodeState?
    private(set) var hasAnswered = false
    private var link: MySQLLink?
    private let isWriterNeeded: Bool
    private let isEncryptionNeeded: Bool
    private var step = Step.connecting
    private var wanted: Int32 = 0
    // Results of non-blocking calls, at fixed addresses until the calls end.
    private let connected = UnsafeMutablePointer<UnsafeMutablePointer<MYSQL>?>.allocate(capacity: 1)
    private let status = UnsafeMutablePointer<Int32>.allocate(capacity: 1)
    private let rows = UnsafeMutablePointer<UnsafeMutablePointer<MYSQL_RES>?>.allocate(capacity: 1)
    /// Texts that the library reads during the login.
    private var texts: [UnsafeMutablePointer<CChar>] = []

    /// - Parameters:
    ///   - settings: statements that configure the session.
    ///   - isWriterNeeded: whether the server must accept writes.
    init(
        _ login: MySQLLogin, _ address: MySQLAddress, settings: [String], options: MySQLOptions, isWriterNeeded: Bool
    ) {
        self.address = address
        self.isWriterNeeded = isWriterNeeded
        isEncryptionNeeded = login.tls.mode == .required || login.tls.mode == .verifyIdentity
        connected.initialize(to: nil)
        status.initialize(to: 0)
        rows.initialize(to: nil)
        do {
            let link = try MySQLLink()
            self.link = link
            guard let raw = link.raw else { return }
            mysql_options(raw, MYSQL_SET_CHARSET_NAME, "utf8mb4")
            var off: UInt32 = 0
            mysql_options(raw, MYSQL_OPT_LOCAL_INFILE, &off)
            mysql_options4(raw, MYSQL_OPT_CONNECT_ATTR_ADD, "program_name", options.applicationName)
            // A local socket needs no encryption.
            if address.socket == nil || login.tls.mode != .preferred { login.tls.apply(to: raw) }
            if address.socket == nil, address.port != 0 {
                // Otherwise the library takes its own socket for localhost, whatever the port.
                var tcp = MYSQL_PROTOCOL_TCP.rawValue
                mysql_options(raw, MYSQL_OPT_PROTOCOL, &tcp)
            }
            // For a name, the library repeats a failing look-up for this number of seconds.
            let isName = address.socket == nil && !HostNames.isNumeric(address.target)
            if isName { setTimeout(1, raw) } else { setHandshakeTimeout(options, raw) }
            for setting in settings { mysql_options(raw, MYSQL_INIT_COMMAND, setting) }
            let flags = UInt(CLIENT_FOUND_ROWS)
            wanted = mysql_real_connect_start(
                connected, raw, address.socket == nil ? copy(address.target) : nil, copy(login.user),
                copy(login.password), copy(login.database), address.port, copy(address.socket), flags)
            if isName { setHandshakeTimeout(options, raw) }
            link.unblock()
            proceed()
        } catch let error as SQLConnectionError { state = .failed(error) } catch {}
    }

    deinit {
        link?.close()
        if let rows = rows.pointee { mysql_free_result(rows) }
        connected.deallocate()
        status.deallocate()
        rows.deallocate()
        for text in texts { free(text) }
    }

    /// The library takes the time-out as milliseconds for each answer of the TLS handshake. With seconds, a server 6 ms
    /// away would be out of reach. ``HostRace`` bounds the socket.
    private func setHandshakeTimeout(_ options: MySQLOptions, _ raw: UnsafeMutablePointer<MYSQL>) {
        setTimeout(UInt32(clamping: min(max(1, options.connectTimeout.milliseconds), Self.longestTimeout)), raw)
    }

    private func setTimeout(_ timeout: UInt32, _ raw: UnsafeMutablePointer<MYSQL>) {
        var timeout = timeout
        mysql_options(raw, MYSQL_OPT_CONNECT_TIMEOUT, &timeout)
    }

    private func copy(_ text: String?) -> UnsafeMutablePointer<CChar>? {
        guard let text, let copy = strdup(text) else { return nil }
        texts.append(copy)
        return copy
    }

    var place: String { "\(address)" }

    var interest: SocketInterest? {
        guard case .waiting = state, let raw = link?.raw else { return nil }
        return SocketInterest(mysql_get_socket(raw), MySQLEvents.poll(wanted))
    }

    func advance(_ events: Int16) {
        guard let raw = link?.raw else { return }
        if events & Int16(POLLIN) != 0 { hasAnswered = true }
        link?.unblock()
        let found = MySQLEvents.library(events, wanted: wanted)
        switch step {
        case .connecting: wanted = mysql_real_connect_cont(connected, raw, found)
        case .asking: wanted = mysql_real_query_cont(status, raw, found)
        case .reading: wanted = mysql_store_result_cont(rows, raw, found)
        }
        proceed()
    }

    /// Passes ownership of the connection to the caller.
    func take() -> MySQLLink? {
        defer { link = nil }
        link?.unblock()
        return link
    }

    /// Starts the next steps until one must wait.
    private func proceed() {
        while wanted == 0, case .waiting = state, let raw = link?.raw {
            switch step {
            case .connecting:
                if connected.pointee == nil { return fail() }
                // The library continues without encryption if the server has none.
                if isEncryptionNeeded, mysql_get_ssl_cipher(raw) == nil {
                    state = .failed(
                        SQLConnectionError(
                            .noConnection, code: .unavailable, "\(address): the server does not encrypt connections"))
                    return
                }
                step = .asking
                let text = copy(NodeState.question)
                wanted = mysql_real_query_start(status, raw, text, UInt(NodeState.question.utf8.count))
            case .asking:
                if status.pointee != 0 { return fail() }
                step = .reading
                wanted = mysql_store_result_start(rows, raw)
            case .reading: judge()
            }
        }
    }

    private func judge() {
        guard let rows = rows.pointee, let row = mysql_fetch_row(rows) else { return fail() }
        let answer = (0..<Int(mysql_num_fields(rows))).map { number in row[number].map { String(cString: $0) } }
        let node = NodeState(answer)
        self.node = node
        if let refusal = node.refusal(isWriterNeeded: isWriterNeeded) {
            state = .failed(SQLConnectionError(.noConnection, code: .unavailable, "\(address): \(refusal)"))
        } else {
            state = .done
        }
    }

    private func fail() {
        guard let link else { return }
        var error = MySQLError.error(link)
        error.kind = .noConnection
        error.code = .unavailable
        error.message = "\(address): \(error.message)"
        state = .failed(error)
    }
}
#endif
