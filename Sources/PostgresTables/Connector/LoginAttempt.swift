#if PostgreSQL
import CPostgreSQL
import TableKit
import TableSQL

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A non-blocking login through libpq: socket, TLS, authentication, the check of the server's role.
final class LoginAttempt: HostLogin {
    let address: HostAddress
    private(set) var state: HostLoginState = .waiting
    private(set) var hasAnswered = false
    private var events = Int16(POLLOUT)
    private var raw: OpaquePointer?

    init(_ settings: LoginSettings, _ address: HostAddress) {
        self.address = address
        raw = settings.setting(address.settings).start()
        // Puts the SQLSTATE of a refusal into libpq's message, its only place.
        PQsetErrorVerbosity(raw, PQERRORS_VERBOSE)
        if raw == nil || PQstatus(raw) == CONNECTION_BAD { state = .failed(failure) }
    }

    deinit { if let raw { PQfinish(raw) } }

    var place: String { "\(address)" }

    var interest: SocketInterest? {
        guard case .waiting = state else { return nil }
        return SocketInterest(PQsocket(raw), events)
    }

    func advance(_ events: Int16) {
        if events & Int16(POLLIN) != 0 { hasAnswered = true }
        switch PQconnectPoll(raw) {
        case PGRES_POLLING_READING: self.events = Int16(POLLIN)
        case PGRES_POLLING_WRITING: self.events = Int16(POLLOUT)
        case PGRES_POLLING_OK: state = .done
        default: state = .failed(failure)
        }
    }

    /// Passes ownership of the connection to the caller.
    func take() -> OpaquePointer? {
        defer { raw = nil }
        return raw
    }

    private var failure: SQLConnectionError {
        let message = PostgresLink.message(raw)
        // Without a password, libpq does not even try; the server would refuse an empty one.
        let lacksPassword = raw != nil && PQconnectionNeedsPassword(raw) == 1
        return SQLConnectionError(
            .noConnection, code: .unavailable, serverCode: Self.state(in: message) ?? (lacksPassword ? "28P01" : nil),
            "\(address): \(message)")
    }

    /// The SQLSTATE in a verbose message such as `FATAL:  28P01: password authentication failed`.
    static func state(in message: String) -> String? {
        message.firstMatch(of: #/:  ([0-9A-Z]{5}): /#).map { String($0.1) }
    }
}
#endif
