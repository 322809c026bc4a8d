#if PostgreSQL || MySQL
import Synchronization
import TableKit
import TableSQL

/// A server in memory that has room for a few connections.
final class FullServer: Sendable {
    private struct State {
        var room: Int
        var open = 0
        var logins = 0
    }

    static let code = "full"

    /// What it says to who finds no room.
    static var refusal: SQLConnectionError {
        SQLConnectionError(.noConnection, code: .unavailable, serverCode: code, "too many clients")
    }

    private let state: Mutex<State>
    private let onLogin: @Sendable (Int) throws -> Void

    /// - Parameter onLogin: called with the number of each login, before it is answered. May refuse it.
    init(room: Int, onLogin: @escaping @Sendable (Int) throws -> Void = { _ in }) {
        state = Mutex(State(room: room))
        self.onLogin = onLogin
    }

    var room: Int {
        get { state.withLock { $0.room } }
        set { state.withLock { $0.room = newValue } }
    }
    /// The number of open connections.
    var open: Int { state.withLock { $0.open } }
    /// The number of logins, refused ones included.
    var logins: Int { state.withLock { $0.logins } }

    fileprivate func login() throws {
        let number = state.withLock { state in
            state.logins += 1
            return state.logins
        }
        try onLogin(number)
        try state.withLock { state in
            guard state.open < state.room else { throw Self.refusal }
            state.open += 1
        }
    }

    fileprivate func leave() { state.withLock { $0.open -= 1 } }
}

struct FullServerConnector: SQLConnector {
    let server: FullServer
    var place: String { "memory" }
    static var fullServerRefusals: Set<String> { [FullServer.code] }

    func connect() throws -> FullServerConnection { try FullServerConnection(server) }
    func isHealthy(_ connection: FullServerConnection) -> Bool { connection.isUsable }
}

final class FullServerConnection: SQLConnection {
    private enum Life { case usable, broken, closed }

    private let server: FullServer
    private let life = Mutex(Life.usable)

    init(_ server: FullServer) throws {
        try server.login()
        self.server = server
    }

    var isUsable: Bool { life.withLock { $0 == .usable } }

    /// Ends the connection as the network would.
    func sever() { life.withLock { if $0 == .usable { $0 = .broken } } }

    func close() {
        let wasOpen = life.withLock { life in
            defer { life = .closed }
            return life != .closed
        }
        if wasOpen { server.leave() }
    }

    func execute(_ statement: SQLStatement) -> SQLResultSet { SQLResultSet() }

    func open(_ statement: SQLStatement, batchRows: Int) throws -> any SQLRows {
        throw SQLConnectionError(.statement, code: .unsupported, "There are no rows.")
    }
}
#endif
