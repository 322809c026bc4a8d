/// Makes connections for a pool.
package protocol SQLConnector: Sendable {
    associatedtype Connection: SQLConnection

    /// Makes a connection that is ready for use. Of several hosts it chooses one that accepts writes. Blocks.
    /// - Throws: ``SQLConnectionError`` of kind `noConnection`.
    func connect() throws -> Connection

    /// Whether an idle connection still works and its server is still the one to use. Blocks for one round trip.
    func isHealthy(_ connection: Connection) -> Bool

    /// Host, port and database, for messages; without the password.
    var place: String { get }

    /// Server codes of logins that are refused again and again: a wrong password, an unknown database.
    static var lastingRefusals: Set<String> { get }

    /// Server codes of logins that are refused while the server or the user has as many connections as allowed.
    static var fullServerRefusals: Set<String> { get }
}

extension SQLConnector {
    /// None.
    package static var lastingRefusals: Set<String> { [] }

    /// None.
    package static var fullServerRefusals: Set<String> { [] }

    /// Whether a login fails and will fail again.
    package static func isLasting(_ error: SQLConnectionError) -> Bool {
        guard error.kind == .noConnection, let code = error.serverCode else { return false }
        return lastingRefusals.contains(code)
    }

    /// Whether a login fails because the server has no room for another connection.
    static func isFull(_ error: SQLConnectionError) -> Bool {
        guard error.kind == .noConnection, let code = error.serverCode else { return false }
        return fullServerRefusals.contains(code)
    }
}
