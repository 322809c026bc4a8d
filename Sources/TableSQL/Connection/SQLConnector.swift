/// Makes connections: what a configuration gives the pool.
package protocol SQLConnector: Sendable {
    associatedtype Connection: SQLConnection

    /// Makes a connection that is ready for use, to a host that takes writes where there are several. Blocks.
    /// - Throws: ``SQLConnectionError`` of kind `noConnection`.
    func connect() throws -> Connection

    /// Whether a connection that has rested still works and its server is still the one to use. Blocks for one round trip.
    func isHealthy(_ connection: Connection) -> Bool

    /// Whether a connection is to be asked for its health even where it has not rested.
    func needsCheck(_ connection: Connection) -> Bool

    /// Where connections go, for messages: host, port and database, without the password.
    var place: String { get }
}

extension SQLConnector {
    /// No.
    package func needsCheck(_ connection: Connection) -> Bool { false }
}
